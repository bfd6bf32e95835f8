"""Bids, declarations and discards by search, by values and by counted chances."""
