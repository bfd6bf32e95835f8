"""Doors for programs that play in words: one seat of a game over MCP, OpenEnv and verifiers."""
