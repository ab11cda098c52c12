"""What anyone can check without a solver: exact numbers, certificates, bounds."""
