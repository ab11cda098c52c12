"""scikit-learn's faces of the engine: validate, encode labels, call the engine, set attributes."""
