"""Evaluators, which value the leaves of tree searches: a file for each name that `evaluator=` takes."""
