"""The algorithm: points, rules, orders, stopping and the one loop."""
