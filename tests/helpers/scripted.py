"""Agents whose cards are known in advance."""

import numpy as np

from skat_env.protocols import Decision, View


class Lowest:
    """Plays its first legal card."""

    name = "lowest"

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(view.legal_actions()[0])


class Likely:
    """Draws its first legal card with a chance of three quarters, the others evenly."""

    name = "likely"
    draws = True

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        weights = np.zeros(64, np.float32)
        weights[legal] = 0.25 / max(len(legal) - 1, 1)
        weights[legal[0]] = 0.75 if len(legal) > 1 else 1
        # By hand, as numpy's choice by chances takes ten times as long.
        drawn = rng.random()
        others = len(legal) - 1
        place = 0 if drawn < 0.75 or not others else 1 + int((drawn - 0.75) * 4 * others)
        return Decision(legal[place], weights)


class Undecided:
    """Uses chance and does not say how."""

    name = "undecided"

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        return Decision(int(rng.choice(view.legal_actions())))


class Fixed:
    """Takes the lowest or the highest legal action."""

    def __init__(self, name: str) -> None:
        self.name = name

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        legal = view.legal_actions()
        return Decision(legal[0] if self.name == "low" else legal[-1])
