/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/efficiency.h"

#include <math.h>
#include <string.h>

static const char *const forms[] = {"inverse", "power", "exponential"};

const char *clump_efficiency_form_name(clump_efficiency_form form)
{
    return forms[form];
}

int clump_efficiency_form_parse(const char *name, clump_efficiency_form *form)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(forms[i], name) == 0) {
            *form = (clump_efficiency_form)i;
            return 1;
        }
    return 0;
}

double clump_efficiency_at(clump_efficiency_form form, double coefficient, double active)
{
    const double others = active > 1 ? active - 1 : 0;
    switch (form) {
    case CLUMP_EFFICIENCY_POWER:
        return pow(1 + others, -coefficient);
    case CLUMP_EFFICIENCY_EXPONENTIAL:
        return exp(-coefficient * others);
    case CLUMP_EFFICIENCY_INVERSE:
        break;
    }
    return 1 / (1 + coefficient * others);
}

/* What falls below what the solvers accept is held there: nothing is served any more. */
static double by_law(double active, void *context)
{
    const clump_efficiency_law *law = context;
    return fmax(clump_efficiency_at(law->form, law->coefficient, active), 1e-40);
}

clump_efficiency clump_efficiency_by_law(clump_efficiency_law *law)
{
    if (!(law->coefficient > 0))
        return (clump_efficiency){.table = NULL};
    return (clump_efficiency){.function = by_law, .context = law};
}
