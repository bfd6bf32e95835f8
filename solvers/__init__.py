"""Open-card (perfect-information) search."""
