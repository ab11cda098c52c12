"""From settings and data to a fitted model, free of scikit-learn."""
