"""The machine in words: processor, caches, memory, versions."""

from __future__ import annotations

import os
import platform
from pathlib import Path

ABSENT = "absent"


def machine() -> list[str]:
    """The machine in words, as list items."""
    described = [
        f"{processor()}, {core_count()} cores, caches {caches()}, {memory() / 2**30:.0f} GiB",
        f"{platform.system()}, Python {platform.python_version()}",
        ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "scikit-learn")),
    ]
    return [f"- {line}" for line in described]


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def caches() -> str:
    """The sizes of one core's data caches."""
    found = []
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (
            (folder / name).read_text().strip() for name in ("level", "type", "size")
        )
        if kind != "Instruction":
            found.append(f"L{level} {size.removesuffix('K')} KiB")
    return ", ".join(found) or "of unknown size"


def memory() -> float:
    """Bytes of main memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def version(package: str) -> str:
    """The version of an installed package, or that it is absent."""
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ABSENT


def core_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
