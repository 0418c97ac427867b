/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/gradients.h"

#include <math.h>

double clump_gradients_time(double bytes, double processes, double bandwidth)
{
    return 2 * (processes - 1) / processes * bytes / bandwidth;
}

clump_gradients_step clump_gradients_measured(double step, double exchange, double hidden,
                                              double longer)
{
    const double exposed = fmin(fmin((1 - hidden) * exchange, longer), step);
    return (clump_gradients_step){step - exposed, exposed,
                                  exchange > 0 ? 1 - exposed / exchange : 1};
}

double clump_gradients_predict(const clump_gradients_step *step, double exchange)
{
    return step->alone + fmax((1 - step->hidden) * exchange, exchange - step->alone);
}
