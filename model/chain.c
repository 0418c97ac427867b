/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/chain.h"

#include <stdlib.h>

clump_status model_chain_prepare(model_chain *chain, size_t processors, double utilization,
                                 const clump_station *station, clump_error *error)
{
    const clump_status status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    *chain = (model_chain){processors, 1 - utilization, utilization,
                           malloc((processors + 1) * sizeof *chain->rate)};
    if (chain->rate == NULL)
        return clump_fail_memory(error, "the transient");
    for (size_t q = 0; q <= processors; q++)
        chain->rate[q] = clump_station_rate(station, q);
    return CLUMP_OK;
}
