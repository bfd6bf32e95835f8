"""The agents' knowledge of Klaverjas: rules of thumb, bidding, networks, objectives."""
