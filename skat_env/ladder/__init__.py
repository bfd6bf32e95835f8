"""The ladder of a game: agents on a fixed public benchmark, measured against the same anchors."""
