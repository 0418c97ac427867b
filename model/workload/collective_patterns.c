/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The patterns of collective_group.h. Within a pattern v is the member that visits, P the number of
 * members, and numbers are meant modulo P.
 */
#include "model/workload/collective_group.h"

/* ---- numbers */

static uint32_t floor_log2(uint32_t n)
{
    uint32_t log = 0;
    while (n >>= 1)
        log++;
    return log;
}

static uint32_t ceil_log2(uint32_t n)
{
    return n <= 1 ? 0 : floor_log2(n - 1) + 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* a + b modulo P; both below P. */
static uint32_t after(const collective_group *g, uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a + b) % g->count);
}

static uint32_t before(const collective_group *g, uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a + g->count - b) % g->count);
}

/* ---- messages */

static uint32_t rank_of(const collective_group *g, uint32_t number)
{
    const size_t place = g->first + (size_t)after(g, number, g->shift) * g->stride;
    return g->members != NULL ? g->members[place] : (uint32_t)place;
}

void collective_pass(const collective_group *g, uint32_t step, uint32_t from, uint32_t to,
                     uint64_t offset, uint64_t bytes, bool combines)
{
    if (g->walk->stopped != 0 || from == to || (from != g->me && to != g->me))
        return;
    const clump_collective_message m = {rank_of(g, from), rank_of(g, to), step,
                                        combines,         bytes,          offset};
    g->walk->stopped = g->walk->visitor(g->walk->context, &m);
}

/* Where block b of the vector begins, without its shift. */
static uint64_t begin_of(const collective_blocks *s, uint32_t b)
{
    const uint32_t count = s->of > 0 ? s->of : s->count;
    const uint32_t i = s->of > 0 ? s->first + b * s->unit : b;
    if (s->parts != NULL)
        return s->parts[i];
    const uint64_t rest = s->bytes % count;
    return s->begin + s->bytes / count * i + (i < rest ? i : rest);
}

/* Blocks [first, first + count), around the end, as collective_pass. */
static void pass_blocks(const collective_group *g, uint32_t step, uint32_t from, uint32_t to,
                        const collective_blocks *s, uint32_t first, uint32_t count, bool combines)
{
    const uint64_t begin = ((uint64_t)first + s->shift) % s->count, end = begin + count;
    uint64_t bytes;
    if (end <= s->count)
        bytes = begin_of(s, (uint32_t)end) - begin_of(s, (uint32_t)begin);
    else
        bytes = begin_of(s, s->count) - begin_of(s, (uint32_t)begin) +
                begin_of(s, (uint32_t)(end - s->count)) - begin_of(s, 0);
    collective_pass(g, step, from, to, begin_of(s, (uint32_t)begin), bytes, combines);
}

static void pass_vector(const collective_group *g, uint32_t step, uint32_t from, uint32_t to,
                        collective_vector v, bool combines)
{
    collective_pass(g, step, from, to, v.offset, v.bytes, combines);
}

/* ---- trees */

uint32_t collective_star(const collective_group *g, uint32_t step, bool up, collective_vector v)
{
    for (uint32_t i = g->me == 0 ? 1 : g->me; i < (g->me == 0 ? g->count : g->me + 1); i++)
        pass_vector(g, step, up ? i : 0, up ? 0 : i, v, up);
    return step + 1;
}

uint32_t collective_chain(const collective_group *g, uint32_t step, bool up, collective_vector v)
{
    const uint32_t P = g->count, me = g->me;
    if (up) {
        if (me + 1 < P)
            pass_vector(g, step + P - 2 - me, me + 1, me, v, true);
        if (me > 0)
            pass_vector(g, step + P - 1 - me, me, me - 1, v, true);
    } else {
        if (me > 0)
            pass_vector(g, step + me - 1, me - 1, me, v, false);
        if (me + 1 < P)
            pass_vector(g, step + me, me, me + 1, v, false);
    }
    return step + P - 1;
}

uint32_t collective_knomial(const collective_group *g, uint32_t step, bool up, uint32_t radix,
                            collective_vector v)
{
    uint32_t digits = 0, own = 0;
    uint64_t reach = 1, unit = 1;
    for (; reach < g->count; reach *= radix)
        digits++;
    /* the children of a number are those with another digit in place of its last zeros */
    for (; own < digits && g->me / unit % radix == 0; own++)
        unit *= radix;
    const uint32_t parent = (uint32_t)(g->me - g->me / unit % radix * unit);
    if (!up && own < digits)
        pass_vector(g, step + digits - 1 - own, parent, g->me, v, false);
    for (uint32_t k = 0; k < own; k++) {
        const uint32_t digit = up ? k : own - 1 - k;
        uint64_t distance = 1;
        for (uint32_t i = 0; i < digit; i++)
            distance *= radix;
        for (uint32_t i = 1; i < radix && g->me + i * distance < g->count; i++) {
            const uint32_t child = (uint32_t)(g->me + i * distance);
            pass_vector(g, step + (up ? digit : digits - 1 - digit), up ? child : g->me,
                        up ? g->me : child, v, up);
        }
    }
    if (up && own < digits)
        pass_vector(g, step + own, g->me, parent, v, true);
    return step + digits;
}

uint32_t collective_doubling_tree(const collective_group *g, uint32_t step, collective_vector v)
{
    const uint32_t steps = ceil_log2(g->count);
    uint32_t k = 0;
    if (g->me > 0) {
        k = floor_log2(g->me);
        pass_vector(g, step + k, g->me - (UINT32_C(1) << k), g->me, v, false);
        k++;
    }
    for (; k < steps && g->me + (UINT64_C(1) << k) < g->count; k++)
        pass_vector(g, step + k, g->me, g->me + (UINT32_C(1) << k), v, false);
    return step + steps;
}

uint32_t collective_binary(const collective_group *g, uint32_t step, bool up, collective_vector v)
{
    const uint32_t depth = floor_log2(g->count), level = floor_log2(g->me + 1);
    const uint32_t unit = UINT32_C(1) << level;
    uint32_t parent = g->me;
    while (level > 0 && parent >= unit - 1)
        parent -= unit / 2;
    if (!up && level > 0)
        pass_vector(g, step + level - 1, parent, g->me, v, false);
    for (uint64_t child = (uint64_t)g->me + unit, i = 0; i < 2 && child < g->count;
         i++, child += unit)
        pass_vector(g, step + (up ? depth - level - 1 : level), up ? (uint32_t)child : g->me,
                    up ? g->me : (uint32_t)child, v, up);
    if (up && level > 0)
        pass_vector(g, step + depth - level, g->me, parent, v, true);
    return step + depth;
}

/* ---- blocks from and to number 0 */

uint32_t collective_star_blocks(const collective_group *g, uint32_t step, bool up,
                                const collective_blocks *blocks)
{
    for (uint32_t i = g->me == 0 ? 1 : g->me; i < (g->me == 0 ? g->count : g->me + 1); i++)
        pass_blocks(g, step, up ? i : 0, up ? 0 : i, blocks, i, 1, false);
    return step + 1;
}

uint32_t collective_binomial_blocks(const collective_group *g, uint32_t step, bool up,
                                    const collective_blocks *blocks)
{
    const uint32_t P = g->count, steps = ceil_log2(P);
    uint32_t own = 0;
    while (own < steps && (g->me >> own & 1) == 0)
        own++;
    const uint32_t low = own < steps ? UINT32_C(1) << own : 0, size = smaller(low, P - g->me);
    if (!up && low > 0)
        pass_blocks(g, step + steps - 1 - own, g->me - low, g->me, blocks, g->me, size, false);
    for (uint32_t k = 0; k < own; k++) {
        const uint32_t bit = up ? k : own - 1 - k;
        const uint64_t other = g->me + (UINT64_C(1) << bit);
        if (other < P)
            pass_blocks(g, step + (up ? bit : steps - 1 - bit), up ? (uint32_t)other : g->me,
                        up ? g->me : (uint32_t)other, blocks, (uint32_t)other,
                        smaller(UINT32_C(1) << bit, P - (uint32_t)other), false);
    }
    if (up && low > 0)
        pass_blocks(g, step + own, g->me, g->me - low, blocks, g->me, size, false);
    return step + steps;
}

/* ---- powers of two: of the first 2 * extra numbers every second one takes part for its neighbour */

typedef struct fold {
    uint32_t count; /* that take part: a power of two */
    uint32_t extra;
    uint32_t odd; /* of two neighbours the second takes part */
} fold;

static fold fold_of(uint32_t count, bool odd)
{
    const uint32_t power = UINT32_C(1) << floor_log2(count);
    return (fold){power, count - power, odd};
}

static bool takes_part(const fold *f, uint32_t v)
{
    return v >= 2 * f->extra || v % 2 == f->odd;
}

static uint32_t folded(const fold *f, uint32_t v)
{
    return v < 2 * f->extra ? v / 2 : v - f->extra;
}

static uint32_t unfolded(const fold *f, uint32_t p)
{
    return p < f->extra ? 2 * p + f->odd : p + f->extra;
}

uint32_t collective_doubling(const collective_group *g, uint32_t step, collective_vector v)
{
    const fold f = fold_of(g->count, true);
    const uint32_t steps = floor_log2(f.count), last = step + (f.extra > 0) + steps;
    const uint32_t even = g->me & ~UINT32_C(1);
    if (g->me < 2 * f.extra)
        pass_vector(g, step, even, even + 1, v, true);
    for (uint32_t k = 0; k < steps && takes_part(&f, g->me); k++) {
        const uint32_t other = unfolded(&f, folded(&f, g->me) ^ UINT32_C(1) << k);
        pass_vector(g, step + (f.extra > 0) + k, g->me, other, v, true);
        pass_vector(g, step + (f.extra > 0) + k, other, g->me, v, true);
    }
    if (g->me < 2 * f.extra)
        pass_vector(g, last, even + 1, even, v, false);
    return last + (f.extra > 0);
}

uint32_t collective_halving(const collective_group *g, uint32_t step,
                            const collective_blocks *blocks)
{
    const fold f = fold_of(g->count, true);
    const uint32_t steps = floor_log2(f.count), last = step + (f.extra > 0) + steps;
    const uint32_t even = g->me & ~UINT32_C(1);
    if (g->me < 2 * f.extra)
        pass_blocks(g, step, even, even + 1, blocks, 0, g->count, true);
    uint32_t first = 0; /* of those that take part: whose blocks are left */
    for (uint32_t k = 0; k < steps && takes_part(&f, g->me); k++) {
        const uint32_t half = f.count >> (k + 1), p = folded(&f, g->me);
        const uint32_t other = unfolded(&f, p ^ half);
        /* those of number p and the neighbour it stands for lie together */
        uint32_t bound[3];
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t q = first + i * half;
            bound[i] = q < f.extra ? 2 * q : q + f.extra;
        }
        const bool upper = (p & half) != 0;
        pass_blocks(g, step + (f.extra > 0) + k, g->me, other, blocks, bound[!upper],
                    bound[1 + !upper] - bound[!upper], true);
        pass_blocks(g, step + (f.extra > 0) + k, other, g->me, blocks, bound[upper],
                    bound[1 + upper] - bound[upper], true);
        first += upper ? half : 0;
    }
    if (g->me < 2 * f.extra)
        pass_blocks(g, last, even + 1, even, blocks, even, 1, false);
    return last + (f.extra > 0);
}

/* Neighbours that are too many share the vector: each combines one half, and the even one gets both. */
static uint32_t share_halves(const collective_group *g, uint32_t step, const fold *f,
                             collective_vector v)
{
    const uint32_t even = g->me & ~UINT32_C(1);
    const uint64_t left = v.bytes / 2;
    if (g->me < 2 * f->extra) {
        collective_pass(g, step, even, even + 1, v.offset + left, v.bytes - left, true);
        collective_pass(g, step, even + 1, even, v.offset, left, true);
        collective_pass(g, step + 1, even + 1, even, v.offset + left, v.bytes - left, false);
    }
    return f->extra > 0 ? step + 2 : step;
}

uint32_t collective_rabenseifner(const collective_group *g, uint32_t step, collective_vector v,
                                 bool to_root)
{
    const fold f = fold_of(g->count, false);
    const uint32_t steps = floor_log2(f.count), p = folded(&f, g->me);
    const collective_blocks blocks = collective_blocks_of(v.offset, v.bytes, f.count);
    const bool takes = takes_part(&f, g->me);
    uint32_t first = 0, size = f.count; /* the blocks that are left */
    step = share_halves(g, step, &f, v);
    for (uint32_t k = 0; k < steps && takes; k++) {
        const uint32_t other = unfolded(&f, p ^ UINT32_C(1) << k);
        const bool upper = (p >> k & 1) != 0;
        size /= 2;
        pass_blocks(g, step + k, g->me, other, &blocks, first + (upper ? 0 : size), size, true);
        pass_blocks(g, step + k, other, g->me, &blocks, first + (upper ? size : 0), size, true);
        first += upper ? size : 0;
    }
    step += steps;
    for (uint32_t k = steps; k-- > 0 && takes; size *= 2) {
        const uint32_t at = step + steps - 1 - k, other = unfolded(&f, p ^ UINT32_C(1) << k);
        const bool upper = (p >> k & 1) != 0;
        if (!to_root || upper)
            pass_blocks(g, at, g->me, other, &blocks, first, size, false);
        if (!to_root || !upper)
            pass_blocks(g, at, other, g->me, &blocks, upper ? first - size : first + size, size,
                        false);
        if (to_root && upper)
            break;
        first -= upper ? size : 0;
    }
    step += steps;
    if (to_root)
        return step;
    if (g->me < 2 * f.extra)
        pass_vector(g, step, g->me & ~UINT32_C(1), g->me | 1, v, false);
    return step + (f.extra > 0);
}

/* ---- among all */

uint32_t collective_dissemination(const collective_group *g, uint32_t step)
{
    for (uint64_t distance = 1; distance < g->count; distance *= 2, step++) {
        collective_pass(g, step, g->me, after(g, g->me, (uint32_t)distance), 0, 0, true);
        collective_pass(g, step, before(g, g->me, (uint32_t)distance), g->me, 0, 0, true);
    }
    return step;
}

uint32_t collective_ring_reduce(const collective_group *g, uint32_t step,
                                const collective_blocks *blocks)
{
    const uint32_t next = after(g, g->me, 1 % g->count), last = before(g, g->me, 1 % g->count);
    uint32_t block = last; /* that goes next */
    for (uint32_t k = 1; k < g->count; k++, step++) {
        const uint32_t comes = before(g, block, 1);
        pass_blocks(g, step, g->me, next, blocks, block, 1, true);
        pass_blocks(g, step, last, g->me, blocks, comes, 1, true);
        block = comes;
    }
    return step;
}

uint32_t collective_ring_gather(const collective_group *g, uint32_t step,
                                const collective_blocks *blocks, uint32_t ahead)
{
    const uint32_t next = after(g, g->me, 1 % g->count), last = before(g, g->me, 1 % g->count);
    uint32_t block = after(g, g->me, ahead);
    for (uint32_t k = 1; k < g->count; k++, step++) {
        const uint32_t comes = before(g, block, 1);
        pass_blocks(g, step, g->me, next, blocks, block, 1, false);
        pass_blocks(g, step, last, g->me, blocks, comes, 1, false);
        block = comes;
    }
    return step;
}

uint32_t collective_bruck_gather(const collective_group *g, uint32_t step,
                                 const collective_blocks *blocks)
{
    for (uint64_t d = 1; d < g->count; d *= 2, step++) {
        const uint32_t distance = (uint32_t)d, size = smaller(distance, g->count - distance);
        const uint32_t source = after(g, g->me, distance);
        pass_blocks(g, step, g->me, before(g, g->me, distance), blocks, g->me, size, false);
        pass_blocks(g, step, source, g->me, blocks, source, size, false);
    }
    return step;
}

uint32_t collective_doubling_gather(const collective_group *g, uint32_t step,
                                    const collective_blocks *blocks)
{
    for (uint32_t size = 1; size < g->count; size *= 2, step++) {
        const uint32_t own = g->me & ~(size - 1), other = g->me ^ size;
        pass_blocks(g, step, g->me, other, blocks, own, size, false);
        pass_blocks(g, step, other, g->me, blocks, own ^ size, size, false);
    }
    return step;
}

/* Two neighbours make a pair, which gets both blocks of another pair in each step but the first: the
 * even number from the left, the odd one from the right, and then they tell each other. */
uint32_t collective_neighbour_gather(const collective_group *g, uint32_t step,
                                     const collective_blocks *blocks)
{
    const uint32_t pairs = g->count / 2, pair = g->me / 2;
    const bool odd = g->me % 2 == 1;
    uint32_t had = pair; /* the pair whose blocks came last */
    pass_blocks(g, step, g->me, g->me ^ 1, blocks, g->me, 1, false);
    pass_blocks(g, step, g->me ^ 1, g->me, blocks, g->me ^ 1, 1, false);
    for (uint32_t k = 1; k < pairs; k++) {
        const bool outwards = k % 2 == 1, to_right = outwards == odd;
        const uint32_t other = to_right ? after(g, g->me, 1) : before(g, g->me, 1);
        const uint32_t distance = (k + 1) / 2;
        const uint32_t comes =
            (to_right ? pair + distance : pair + pairs - distance) % pairs; /* distance < pairs */
        pass_blocks(g, step + k, g->me, other, blocks, 2 * had, 2, false);
        pass_blocks(g, step + k, other, g->me, blocks, 2 * comes, 2, false);
        had = comes;
    }
    return step + pairs;
}

uint32_t collective_direct_gather(const collective_group *g, uint32_t step,
                                  const collective_blocks *blocks)
{
    for (uint32_t k = 1; k < g->count; k++) {
        const uint32_t source = before(g, g->me, k);
        pass_blocks(g, step, g->me, after(g, g->me, k), blocks, g->me, 1, false);
        pass_blocks(g, step, source, g->me, blocks, source, 1, false);
    }
    return step + 1;
}

uint32_t collective_pairwise_reduce(const collective_group *g, uint32_t step,
                                    const collective_blocks *blocks)
{
    for (uint32_t k = 1; k < g->count; k++, step++) {
        const uint32_t target = after(g, g->me, k);
        pass_blocks(g, step, g->me, target, blocks, target, 1, true);
        pass_blocks(g, step, before(g, g->me, k), g->me, blocks, g->me, 1, true);
    }
    return step;
}
