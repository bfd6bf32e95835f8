"""The subcommands of `skat-env`, one a file."""
