"""The subcommands of `skat-env` that need agents."""
