"""The learners behind `skat-env train`: one a file, each a config and a function that goes on until it is done."""
