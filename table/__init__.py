"""`skat-env table`: games at a table in the browser, thinking agents, reviews, and folders of games and results."""
