"""Files, workers, progress and provenance: what every long command needs."""
