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
