"""Audits: what two agents' different decisions are worth, played out by a third."""
