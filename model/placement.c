/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/placement.h"

#include <math.h>

static double or_one(double fraction)
{
    return fraction > 0 ? fraction : 1;
}

static size_t ports_of(const clump_slots *slots)
{
    return slots->ports > 0 ? slots->ports : 1;
}

static double bandwidth_of(const clump_slots *slots)
{
    return slots->bandwidth > 0 ? slots->bandwidth : (double)ports_of(slots);
}

clump_status model_slots_check(const clump_slots *slots, clump_error *error)
{
    const double most = (double)ports_of(slots);
    if (slots->bandwidth != 0 && !(slots->bandwidth >= 1e-6 && slots->bandwidth <= most))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "slot bandwidth: %g NICs, expected 1e-6 to the %g ports of a slot",
                          slots->bandwidth, most);
    return CLUMP_OK;
}

clump_status clump_placement_check(const clump_placement *placement, clump_error *error)
{
    if (placement->domains > CLUMP_MOST_DOMAINS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "domains: %zu, expected at most %zu",
                          placement->domains, CLUMP_MOST_DOMAINS);
    const double fractions[] = {placement->near, placement->far};
    static const char *const names[] = {"near", "far"};
    for (size_t i = 0; i < 2; i++)
        if (fractions[i] != 0 && !(fractions[i] >= 1e-6 && fractions[i] <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: %g, expected a fraction of a NIC's speed, 1e-6 to 1", names[i],
                              fractions[i]);
    return model_slots_check(&placement->slots, error);
}

/* The slot with room for `ports` has `used` in use. */
static double slot_rate(const clump_slots *slots, double used)
{
    return fmin(used, bandwidth_of(slots));
}

static double packed_capacity(const clump_slots *slots, double in_use)
{
    const double ports = (double)ports_of(slots), full = floor(in_use / ports);
    return full * slot_rate(slots, ports) + slot_rate(slots, in_use - full * ports);
}

/* One NIC of every slot, then a second one of every slot that has one, and so on. */
static double spread_capacity(const clump_slots *slots, double nics, double in_use)
{
    const double ports = (double)ports_of(slots), full = floor(nics / ports);
    const double rest = nics - full * ports;
    double sum = 0, left = in_use;
    for (double level = 1; level <= ports && left > 0; level++) {
        const double there = fmin(left, full + (rest >= level));
        sum += there * (slot_rate(slots, level) - slot_rate(slots, level - 1));
        left -= there;
    }
    return sum;
}

double clump_slots_capacity(const clump_slots *slots, double nics, double in_use)
{
    if (ports_of(slots) == 1)
        return in_use * slot_rate(slots, 1);
    if (!slots->packed)
        return spread_capacity(slots, nics, in_use);
    const double below = floor(in_use), part = in_use - below;
    const double low = packed_capacity(slots, below);
    return part == 0 ? low : low + part * (packed_capacity(slots, below + 1) - low);
}

double model_slots_share(const clump_slots *slots, size_t in_use)
{
    return in_use > 0 ? slot_rate(slots, (double)in_use) / (double)in_use : 1;
}

size_t clump_placement_domain(const clump_placement *placement, size_t index, size_t count)
{
    const size_t domains = placement->domains > 0 ? placement->domains : 1;
    return (size_t)((double)index * (double)domains / (double)count);
}

double clump_placement_link(const clump_placement *placement, size_t processor_domain,
                            size_t nic_domain)
{
    return or_one(processor_domain == nic_domain ? placement->near : placement->far);
}

double model_placement_speed(const clump_placement *placement, size_t processor_domain, size_t nics)
{
    const double near = or_one(placement->near), far = or_one(placement->far);
    if (near == far || placement->domains <= 1)
        return near;
    /* Counted, not added up: domains with as many NICs are to see the same double. The ports of the last
     * slot have shares of their own if it is not full. */
    const size_t D = placement->domains, ports = ports_of(&placement->slots),
                 first = (processor_domain * nics + D - 1) / D,
                 end = ((processor_domain + 1) * nics + D - 1) / D, rest = nics % ports,
                 full = nics - rest,
                 own_rest = end > full ? end - (first > full ? first : full) : 0;
    const double share = model_slots_share(&placement->slots, ports),
                 last = rest > 0 ? model_slots_share(&placement->slots, rest) : 0,
                 here = (double)(end - first - own_rest) * share + (double)own_rest * last,
                 elsewhere = (double)(full - (end - first - own_rest)) * share +
                             (double)(rest - own_rest) * last;
    return (here * near + elsewhere * far) / (here + elsewhere);
}
