"""What all figures share: axes, marks, colours, projections and the sources of what is drawn."""
