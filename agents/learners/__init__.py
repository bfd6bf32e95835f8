"""The learners of `skat-env train`: one a file, each with a config and a function that trains to the end of a run."""
