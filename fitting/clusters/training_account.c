/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step of training in parallel (model/workload/gradients.h), whose overlap a run on one node tells. */
#include "fitting/clusters/nic_exchange.h"
#include "model/workload/gradients.h"

#include <math.h>
#include <string.h>

static double gradient_bytes(const clump_program_run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->count; i++) {
        const clump_cluster_sample *s = &run->samples[i];
        if (strcmp(s->quantity, "reduction_count") == 0 && s->size_bytes > 0 && !s->doubtful &&
            (run->only == 0 || s->processes == run->only))
            sum += s->value * (double)s->size_bytes;
    }
    return sum;
}

clump_program_outcome clump_training_predict(const clump_program_account *account,
                                             const clump_nic_change *nics)
{
    const clump_program_run *run = account->run, *alone = account->alone;
    const double bytes = gradient_bytes(run), before = nics->described[0];
    const double nodes = (double)run->nodes, processes = run->processes;
    clump_program_outcome outcome = {0};
    if (!(bytes > 0))
        outcome.problem =
            "how many bytes a step adds up is not known, expected reduction_count of the "
            "run, with a size";
    else if (!(before > 0) || !(nics->described[1] > 0))
        outcome.problem =
            "the rate of NICs is not known, expected nic_bandwidth of both platforms, "
            "and how many they have";
    if (outcome.problem != NULL)
        return outcome;
    double exposed_s = clump_gradients_time(bytes, processes, before) * 1e-6;
    outcome.communication_s = clump_gradients_time(bytes, nodes, before) * 1e-6;
    /* What a step takes longer than on one node bounds what is not hidden. */
    const double longer_s = alone != NULL ? fmax(0, run->time_s - alone->time_s) : INFINITY;
    outcome.note = alone == NULL          ? "taken not to overlap: a run on one node would tell"
                   : longer_s == 0        ? "all of it overlaps"
                   : longer_s < exposed_s ? "some of it overlaps"
                                          : "none of it overlaps";
    exposed_s = fmin(exposed_s, longer_s);
    outcome.change_s = exposed_s * (before / nics->described[1] - 1);
    return outcome;
}
