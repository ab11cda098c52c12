"""How proofs are found: search, decision, maximum margin, separation, fewest errors."""
