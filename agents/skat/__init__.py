"""The agents' knowledge of Skat: rules of thumb, bidding, networks, objectives, tables."""
