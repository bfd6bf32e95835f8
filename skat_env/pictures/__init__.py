"""Pictures of tables and games: card faces, the layout of a table, SVG, pixels."""
