"""Agents, and the beliefs, networks and learners that they are made of."""
