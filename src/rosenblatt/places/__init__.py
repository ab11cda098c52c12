"""Where data lies: what a fit and a decision ask of memory, of a file and of a cluster."""
