/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/chain.h"
#include "model/transient.h"

#include <math.h>
#include <stdlib.h>

/*
 * Whether an eigenvalue of -Q other than 0 lies below x. Symmetrized, -Q = M^T M with M bidiagonal
 * (squares up_q and down_{q+1}); M M^T has the same eigenvalues without the 0. d are the pivots of
 * M M^T - x; carrying t = d - down instead of d keeps full relative accuracy for tiny x.
 */
static int has_eigenvalue_below(const model_chain *c, double x)
{
    double t = model_chain_up(c, 0) - x;
    for (size_t q = 0; q < c->processors; q++) {
        const double d = t + model_chain_down(c, q + 1);
        if (d <= 0)
            return 1;
        t = model_chain_up(c, q + 1) * (t / d) - x;
    }
    return 0;
}

static clump_status smallest_eigenvalue(const model_chain *c, double *gap, clump_error *error)
{
    /* The least diagonal element of M M^T is an upper bound; rounding may need a little more. */
    double high = 2 * (model_chain_up(c, 0) + model_chain_down(c, 1));
    double low = high;
    /* Divide before halving: the gap can be many orders below the rates. */
    while (has_eigenvalue_below(c, low)) {
        high = low;
        low /= 1024;
        if (low < 1e-290)
            return clump_fail(error, CLUMP_NO_CONVERGENCE,
                              "relaxation time: beyond 1e290 cycles, the node never changes over");
    }
    while (high - low > 1e-15 * high) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (has_eigenvalue_below(c, middle))
            high = middle;
        else
            low = middle;
    }
    *gap = low + (high - low) / 2;
    return CLUMP_OK;
}

clump_status clump_relaxation_time(size_t processors, double utilization,
                                   const clump_station *station, double *cycles, clump_error *error)
{
    model_chain c;
    double gap = 1;
    if (!(utilization >= MODEL_CHAIN_LEAST_UTILIZATION && utilization < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilization: %g, expected %g or more, and less than 1", utilization,
                          MODEL_CHAIN_LEAST_UTILIZATION);
    clump_status status = model_chain_prepare(&c, processors, utilization, station, error);
    if (status != CLUMP_OK)
        return status;
    status = smallest_eigenvalue(&c, &gap, error);
    if (status == CLUMP_OK)
        *cycles = 1 / gap;
    free(c.rate);
    return status;
}
