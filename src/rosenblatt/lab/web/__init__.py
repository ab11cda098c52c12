"""The server of the page: requests, limits, connections, files."""
