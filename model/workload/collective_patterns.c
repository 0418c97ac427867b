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
                        const collective_content *c, bool combines)
{
    collective_pass(g, step, from, to, c->offset, c->bytes, combines);
}

/* ---- trees */

/* What is for numbers [first, first + count), or the whole vector, which reductions combine on the way up. */
static void pass_down_or_up(const collective_group *g, uint32_t step, uint32_t parent,
                            uint32_t child, const collective_content *c, uint32_t count)
{
    const uint32_t from = c->up ? child : parent, to = c->up ? parent : child;
    if (c->pattern == PATTERN_STAR_PARTS || c->pattern == PATTERN_BINOMIAL_PARTS)
        pass_blocks(g, step, from, to, &c->blocks, child, smaller(count, g->count - child), false);
    else
        pass_vector(g, step, from, to, c, c->up);
}

static uint32_t star(const collective_group *g, uint32_t step, const collective_content *c)
{
    for (uint32_t i = g->me == 0 ? 1 : g->me; i < (g->me == 0 ? g->count : g->me + 1); i++)
        pass_down_or_up(g, step, 0, i, c, 1);
    return step + 1;
}

static uint32_t chain(const collective_group *g, uint32_t step, const collective_content *c)
{
    const uint32_t P = g->count, me = g->me;
    const bool up = c->up;
    for (uint32_t i = 0; i < 2; i++) { /* first what comes */
        const uint32_t child = (i == 0) == up ? me + 1 : me;
        if (child > 0 && child < P)
            pass_down_or_up(g, step + (up ? P - 1 - child : child - 1), child - 1, child, c, 1);
    }
    return step + P - 1;
}

static uint32_t tree(const collective_group *g, uint32_t step, const collective_content *c)
{
    const uint32_t radix = c->pattern == PATTERN_KNOMIAL ? 4 : 2;
    uint32_t digits = 0, own = 0;
    uint64_t reach = 1, unit = 1;
    for (; reach < g->count; reach *= radix)
        digits++;
    /* the children of a number are those with another digit in place of its last zeros */
    for (; own < digits && g->me / unit % radix == 0; own++)
        unit *= radix;
    const uint32_t parent = (uint32_t)(g->me - g->me / unit % radix * unit);
    if (!c->up && own < digits)
        pass_down_or_up(g, step + digits - 1 - own, parent, g->me, c, (uint32_t)unit);
    for (uint32_t k = 0; k < own; k++) {
        const uint32_t digit = c->up ? k : own - 1 - k;
        uint64_t distance = 1;
        for (uint32_t i = 0; i < digit; i++)
            distance *= radix;
        for (uint32_t i = 1; i < radix && g->me + i * distance < g->count; i++)
            pass_down_or_up(g, step + (c->up ? digit : digits - 1 - digit), g->me,
                            (uint32_t)(g->me + i * distance), c, (uint32_t)distance);
    }
    if (c->up && own < digits)
        pass_down_or_up(g, step + own, parent, g->me, c, (uint32_t)unit);
    return step + digits;
}

static uint32_t doubling_tree(const collective_group *g, uint32_t step, const collective_content *c)
{
    const uint32_t steps = ceil_log2(g->count);
    uint32_t k = 0;
    if (g->me > 0) {
        k = floor_log2(g->me);
        pass_vector(g, step + k, g->me - (UINT32_C(1) << k), g->me, c, false);
        k++;
    }
    for (; k < steps && g->me + (UINT64_C(1) << k) < g->count; k++)
        pass_vector(g, step + k, g->me, g->me + (UINT32_C(1) << k), c, false);
    return step + steps;
}

static uint32_t binary(const collective_group *g, uint32_t step, const collective_content *c)
{
    const uint32_t depth = floor_log2(g->count), level = floor_log2(g->me + 1);
    const uint32_t unit = UINT32_C(1) << level, above = c->up ? depth - level : level - 1;
    uint32_t parent = g->me;
    while (level > 0 && parent >= unit - 1)
        parent -= unit / 2;
    if (!c->up && level > 0)
        pass_down_or_up(g, step + above, parent, g->me, c, 1);
    for (uint64_t child = (uint64_t)g->me + unit, i = 0; i < 2 && child < g->count;
         i++, child += unit)
        pass_down_or_up(g, step + (c->up ? depth - level - 1 : level), g->me, (uint32_t)child, c,
                        1);
    if (c->up && level > 0)
        pass_down_or_up(g, step + above, parent, g->me, c, 1);
    return step + depth;
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

static uint32_t doubling(const collective_group *g, uint32_t step, const collective_content *c)
{
    const fold f = fold_of(g->count, true);
    const uint32_t steps = floor_log2(f.count), last = step + (f.extra > 0) + steps;
    const uint32_t even = g->me & ~UINT32_C(1);
    if (g->me < 2 * f.extra)
        pass_vector(g, step, even, even + 1, c, true);
    for (uint32_t k = 0; k < steps && takes_part(&f, g->me); k++) {
        const uint32_t other = unfolded(&f, folded(&f, g->me) ^ UINT32_C(1) << k);
        pass_vector(g, step + (f.extra > 0) + k, g->me, other, c, true);
        pass_vector(g, step + (f.extra > 0) + k, other, g->me, c, true);
    }
    if (g->me < 2 * f.extra)
        pass_vector(g, last, even + 1, even, c, false);
    return last + (f.extra > 0);
}

static uint32_t halving(const collective_group *g, uint32_t step, const collective_content *c)
{
    const fold f = fold_of(g->count, true);
    const uint32_t steps = floor_log2(f.count), last = step + (f.extra > 0) + steps;
    const uint32_t even = g->me & ~UINT32_C(1);
    if (g->me < 2 * f.extra)
        pass_blocks(g, step, even, even + 1, &c->blocks, 0, g->count, true);
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
        pass_blocks(g, step + (f.extra > 0) + k, g->me, other, &c->blocks, bound[!upper],
                    bound[1 + !upper] - bound[!upper], true);
        pass_blocks(g, step + (f.extra > 0) + k, other, g->me, &c->blocks, bound[upper],
                    bound[1 + upper] - bound[upper], true);
        first += upper ? half : 0;
    }
    if (g->me < 2 * f.extra)
        pass_blocks(g, last, even + 1, even, &c->blocks, even, 1, false);
    return last + (f.extra > 0);
}

/* Neighbours that are too many share the vector: each combines one half, and the even one gets both. */
static uint32_t share_halves(const collective_group *g, uint32_t step, const fold *f,
                             const collective_content *c)
{
    const uint32_t even = g->me & ~UINT32_C(1);
    const uint64_t left = c->bytes / 2;
    if (g->me < 2 * f->extra) {
        collective_pass(g, step, even, even + 1, c->offset + left, c->bytes - left, true);
        collective_pass(g, step, even + 1, even, c->offset, left, true);
        collective_pass(g, step + 1, even + 1, even, c->offset + left, c->bytes - left, false);
    }
    return f->extra > 0 ? step + 2 : step;
}

static uint32_t rabenseifner(const collective_group *g, uint32_t step, const collective_content *c)
{
    const bool to_root = c->pattern == PATTERN_RABENSEIFNER_TO_ROOT;
    const fold f = fold_of(g->count, false);
    const uint32_t steps = floor_log2(f.count), p = folded(&f, g->me);
    const collective_blocks blocks = collective_blocks_of(c->offset, c->bytes, f.count);
    const bool takes = takes_part(&f, g->me);
    uint32_t first = 0, size = f.count; /* the blocks that are left */
    step = share_halves(g, step, &f, c);
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
        pass_vector(g, step, g->me & ~UINT32_C(1), g->me | 1, c, false);
    return step + (f.extra > 0);
}

/* ---- among all */

static uint32_t dissemination(const collective_group *g, uint32_t step, const collective_content *c)
{
    (void)c;
    for (uint64_t distance = 1; distance < g->count; distance *= 2, step++) {
        collective_pass(g, step, g->me, after(g, g->me, (uint32_t)distance), 0, 0, true);
        collective_pass(g, step, before(g, g->me, (uint32_t)distance), g->me, 0, 0, true);
    }
    return step;
}

static uint32_t ring(const collective_group *g, uint32_t step, const collective_content *c)
{
    const uint32_t next = after(g, g->me, 1 % g->count), last = before(g, g->me, 1 % g->count);
    const bool reduces = c->pattern == PATTERN_REDUCE_RING;
    uint32_t block = reduces ? last : g->me; /* that goes next */
    for (uint32_t k = 1; k < g->count; k++, step++) {
        const uint32_t comes = before(g, block, 1);
        pass_blocks(g, step, g->me, next, &c->blocks, block, 1, reduces);
        pass_blocks(g, step, last, g->me, &c->blocks, comes, 1, reduces);
        block = comes;
    }
    return step;
}

static uint32_t gather_bruck(const collective_group *g, uint32_t step, const collective_content *c)
{
    for (uint64_t d = 1; d < g->count; d *= 2, step++) {
        const uint32_t distance = (uint32_t)d, size = smaller(distance, g->count - distance);
        const uint32_t source = after(g, g->me, distance);
        pass_blocks(g, step, g->me, before(g, g->me, distance), &c->blocks, g->me, size, false);
        pass_blocks(g, step, source, g->me, &c->blocks, source, size, false);
    }
    return step;
}

static uint32_t gather_doubling(const collective_group *g, uint32_t step,
                                const collective_content *c)
{
    for (uint32_t size = 1; size < g->count; size *= 2, step++) {
        const uint32_t own = g->me & ~(size - 1), other = g->me ^ size;
        pass_blocks(g, step, g->me, other, &c->blocks, own, size, false);
        pass_blocks(g, step, other, g->me, &c->blocks, own ^ size, size, false);
    }
    return step;
}

/* Two neighbours make a pair, which gets both blocks of another pair in each step but the first: the
 * even number from the left, the odd one from the right, and then they tell each other. */
static uint32_t gather_neighbours(const collective_group *g, uint32_t step,
                                  const collective_content *c)
{
    const uint32_t pairs = g->count / 2, pair = g->me / 2;
    const bool odd = g->me % 2 == 1;
    uint32_t had = pair; /* the pair whose blocks came last */
    pass_blocks(g, step, g->me, g->me ^ 1, &c->blocks, g->me, 1, false);
    pass_blocks(g, step, g->me ^ 1, g->me, &c->blocks, g->me ^ 1, 1, false);
    for (uint32_t k = 1; k < pairs; k++) {
        const bool outwards = k % 2 == 1, to_right = outwards == odd;
        const uint32_t other = to_right ? after(g, g->me, 1) : before(g, g->me, 1);
        const uint32_t distance = (k + 1) / 2;
        const uint32_t comes =
            (to_right ? pair + distance : pair + pairs - distance) % pairs; /* distance < pairs */
        pass_blocks(g, step + k, g->me, other, &c->blocks, 2 * had, 2, false);
        pass_blocks(g, step + k, other, g->me, &c->blocks, 2 * comes, 2, false);
        had = comes;
    }
    return step + pairs;
}

static uint32_t gather_direct(const collective_group *g, uint32_t step, const collective_content *c)
{
    for (uint32_t k = 1; k < g->count; k++) {
        const uint32_t source = before(g, g->me, k);
        pass_blocks(g, step, g->me, after(g, g->me, k), &c->blocks, g->me, 1, false);
        pass_blocks(g, step, source, g->me, &c->blocks, source, 1, false);
    }
    return step + 1;
}

static uint32_t reduce_pairwise(const collective_group *g, uint32_t step,
                                const collective_content *c)
{
    for (uint32_t k = 1; k < g->count; k++, step++) {
        const uint32_t target = after(g, g->me, k);
        pass_blocks(g, step, g->me, target, &c->blocks, target, 1, true);
        pass_blocks(g, step, before(g, g->me, k), g->me, &c->blocks, g->me, 1, true);
    }
    return step;
}

/* ---- alltoall: no vector to be split */

/* How many numbers below `count` have bit k set. */
static uint64_t with_bit(uint32_t count, uint32_t k)
{
    const uint64_t unit = UINT64_C(1) << k, rest = count % (2 * unit);
    return count / (2 * unit) * unit + (rest > unit ? rest - unit : 0);
}

static uint64_t to_each(const clump_collective_operation *o, uint32_t rank)
{
    return o->parts != NULL ? o->parts[rank + 1] - o->parts[rank] : o->bytes;
}

/* In step k to number + k; or all at once. */
static uint32_t all_shifted(const collective_group *g, uint32_t step, const collective_content *c)
{
    const bool at_once = c->pattern == PATTERN_ALL_DIRECT;
    for (uint32_t k = 1; k < g->count; k++) {
        const uint32_t at = at_once ? step : step + k - 1, from = before(g, g->me, k);
        collective_pass(g, at, g->me, after(g, g->me, k), 0, to_each(c->operation, g->me), false);
        collective_pass(g, at, from, g->me, 0, to_each(c->operation, from), false);
    }
    return at_once ? step + 1 : step + g->count - 1;
}

static uint32_t all_bruck(const collective_group *g, uint32_t step, const collective_content *c)
{
    for (uint32_t k = 0; UINT64_C(1) << k < g->count; k++, step++) {
        const uint32_t distance = UINT32_C(1) << k;
        const uint64_t bytes = with_bit(g->count, k) * c->operation->bytes;
        collective_pass(g, step, g->me, after(g, g->me, distance), 0, bytes, false);
        collective_pass(g, step, before(g, g->me, distance), g->me, 0, bytes, false);
    }
    return step;
}

/* ---- scans: what a rank has of the ranks up to it; by doubling also of all of its 2^k neighbours */

static uint32_t scan_chain(const collective_group *g, uint32_t step, const collective_content *c)
{
    if (g->me > 0)
        pass_vector(g, step + g->me - 1, g->me - 1, g->me, c, true);
    if (g->me + 1 < g->count)
        pass_vector(g, step + g->me, g->me, g->me + 1, c, true);
    return step + g->count - 1;
}

static uint32_t scan_doubling(const collective_group *g, uint32_t step, const collective_content *c)
{
    for (uint32_t k = 0; UINT64_C(1) << k < g->count; k++, step++) {
        const uint32_t other = g->me ^ UINT32_C(1) << k;
        if (other >= g->count)
            continue;
        pass_vector(g, step, g->me, other, c, true);
        pass_vector(g, step, other, g->me, c, true);
    }
    return step;
}

/* ---- */

uint32_t collective_visit_pattern(const collective_group *g, uint32_t step,
                                  const collective_content *content)
{
    typedef uint32_t visitor(const collective_group *, uint32_t, const collective_content *);
    static visitor *const visitors[PATTERNS] = {
        [PATTERN_STAR] = star,
        [PATTERN_CHAIN] = chain,
        [PATTERN_BINOMIAL] = tree,
        [PATTERN_KNOMIAL] = tree,
        [PATTERN_DOUBLING_TREE] = doubling_tree,
        [PATTERN_BINARY] = binary,
        [PATTERN_STAR_PARTS] = star,
        [PATTERN_BINOMIAL_PARTS] = tree,
        [PATTERN_DISSEMINATION] = dissemination,
        [PATTERN_DOUBLING] = doubling,
        [PATTERN_RABENSEIFNER] = rabenseifner,
        [PATTERN_RABENSEIFNER_TO_ROOT] = rabenseifner,
        [PATTERN_HALVING] = halving,
        [PATTERN_REDUCE_PAIRWISE] = reduce_pairwise,
        [PATTERN_REDUCE_RING] = ring,
        [PATTERN_GATHER_RING] = ring,
        [PATTERN_GATHER_BRUCK] = gather_bruck,
        [PATTERN_GATHER_DOUBLING] = gather_doubling,
        [PATTERN_GATHER_NEIGHBOURS] = gather_neighbours,
        [PATTERN_GATHER_DIRECT] = gather_direct,
        [PATTERN_ALL_DIRECT] = all_shifted,
        [PATTERN_ALL_PAIRWISE] = all_shifted,
        [PATTERN_ALL_BRUCK] = all_bruck,
        [PATTERN_SCAN_CHAIN] = scan_chain,
        [PATTERN_SCAN_DOUBLING] = scan_doubling,
    };
    return visitors[content->pattern](g, step, content);
}
