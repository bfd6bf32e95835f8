"""The layout of an observation: named slices in order."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """A named slice of an observation."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def width(self) -> int:
        """The number of entries in the slice."""
        width = 1
        for size in self.shape:
            width *= size
        return width


@dataclass(frozen=True, slots=True)
class SuitFeatures:
    """The part `suit_features` of a game: where its observation says what differs from suit to suit."""

    trump: str
    """The feature whose first four bits say which suit is trumps; before it says anything, the contract is open."""
    by_suit: tuple[str, ...]
    """The features whose first four bits stand for the suits; one of 32 bits has one for each card."""
    plain_jacks: int | None
    """The bit of `trump` with which jacks are cards of their suits; else they are trumps. None: they always are."""


def total_width(features: tuple[Feature, ...]) -> int:
    """The length of the whole observation."""
    return sum(feature.width for feature in features)


def slices(features: tuple[Feature, ...]) -> dict[str, slice]:
    """Where each feature lies in the observation."""
    places, start = {}, 0
    for feature in features:
        places[feature.name] = slice(start, start + feature.width)
        start += feature.width
    return places


def table(features: tuple[Feature, ...]) -> str:
    """The layout as a Markdown table, for the page of an environment."""
    lines = ["| slice | feature | shape | meaning |", "|---|---|---|---|"]
    for feature, place in zip(features, slices(features).values(), strict=True):
        shape = " x ".join(map(str, feature.shape))
        lines.append(f"| {place.start}:{place.stop} | {feature.name} | {shape} | {feature.meaning} |")
    return "\n".join(lines)
