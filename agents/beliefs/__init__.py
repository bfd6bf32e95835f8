"""Beliefs that infer hidden cards from what the others have done."""
