/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/emulation/emulation_plan.h"

#include <math.h>

struct clump_emulation_nics clump_emulation_nics_of(const clump_emulation_plan *plan, unsigned p)
{
    if (!plan->is_static)
        return (struct clump_emulation_nics){0, plan->nics};
    /* The first `larger` NICs have one processor more. */
    const unsigned group = plan->processors / plan->nics, larger = plan->processors % plan->nics;
    const unsigned in_larger = larger * (group + 1);
    const unsigned nic = p < in_larger ? p / (group + 1) : larger + (p - in_larger) / group;
    return (struct clump_emulation_nics){nic, 1};
}

uint64_t clump_emulation_share(double message_us, double bytes_per_us, unsigned count,
                               unsigned index)
{
    const uint64_t bytes = (uint64_t)llround(message_us * bytes_per_us);
    return bytes / count + (index < bytes % count);
}

uint64_t clump_emulation_credit(const clump_emulation_plan *plan, int64_t idle_ns)
{
    const double bytes = (double)idle_ns / 1000 * plan->bytes_per_us;
    return bytes <= 0 ? 0 : bytes >= plan->burst ? plan->burst : (uint64_t)bytes;
}

unsigned clump_emulation_packet(uint64_t left, unsigned full)
{
    if (left <= CLUMP_EMULATION_LEAST_PACKET)
        return CLUMP_EMULATION_LEAST_PACKET;
    if (left <= full)
        return (unsigned)left;
    /* What stays for the last packet must not be below the least one. */
    return left - full >= CLUMP_EMULATION_LEAST_PACKET ? full : full - CLUMP_EMULATION_LEAST_PACKET;
}
