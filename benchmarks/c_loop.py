"""Perceptron passes as a C programmer would write them, compiled when they are needed."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

# The same memory traffic as one pass: each row's columns and values once, its weights gathered,
# and scattered after a mistake.
CSR = """
#include <stdint.h>
long passes(long n, const TYPE *data, const int32_t *indices, const INDPTR *indptr,
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
DENSE = """
long passes(long n, long d, const TYPE *x, const double *y, double *w, double *b, long passes) {
  long mistakes = 0;
  for (long p = 0; p < passes; p++)
    for (long i = 0; i < n; i++) {
      const TYPE *row = x + i * d;
      double score = *b;
      for (long j = 0; j < d; j++) score += row[j] * w[j];
      if (y[i] * score <= 0) {
        for (long j = 0; j < d; j++) w[j] += y[i] * row[j];
        *b += y[i];
        mistakes++;
      }
    }
  return mistakes;
}
"""
# The fastest that we could write by hand, which shows what the processor allows: sixteen sums in
# four registers, and labels, a line of which is read once in eight rows, asked for ahead. What else
# was tried is no faster: more sums, registers of eight, memory asked for rows ahead (near or far,
# into any cache), several rows at a time (memory is much slower to bring them), the update and the
# next score in one loop, and both outcomes of a look computed, so that nothing waits for a branch.
# Given room for it, it notes what a run keeps of each mistake for the dual form and for the mean of
# the weights: how far the row has moved them in all, and after how many looks.
FASTEST = """
#include <immintrin.h>
static inline __m256d at_double(const double *x) { return _mm256_loadu_pd(x); }
static inline __m256d at_float(const float *x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
#define AHEAD(p) _mm_prefetch((const char *)((p) + 16), _MM_HINT_T0)
#define SUM(s, j) s = _mm256_fmadd_pd(at_TYPE(x + j), at_double(w + j), s)

static inline double score(long d, const TYPE *x, const double *w) {
  __m256d a = _mm256_setzero_pd(), b = a, c = a, e = a;
  long j = 0;
  for (; j + 16 <= d; j += 16) {
    SUM(a, j);
    SUM(b, j + 4);
    SUM(c, j + 8);
    SUM(e, j + 12);
  }
  for (; j + 4 <= d; j += 4) SUM(a, j);
  __m256d all = _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, e));
  __m128d pairs = _mm_hadd_pd(_mm256_castpd256_pd128(all), _mm256_extractf128_pd(all, 1));
  double sum = pairs[0] + pairs[1];
  for (; j < d; j++) sum += x[j] * w[j];
  return sum;
}

long passes(long n, long d, const TYPE *x, const double *y, double *w, double *b, long passes,
            double *dual, double *late) {
  long mistakes = 0;
  for (long p = 0; p < passes; p++)
    for (long i = 0; i < n; i++) {
      const TYPE *row = x + i * d;
      if (i % 8 == 0) AHEAD(y + i);
      if (i % 8 == 0 && dual) AHEAD(dual + i), AHEAD(late + i);
      if (y[i] * (score(d, row, w) + *b) <= 0) {
        __m256d sign = _mm256_set1_pd(y[i]);
        long j = 0;
        for (; j + 4 <= d; j += 4)
          _mm256_storeu_pd(w + j, _mm256_fmadd_pd(sign, at_TYPE(row + j), at_double(w + j)));
        for (; j < d; j++) w[j] += y[i] * row[j];
        *b += y[i];
        mistakes++;
        if (dual) dual[i] += 1, late[i] += p * n + i;
      }
    }
  return mistakes;
}
"""
# One weight vector a class, the last of its d + 1 the bias: the true class must lead every rival.
MULTICLASS = """
long passes(long n, long d, long classes, const double *x, const long *y, double *w, long passes) {
  long mistakes = 0;
  for (long p = 0; p < passes; p++)
    for (long i = 0; i < n; i++) {
      const double *row = x + i * d;
      double own = 0, most = 0;
      long rival = -1;
      for (long c = 0; c < classes; c++) {
        const double *v = w + c * (d + 1);
        double score = v[d];
        for (long j = 0; j < d; j++) score += row[j] * v[j];
        if (c == y[i]) own = score;
        else if (rival < 0 || score > most) { most = score; rival = c; }
      }
      if (own <= most) {
        double *up = w + y[i] * (d + 1), *down = w + rival * (d + 1);
        for (long j = 0; j < d; j++) { up[j] += row[j]; down[j] -= row[j]; }
        up[d] += 1;
        down[d] -= 1;
        mistakes++;
      }
    }
  return mistakes;
}
"""
# What a machine allows: threads that share nothing add up numbers, some of them over and over.
THREADS = """
#include <pthread.h>
struct part { const double *numbers; long n, times; double sum; };
static void *add_up(void *given) {
  struct part *own = given, part = *own;  // a copy: the parts of others are on the same line
  for (long t = 0; t < part.times; t++) {
    double sum = part.sum;
    for (long k = 0; k < part.n; k++) sum += part.numbers[k];
    part.sum = sum / 2;
  }
  own->sum = part.sum;
  return 0;
}
long passes(long threads, long n, long times, const double *numbers, double *sums) {
  pthread_t started[64];
  struct part parts[64];
  long each = n / threads;
  for (long i = 0; i < threads; i++) {
    parts[i] = (struct part){numbers + i * each, each, times, 0};
    if (i && pthread_create(&started[i], 0, add_up, &parts[i])) return 1;
  }
  add_up(&parts[0]);
  for (long i = 1; i < threads; i++) pthread_join(started[i], 0);
  for (long i = 0; i < threads; i++) sums[i] = parts[i].sum;
  return 0;
}
"""
# The scores of rows, a look at all of them: each thread its share of the rows.
SCORES = """
#include <pthread.h>
#include <stdint.h>
struct part {
  long first, last, d;
  const double *data;
  const int32_t *indices, *indptr;
  const double *w;
  double *out;
};
static void *scores(void *given) {
  const struct part p = *(struct part *)given;
  for (long i = p.first; i < p.last; i++) {
    double sum = 0;
    LOOP
    p.out[i] = sum;
  }
  return 0;
}
long passes(long threads, long n, long d, const double *data, const int32_t *indices,
            const int32_t *indptr, const double *w, double *out) {
  pthread_t started[64];
  struct part parts[64];
  for (long i = 0; i < threads; i++) {
    long first = n * i / threads, last = n * (i + 1) / threads;
    parts[i] = (struct part){first, last, d, data, indices, indptr, w, out};
    if (i && pthread_create(&started[i], 0, scores, &parts[i])) return 1;
  }
  scores(&parts[0]);
  for (long i = 1; i < threads; i++) pthread_join(started[i], 0);
  return 0;
}
"""
SCORE = {
    "dense": "for (long j = 0; j < p.d; j++) sum += p.data[i * p.d + j] * p.w[j];",
    "CSR": "for (int32_t k = p.indptr[i]; k < p.indptr[i + 1]; k++) "
    "sum += p.data[k] * p.w[p.indices[k]];",
}
# Text of numbers: each thread reads its share of a file and adds up the digits' numbers.
TEXT = """
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
struct part { int file; long first, last; double sum; };
static void *add_up(void *given) {
  struct part *own = given, p = *own;
  static __thread char room[1 << 18];
  double sum = 0, number = 0;
  for (long at = p.first, got; at < p.last; at += got) {
    long most = p.last - at < (long)sizeof room ? p.last - at : (long)sizeof room;
    if ((got = pread(p.file, room, most, at)) <= 0) break;
    for (long k = 0; k < got; k++) {
      unsigned digit = room[k] - '0';
      if (digit < 10) number = 10 * number + digit;
      else { sum += number; number = 0; }
    }
  }
  own->sum = sum;
  return 0;
}
long passes(long threads, const char *path, double *sums) {
  pthread_t started[64];
  struct part parts[64];
  int file = open(path, O_RDONLY);
  if (file < 0) return 1;
  long bytes = lseek(file, 0, SEEK_END);
  for (long i = 0; i < threads; i++) {
    parts[i] = (struct part){file, bytes * i / threads, bytes * (i + 1) / threads, 0};
    if (i && pthread_create(&started[i], 0, add_up, &parts[i])) return 1;
  }
  add_up(&parts[0]);
  for (long i = 1; i < threads; i++) pthread_join(started[i], 0);
  for (long i = 0; i < threads; i++) sums[i] = parts[i].sum;
  close(file);
  return 0;
}
"""
# svmlight text of positive numbers without an exponent, known to be right: nothing is checked.
SVMLIGHT = """
#include <stdint.h>
static const double TENTHS[] = {1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
long passes(const char *s, long bytes, float *data, int32_t *indices, int32_t *indptr, double *y) {
  const char *end = s + bytes;
  long n = 0;
  int32_t k = indptr[0] = 0;
  while (s < end) {
    y[n] = *s == '-' ? -1 : 1;
    while (*s > ' ') s++;
    while (*s == ' ') {
      int32_t j = 0;
      long value = 0, places = 0;
      for (s++; *s != ':'; s++) j = 10 * j + *s - '0';
      for (s++; *s >= '0'; s++) value = 10 * value + *s - '0';
      if (*s == '.') {
        const char *point = s;
        for (s++; *s >= '0'; s++) value = 10 * value + *s - '0';
        places = s - point - 1;
      }
      indices[k] = j;
      data[k++] = value * TENTHS[places];
    }
    s++;
    indptr[++n] = k;
  }
  return n;
}
"""
TYPES = {"float64": "double", "float32": "float", "int32": "int32_t", "int64": "int64_t"}


# Freedoms of -ffast-math; the option itself would flush denormals to 0 in the process.
FREE = ("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno")


def built(source: str, freedoms: Sequence[str] = FREE) -> Any:
    """The function ``passes`` of that source; None where there is no compiler, or it fails."""
    if shutil.which("cc") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder, "loop.c"), Path(folder, "loop.so")
        code.write_text(source)
        flags = ["-O3", *freedoms, "-march=native", "-shared", "-fPIC"]
        command = ["cc", *flags, str(code), "-o", str(library)]
        try:
            subprocess.run(command, check=True, capture_output=True)
            passes = ctypes.CDLL(str(library)).passes
        except (subprocess.CalledProcessError, OSError):
            return None
    passes.restype = ctypes.c_long
    return passes


def pointers(*arrays: np.ndarray) -> list[ctypes.c_void_p]:
    """Where those arrays begin."""
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


def adding_up(n: int, times: int, threads: int) -> Callable[[], np.ndarray] | None:
    """A function in which so many threads add up n numbers, each its share; None without cc.

    A share is added up ``times`` times: one that stays in a core's cache costs no memory's time.
    """
    function, numbers, sums = built(THREADS), np.ones(n), np.zeros(threads)
    sizes = [ctypes.c_long(size) for size in (threads, n, times)]

    def run() -> np.ndarray:
        if function(*sizes, *pointers(numbers, sums)):
            raise OSError("no thread could be started")
        return sums

    return run if function else None


def scores_by(X: Any, weights: np.ndarray, threads: int) -> Callable[[], np.ndarray] | None:
    """A function in which so many threads score all rows, each its share; None without cc."""
    dense = isinstance(X, np.ndarray)
    function = built(SCORES.replace("LOOP", SCORE["dense" if dense else "CSR"]))
    none, out = np.zeros(0, dtype=np.int32), np.empty(X.shape[0])
    parts = (X, none, none) if dense else (X.data, X.indices, X.indptr)
    sizes = [ctypes.c_long(size) for size in (threads, *X.shape)]

    def run() -> np.ndarray:
        if function(*sizes, *pointers(*parts, weights, out)):
            raise OSError("no thread could be started")
        return out

    return run if function else None


def text_by(path: Path, threads: int) -> Callable[[], np.ndarray] | None:
    """A function in which so many threads add up the numbers of a text; None without cc."""
    function, sums, name = built(TEXT), np.zeros(threads), str(path).encode()

    def run() -> np.ndarray:
        if function(ctypes.c_long(threads), name, *pointers(sums)):
            raise OSError(f"{path} could not be read by {threads} threads")
        return sums

    return run if function else None


def csr_passes(X: Any, y: np.ndarray) -> Callable[[int], int] | None:
    """A function that makes so many passes from w = 0 and returns the mistakes; None without cc."""
    source = CSR.replace("TYPE", TYPES[str(X.data.dtype)])
    function = built(source.replace("INDPTR", TYPES[str(X.indptr.dtype)]))
    signs = y.astype(np.float64)

    def run(passes: int) -> int:
        weights, bias = np.zeros(X.shape[1]), np.zeros(1)
        given = pointers(X.data, X.indices, X.indptr, signs, weights, bias)
        return function(ctypes.c_long(len(y)), *given, ctypes.c_long(passes))

    return run if function else None


def file_to_model(path: Path, width: int, threads: int) -> Callable[[int], int] | None:
    """A function that reads svmlight text, parses it in threads, and makes so many passes.

    It returns the mistakes; None without cc.
    """
    parse = built(SVMLIGHT)
    learn = built(CSR.replace("TYPE", "float").replace("INDPTR", "int32_t"))

    def parsed(text: np.ndarray) -> tuple[int, list[np.ndarray]]:
        # The shortest entry is " 1:2", the shortest line a label and its end.
        most, rows = len(text) // 4 + 1, len(text) // 2 + 2
        kinds = (most, np.float32), (most, np.int32), (rows, np.int32), (rows, np.float64)
        arrays = [np.empty(size, dtype) for size, dtype in kinds]
        return parse(*pointers(text), ctypes.c_long(len(text)), *pointers(*arrays)), arrays

    def run(passes: int) -> int:
        text = np.fromfile(path, np.uint8)
        cuts = [0]
        for k in range(1, threads):
            at = k * len(text) // threads
            cuts.append(at + int(np.argmax(text[at : at + 2**20] == ord("\n"))) + 1)
        pieces = [text[a:b] for a, b in pairwise([*cuts, len(text)])]
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(parsed, pieces))
        weights, bias, mistakes = np.zeros(width), np.zeros(1), 0
        for _ in range(passes):
            for rows, arrays in parts:
                given = *pointers(*arrays, weights, bias), ctypes.c_long(1)
                mistakes += learn(ctypes.c_long(rows), *given)
        return mistakes

    return run if parse and learn else None


def dense_passes(X: np.ndarray, y: np.ndarray) -> Callable[[int], int] | None:
    """The same for dense rows."""
    return _dense(X, y, built(DENSE.replace("TYPE", TYPES[str(X.dtype)])))


def fastest_dense_passes(
    X: np.ndarray, y: np.ndarray, *, noting: bool
) -> Callable[[int], int] | None:
    """The same, the fastest there is: in the order it is written, so without freedoms."""
    room = np.zeros((2, len(y)))
    function = built(FASTEST.replace("TYPE", TYPES[str(X.dtype)]), ())
    return _dense(X, y, function, [*room] if noting else [None, None])


def _dense(
    X: np.ndarray, y: np.ndarray, function: Any, notes: Sequence[np.ndarray | None] = ()
) -> Callable[[int], int] | None:
    (n, d), signs = X.shape, y.astype(np.float64)

    def run(passes: int) -> int:
        weights, bias = np.zeros(d), np.zeros(1)
        sizes = ctypes.c_long(n), ctypes.c_long(d)
        given = pointers(X, signs, weights, bias)
        room = (pointers(note)[0] if note is not None else ctypes.c_void_p() for note in notes)
        return function(*sizes, *given, ctypes.c_long(passes), *room)

    return run if function else None


def multiclass_passes(X: np.ndarray, y: np.ndarray) -> Callable[[int], int] | None:
    """The same for dense rows and class codes."""
    function = built(MULTICLASS)
    codes, (n, d), classes = y.astype(np.int_), X.shape, int(y.max()) + 1
    rows = np.ascontiguousarray(X, dtype=np.float64)

    def run(passes: int) -> int:
        weights = np.zeros((classes, d + 1))
        sizes = [ctypes.c_long(size) for size in (n, d, classes)]
        return function(*sizes, *pointers(rows, codes, weights), ctypes.c_long(passes))

    return run if function else None
