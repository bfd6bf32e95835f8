"""The subcommands of skat-env that open doors."""
