/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_inputs.h"

#include <math.h>

static bool move(double *value, double half_width, int direction)
{
    if (!(half_width > 0) || !(*value + direction * half_width >= 0))
        return false;
    *value += direction * half_width;
    return true;
}

/* Of L beyond what its overheads explain. */
static double own_half_width(const clump_loggp *half)
{
    const double overheads[] = {half->send_overhead_us, half->receive_overhead_us};
    double square = half->latency_us * half->latency_us;
    for (size_t i = 0; i < 2; i++)
        square -= overheads[i] > 0 ? overheads[i] * overheads[i] : 0;
    return sqrt(fmax(square, 0)); /* not known: 0 */
}

static bool move_loggp(clump_loggp *p, const clump_loggp *half, size_t which, int direction)
{
    const clump_loggp before = *p;
    switch (which) {
    case 0: /* it may be below 0 */
        p->latency_us += direction * own_half_width(half);
        return p->latency_us > before.latency_us || p->latency_us < before.latency_us;
    case 1:
        if (!move(&p->send_overhead_us, half->send_overhead_us, direction))
            return false;
        p->latency_us -= p->send_overhead_us - before.send_overhead_us;
        return true;
    case 2:
        if (!move(&p->receive_overhead_us, half->receive_overhead_us, direction))
            return false;
        p->latency_us -= p->receive_overhead_us - before.receive_overhead_us;
        return true;
    case 3:
        return move(&p->gap_us, half->gap_us, direction);
    default:
        return move(&p->gap_us_per_byte, half->gap_us_per_byte, direction);
    }
}

/* Bytes go with the number of messages, and with their mean size. */
static bool move_traffic(clump_traffic *t, const clump_traffic *half, size_t which, int direction)
{
    const double messages = t->bulk_messages;
    switch (which) {
    case 0:
        return move(&t->short_messages, half->short_messages, direction);
    case 1:
        if (!(messages > 0) || !move(&t->bulk_messages, half->bulk_messages, direction))
            return false;
        t->bulk_bytes *= t->bulk_messages / messages;
        return true;
    default:
        return move(&t->bulk_bytes, half->bulk_bytes, direction);
    }
}

bool validation_shift_input(validation_facts *f, size_t input, int direction)
{
    enum { L = CLUMP_LOGGP_QUANTITIES };
    const validation_half_widths *half = &f->inexact;
    if (input == 0)
        return move(&f->now_time, f->now_half_width, direction);
    if (input == 1)
        return move(&f->computation.time, half->computation, direction);
    const size_t k = input - 2;
    if (k < L)
        return move_loggp(&f->network, &half->network, k, direction);
    if (k < 2 * L)
        return f->other_network &&
               move_loggp(&f->now_network, &half->now_network, k - L, direction);
    if (k < 3 * L)
        return move_loggp(&f->shared_memory, &half->shared_memory, k - 2 * L, direction);
    if (k < 4 * L)
        return move_loggp(&f->computation.shared_memory, &half->computed_with, k - 3 * L,
                          direction);
    return k < 4 * L + 3 ? move_traffic(&f->remote, &half->remote, k - 4 * L, direction)
                         : move_traffic(&f->local, &half->local, k - 4 * L - 3, direction);
}
