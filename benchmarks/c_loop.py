"""A perceptron pass over CSR rows as a C programmer would write it, compiled when it is needed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# The same memory traffic as one pass: each row's columns and values once, its weights gathered,
# and scattered after a mistake.
SOURCE = """
#include <stdint.h>
long NAME(long n, const TYPE *data, const int32_t *indices, const INDPTR *indptr,
          const double *y, double *w, double *b, long passes) {
  long mistakes = 0;
  for (long p = 0; p < passes; p++)
    for (long i = 0; i < n; i++) {
      double score = *b;
      for (INDPTR k = indptr[i]; k < indptr[i + 1]; k++) score += data[k] * w[indices[k]];
      if (y[i] * score <= 0) {
        for (INDPTR k = indptr[i]; k < indptr[i + 1]; k++) w[indices[k]] += y[i] * data[k];
        *b += y[i];
        mistakes++;
      }
    }
  return mistakes;
}
"""
TYPES = {"float64": "double", "float32": "float", "int32": "int32_t", "int64": "int64_t"}


def csr_passes(X: Any, y: np.ndarray) -> Callable[[int], int] | None:
    """A function that makes so many passes from w = 0 and returns the mistakes; None without cc."""
    if shutil.which("cc") is None:
        return None
    source = SOURCE.replace("NAME", "passes").replace("TYPE", TYPES[str(X.data.dtype)])
    source = source.replace("INDPTR", TYPES[str(X.indptr.dtype)])
    folder = Path(tempfile.mkdtemp())
    (folder / "loop.c").write_text(source)
    flags = ["-Ofast", "-march=native", "-shared", "-fPIC"]
    try:
        command = ["cc", *flags, str(folder / "loop.c"), "-o", str(folder / "loop.so")]
        subprocess.run(command, check=True, capture_output=True)
        library = ctypes.CDLL(str(folder / "loop.so"))
    except (subprocess.CalledProcessError, OSError):
        return None
    finally:
        shutil.rmtree(folder)
    library.passes.restype = ctypes.c_long
    signs = y.astype(np.float64)

    def run(passes: int) -> int:
        weights, bias = np.zeros(X.shape[1]), np.zeros(1)
        given = (X.data, X.indices, X.indptr, signs, weights, bias)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in given]
        return library.passes(ctypes.c_long(len(y)), *pointers, ctypes.c_long(passes))

    run(1)
    return run
