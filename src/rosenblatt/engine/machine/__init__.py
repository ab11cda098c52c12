"""How the engine gets fast: compilation, vector registers, prefetch, lookahead, threads."""
