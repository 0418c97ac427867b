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
        pass_vector(g, step, from, to, c, c->up || c->pattern == PATTERN_SCAN_CHAIN);
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

/* ---- among all, in rounds: who sends what to whom */

/* What a number sends in a round. */
typedef struct sending {
    uint32_t to;
    bool mutual;           /* the other one sends back; else all send as far ahead */
    uint32_t first, count; /* blocks; 0: so many bytes where the content begins */
    uint64_t bytes;
} sending;

static sending to_ahead(const collective_group *g, uint32_t v, uint32_t distance)
{
    return (sending){.to = after(g, v, distance)};
}

static sending with_blocks(sending s, uint32_t first, uint32_t count)
{
    s.first = first;
    s.count = count;
    return s;
}

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

/* Two neighbours make a pair, which gets both blocks of another pair in each round but the first: the
 * even number from the left, the odd one from the right, and then they tell each other. */
static bool neighbour_is_right(uint32_t v, uint32_t k)
{
    return (k % 2 == 1) == (v % 2 == 1);
}

static sending to_neighbour(const collective_group *g, uint32_t v, uint32_t k)
{
    const uint32_t pairs = g->count / 2, distance = k / 2; /* of the pair whose blocks came last */
    if (k == 0)
        return (sending){.to = v ^ 1, .mutual = true, .first = v, .count = 1};
    const uint32_t had = neighbour_is_right(v, k - 1) ? v / 2 + distance : v / 2 + pairs - distance;
    return (sending){.to = neighbour_is_right(v, k) ? after(g, v, 1) : before(g, v, 1),
                     .mutual = true,
                     .first = 2 * (had % pairs),
                     .count = 2};
}

/* The half of what is left that the partner keeps; blocks of a number and of the neighbour it stands for lie together. */
static sending half_of(const fold *f, uint32_t v, uint32_t k)
{
    const uint32_t half = f->count >> (k + 1), p = folded(f, v), other = p ^ half;
    const uint32_t first = other & ~(half - 1), end = first + half;
    const uint32_t begin = first < f->extra ? 2 * first : first + f->extra;
    return (sending){.to = unfolded(f, other),
                     .mutual = true,
                     .first = begin,
                     .count = (end < f->extra ? 2 * end : end + f->extra) - begin};
}

static sending sending_of(const collective_group *g, const collective_content *c, uint32_t v,
                          uint32_t k)
{
    const uint32_t P = g->count, power = k < 32 ? UINT32_C(1) << k : 0;
    fold f;
    sending s = {.to = v ^ power, .mutual = true, .bytes = c->bytes};
    switch (c->pattern) {
    case PATTERN_DISSEMINATION:
        return to_ahead(g, v, power);
    case PATTERN_DOUBLING:
        f = fold_of(P, true);
        s.to = unfolded(&f, folded(&f, v) ^ power);
        return s;
    case PATTERN_HALVING:
        f = fold_of(P, true);
        return half_of(&f, v, k);
    case PATTERN_REDUCE_RING:
        return with_blocks(to_ahead(g, v, 1), before(g, v, k + 1), 1);
    case PATTERN_GATHER_RING:
        return with_blocks(to_ahead(g, v, 1), before(g, v, k), 1);
    case PATTERN_GATHER_BRUCK:
        return with_blocks(to_ahead(g, v, P - power), v, smaller(power, P - power));
    case PATTERN_GATHER_DOUBLING:
        return with_blocks(s, v & ~(power - 1), power);
    case PATTERN_GATHER_NEIGHBOURS:
        return to_neighbour(g, v, k);
    case PATTERN_GATHER_DIRECT:
        return with_blocks(to_ahead(g, v, k + 1), v, 1);
    case PATTERN_REDUCE_PAIRWISE:
        return with_blocks(to_ahead(g, v, k + 1), after(g, v, k + 1), 1);
    case PATTERN_ALL_BRUCK:
        s = to_ahead(g, v, power);
        s.bytes = with_bit(P, k) * c->operation->bytes;
        return s;
    case PATTERN_ALL_DIRECT:
    case PATTERN_ALL_PAIRWISE:
        s = to_ahead(g, v, k + 1);
        s.bytes = to_each(c->operation, v);
        return s;
    default: /* PATTERN_SCAN_DOUBLING: what it has of the numbers up to it, and of its 2^k neighbours */
        return s;
    }
}

static void pass_sending(const collective_group *g, uint32_t step, uint32_t from,
                         const collective_content *c, const sending *s)
{
    const collective_pattern p = c->pattern;
    const bool combines = p == PATTERN_DISSEMINATION || p == PATTERN_DOUBLING ||
                          p == PATTERN_HALVING || p == PATTERN_REDUCE_RING ||
                          p == PATTERN_REDUCE_PAIRWISE || p == PATTERN_SCAN_DOUBLING;
    if (s->count > 0)
        pass_blocks(g, step, from, s->to, &c->blocks, s->first, s->count, combines);
    else
        collective_pass(g, step, from, s->to, c->offset, s->bytes, combines);
}

static uint32_t in_rounds(const collective_group *g, uint32_t step, const collective_content *c,
                          uint32_t rounds)
{
    const bool at_once = c->pattern == PATTERN_GATHER_DIRECT || c->pattern == PATTERN_ALL_DIRECT;
    for (uint32_t k = 0; k < rounds; k++) {
        const sending mine = sending_of(g, c, g->me, k);
        const uint32_t from = mine.mutual ? mine.to : after(g, g->me, before(g, g->me, mine.to));
        if (mine.to >= g->count)
            continue;
        const sending its = sending_of(g, c, from, k);
        pass_sending(g, at_once ? step : step + k, g->me, c, &mine);
        pass_sending(g, at_once ? step : step + k, from, c, &its);
    }
    return step + (at_once ? 1 : rounds);
}

/* Who does not take part tells its neighbour, and is told. */
static uint32_t folded_rounds(const collective_group *g, uint32_t step, const collective_content *c)
{
    const fold f = fold_of(g->count, true);
    const uint32_t steps = floor_log2(f.count), before_it = f.extra > 0;
    const uint32_t even = g->me & ~UINT32_C(1), last = step + before_it + steps;
    if (g->me < 2 * f.extra)
        pass_vector(g, step, even, even + 1, c, true);
    if (takes_part(&f, g->me))
        in_rounds(g, step + before_it, c, steps);
    if (g->me < 2 * f.extra && c->pattern == PATTERN_HALVING)
        pass_blocks(g, last, even + 1, even, &c->blocks, even, 1, false);
    else if (g->me < 2 * f.extra)
        pass_vector(g, last, even + 1, even, c, false);
    return last + before_it;
}

/* ---- */

static uint32_t rounds_of(collective_pattern pattern, uint32_t count)
{
    switch (pattern) {
    case PATTERN_DISSEMINATION:
    case PATTERN_GATHER_BRUCK:
    case PATTERN_GATHER_DOUBLING:
    case PATTERN_ALL_BRUCK:
    case PATTERN_SCAN_DOUBLING:
        return ceil_log2(count);
    case PATTERN_GATHER_NEIGHBOURS:
        return count / 2;
    default:
        return count - 1;
    }
}

uint32_t collective_visit_pattern(const collective_group *g, uint32_t step,
                                  const collective_content *content)
{
    switch (content->pattern) {
    case PATTERN_STAR:
    case PATTERN_STAR_PARTS:
        return star(g, step, content);
    case PATTERN_CHAIN:
    case PATTERN_SCAN_CHAIN:
        return chain(g, step, content);
    case PATTERN_BINOMIAL:
    case PATTERN_KNOMIAL:
    case PATTERN_BINOMIAL_PARTS:
        return tree(g, step, content);
    case PATTERN_DOUBLING_TREE:
        return doubling_tree(g, step, content);
    case PATTERN_BINARY:
        return binary(g, step, content);
    case PATTERN_RABENSEIFNER:
    case PATTERN_RABENSEIFNER_TO_ROOT:
        return rabenseifner(g, step, content);
    case PATTERN_DOUBLING:
    case PATTERN_HALVING:
        return folded_rounds(g, step, content);
    default:
        return in_rounds(g, step, content, rounds_of(content->pattern, g->count));
    }
}
