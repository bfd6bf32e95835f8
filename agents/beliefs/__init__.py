"""Beliefs that infer hidden cards from what the other players have done."""
