/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/model_error.h"

#include "model/model_error_table.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static const struct {
    const char *name, *words;
} changes[CLUMP_CHANGE_COUNT] = {
    [CLUMP_CHANGE_ONE_NODE] = {"one-node", "one node instead of a NOW"},
    [CLUMP_CHANGE_SHARED_NICS] = {"shared-nics", "shared NICs instead of a NOW"},
    [CLUMP_CHANGE_NIC_EACH] = {"nic-each", "nodes with a NIC each instead of a NOW"},
    [CLUMP_CHANGE_OTHER_NIC] = {"other-nic", "other NICs in the same nodes"},
};

const char *clump_change_name(clump_change change)
{
    return changes[change].name;
}

const char *clump_change_words(clump_change change)
{
    return changes[change].words;
}

const char *clump_error_basis_name(clump_error_basis basis)
{
    static const char *const names[] = {"this kind", "clusters", "all kinds"};
    return names[basis];
}

clump_change clump_change_of(const clump_node *node, double remote_fraction)
{
    if (!(remote_fraction > 0))
        return CLUMP_CHANGE_ONE_NODE;
    return node->nics < node->processors ? CLUMP_CHANGE_SHARED_NICS : CLUMP_CHANGE_NIC_EACH;
}

const clump_model_error *clump_model_error_of(clump_change change)
{
    return &model_error_table[change];
}

double clump_model_error_miss_share(void)
{
    return model_error_miss_share;
}

clump_status clump_model_error_interval(const clump_model_error *error_model, double predicted,
                                        double input_low, double input_high, double level,
                                        double *low, double *high, clump_error *error)
{
    const clump_model_error *m = error_model;
    if (!(predicted > 0) || !isfinite(predicted))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the prediction is %g, expected a number above 0", predicted);
    if (!(level > 0) || !(level < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the level of the interval is %g, expected above 0 and below 1", level);
    const int exact = isnan(input_low) && isnan(input_high);
    if (!exact && (!(input_low >= 0) || !(input_low <= predicted) || !(input_high >= predicted)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the interval of the inputs is %g to %g, expected one around the "
                          "prediction %g",
                          input_low, input_high, predicted);
    if (m->rows == 0) {
        *low = *high = NAN;
        return CLUMP_OK;
    }
    const double t = gsl_cdf_tdist_Pinv((1 + level) / 2, m->freedom);
    const double below = exact ? 0 : log(predicted / input_low);
    const double above = exact ? 0 : log(input_high / predicted);
    *low = predicted * exp(-hypot(t * m->scale, below));
    *high = predicted * exp(hypot(t * m->scale, above));
    return CLUMP_OK;
}
