"""The subcommands of `skat-env`, one per file."""
