/* One cyclic pass of the perceptron over CSR rows, as one would write it by hand: the yardstick of
   `c_loop.py`. It reads and writes what the library's pass does: entries, labels, weights, and at a
   mistake the step, the dual form and the late share of the average. */

#include <stdint.h>

int64_t csr_pass(int64_t n, int64_t d, const VALUE *data, const int32_t *indices,
                 const int32_t *indptr, const double *y, const double *steps, double *weights,
                 double *dual, double *late, int64_t *clock)
{
    int64_t updates = 0;
    for (int64_t i = 0; i < n; i++) {
        double score = weights[d];
        for (int32_t k = indptr[i]; k < indptr[i + 1]; k++)
            score += data[k] * weights[indices[k]];
        if (y[i] * score <= 0) {
            double change = steps[i] * y[i];
            for (int32_t k = indptr[i]; k < indptr[i + 1]; k++)
                weights[indices[k]] += change * data[k];
            weights[d] += change;
            late[i] += steps[i] * clock[0];
            dual[i] += steps[i];
            updates++;
        }
        clock[0]++;
    }
    return updates;
}
