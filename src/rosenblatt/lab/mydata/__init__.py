"""The page "My data": a file comes in, the reports of ``decide`` and ``fit`` go out.

``desk`` takes files in and gives each to a process of its own, ``worker`` is that process,
``findings`` is what it does, ``picture`` what it draws.
"""
