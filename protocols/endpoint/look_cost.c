/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a look at the network costs here, for endpoints that are not told how often to look. */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

/** How many polls of shared memory a look at the network costs, while nothing can come yet: the
 * best of a few, for the system may take the processor away. */
static double measure(struct clump_endpoint *e)
{
    enum { TRIES = 8, POLLS = 64, LOOKS = 4 };
    uint64_t polls = UINT64_MAX, looks = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        clump_endpoint_isolate(e, true, false);
        const uint64_t began = clump_time_ns();
        for (int j = 0; j < POLLS; j++)
            clump_endpoint_accept(e, true, 1);
        const uint64_t middle = clump_time_ns();
        clump_endpoint_isolate(e, true, true);
        for (int j = 0; j < LOOKS; j++)
            clump_remote_poll_alone(e, true, 1);
        const uint64_t end = clump_time_ns();
        polls = middle - began < polls ? middle - began : polls;
        looks = end - middle < looks ? end - middle : looks;
    }
    return polls > 0 ? (double)looks / LOOKS * POLLS / (double)polls : 0;
}

clump_protocol_status clump_endpoint_fit_polling(struct clump_endpoint *e)
{
    e->looks.cost = measure(e);
    e->looks.count = 0;
    const clump_protocol_status status =
        clump_endpoint_set_polling(e, e->options.polling, e->options.polling_parameters);
    e->options.polling = NULL; /* the caller's memory */
    e->options.polling_parameters = NULL;
    return status;
}
