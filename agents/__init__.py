"""Agents: everything that decides."""
