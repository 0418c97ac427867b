/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages of collective operations: what they carry is followed byte by byte, and their numbers and bytes
 * are compared with the closed formulas.
 */
#include "model/workload/collective.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { MOST_RANKS = 33, MOST_MESSAGES = 1 << 12 };

typedef struct messages {
    clump_collective_message all[MOST_MESSAGES];
    size_t count;
    uint32_t rank, step; /* of who visits */
} messages;

static messages sent, received;

static int collect(void *context, const clump_collective_message *m)
{
    messages *list = context;
    assert_true(m->from == list->rank || m->to == list->rank);
    assert_true(m->from != m->to);
    assert_true(m->step >= list->step);
    list->step = m->step;
    messages *into = m->from == list->rank ? &sent : &received;
    assert_true(into->count < MOST_MESSAGES);
    into->all[into->count++] = *m;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const clump_collective_message *x = a, *y = b;
    const uint64_t p[] = {x->step, x->from, x->to, x->offset, x->bytes, x->combines};
    const uint64_t q[] = {y->step, y->from, y->to, y->offset, y->bytes, y->combines};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* All messages by step, in `sent`; receivers know of the same. */
static void list_messages(const clump_collective_operation *o)
{
    clump_error error = {0};
    if (clump_collective_check(o, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    sent.count = received.count = 0;
    for (sent.rank = 0; sent.rank < o->ranks; sent.rank++) {
        sent.step = 0;
        assert_int_equal(clump_collective_visit(o, sent.rank, collect, &sent), 0);
    }
    qsort(sent.all, sent.count, sizeof *sent.all, compare);
    qsort(received.all, received.count, sizeof *received.all, compare);
    assert_int_equal(sent.count, received.count);
    for (size_t i = 0; i < sent.count; i++)
        assert_int_equal(compare(&sent.all[i], &received.all[i]), 0);
}

static uint64_t sum_bytes(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sent.count; i++)
        sum += sent.all[i].bytes;
    return sum;
}

static uint32_t steps(void)
{
    uint32_t most = 0;
    for (size_t i = 0; i < sent.count; i++)
        if (sent.all[i].step >= most)
            most = sent.all[i].step + 1;
    return most;
}

/* ---- what the ranks have of each byte of the vector: whose contributions are in it */

enum { MOST_BYTES = 400 };
static uint64_t state[MOST_RANKS][MOST_BYTES], carried[MOST_MESSAGES / 2][MOST_BYTES];

static void move(uint64_t length)
{
    for (size_t i = 0, end; i < sent.count; i = end) {
        for (end = i; end < sent.count && sent.all[end].step == sent.all[i].step; end++) {
            const clump_collective_message *m = &sent.all[end];
            assert_true(end - i < sizeof carried / sizeof *carried && m->bytes <= length);
            for (uint64_t b = 0; b < m->bytes; b++) {
                carried[end - i][b] = state[m->from][(m->offset + b) % length];
                assert_true(carried[end - i][b] != 0); /* it has what it sends */
            }
        }
        for (size_t k = i; k < end; k++) {
            const clump_collective_message *m = &sent.all[k];
            for (uint64_t b = 0; b < m->bytes; b++) {
                uint64_t *there = &state[m->to][(m->offset + b) % length];
                const uint64_t comes = carried[k - i][b];
                if (m->combines) {
                    assert_true((*there & comes) == 0); /* nothing is added twice */
                    *there |= comes;
                } else {
                    assert_true((*there & ~comes) == 0); /* nothing is lost */
                    *there = comes;
                }
            }
        }
    }
}

static uint64_t bit(uint32_t rank)
{
    return UINT64_C(1) << rank;
}

static uint64_t all_of(uint32_t ranks)
{
    return bit(ranks) - 1;
}

/* First byte of the part of a rank. */
static uint64_t part(const clump_collective_operation *o, uint32_t rank, uint64_t length)
{
    if (o->parts != NULL)
        return o->parts[rank];
    if (o->kind != CLUMP_COLLECTIVE_REDUCE_SCATTER)
        return o->bytes * rank;
    const uint64_t rest = length % o->ranks;
    return length / o->ranks * rank + (rank < rest ? rank : rest);
}

static bool whole_vector(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_BROADCAST || kind == CLUMP_COLLECTIVE_REDUCE ||
           kind == CLUMP_COLLECTIVE_ALLREDUCE || kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
}

static bool reduces(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_REDUCE || kind == CLUMP_COLLECTIVE_ALLREDUCE ||
           kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
}

/* Every rank gets what it must. */
static void follow(const clump_collective_operation *o)
{
    const uint32_t P = o->ranks;
    const uint64_t length = o->parts != NULL        ? o->parts[P]
                            : whole_vector(o->kind) ? o->bytes
                                                    : o->bytes * P;
    const bool from_root =
        o->kind == CLUMP_COLLECTIVE_BROADCAST || o->kind == CLUMP_COLLECTIVE_SCATTER;
    const bool to_root = o->kind == CLUMP_COLLECTIVE_REDUCE || o->kind == CLUMP_COLLECTIVE_GATHER;
    assert_true(length <= MOST_BYTES && P <= MOST_RANKS);
    memset(state, 0, sizeof state);
    for (uint32_t r = 0; r < P; r++)
        for (uint64_t b = 0; b < length; b++) {
            const bool own = b >= part(o, r, length) && b < part(o, r + 1, length);
            if (reduces(o->kind) || (from_root ? r == o->root : own))
                state[r][b] = bit(r);
        }
    move(length);
    for (uint32_t r = 0; r < P; r++)
        for (uint64_t b = 0; b < length; b++) {
            const bool own = b >= part(o, r, length) && b < part(o, r + 1, length);
            if ((to_root && r != o->root) || ((o->kind == CLUMP_COLLECTIVE_SCATTER ||
                                               o->kind == CLUMP_COLLECTIVE_REDUCE_SCATTER) &&
                                              !own))
                continue;
            if (reduces(o->kind))
                assert_true(state[r][b] == all_of(P));
            else
                assert_true(state[r][b] != 0);
        }
}

/* Who knows that whom has come. */
static void follow_barrier(uint32_t P)
{
    uint64_t knows[MOST_RANKS], says[MOST_RANKS];
    for (uint32_t r = 0; r < P; r++)
        knows[r] = bit(r);
    for (size_t i = 0, end; i < sent.count; i = end) {
        memcpy(says, knows, sizeof says);
        for (end = i; end < sent.count && sent.all[end].step == sent.all[i].step; end++) {
            assert_int_equal(sent.all[end].bytes, 0);
            knows[sent.all[end].to] |= says[sent.all[end].from];
        }
    }
    for (uint32_t r = 0; r < P; r++)
        assert_true(knows[r] == all_of(P));
}

/* The result of a rank takes what comes from lower ranks, what it passes on takes all. */
static void follow_scan(uint32_t P)
{
    uint64_t passes[MOST_RANKS], says[MOST_RANKS], result[MOST_RANKS];
    for (uint32_t r = 0; r < P; r++)
        passes[r] = result[r] = bit(r);
    for (size_t i = 0, end; i < sent.count; i = end) {
        memcpy(says, passes, sizeof says);
        for (end = i; end < sent.count && sent.all[end].step == sent.all[i].step; end++) {
            const clump_collective_message *m = &sent.all[end];
            assert_true((passes[m->to] & says[m->from]) == 0);
            passes[m->to] |= says[m->from];
            if (m->from < m->to)
                result[m->to] |= says[m->from];
        }
    }
    for (uint32_t r = 0; r < P; r++)
        assert_true(result[r] == all_of(r + 1));
}

/* Bruck: in step k everything moves on by 2^k that has that distance still to go. */
static void follow_bruck(const clump_collective_operation *o)
{
    static uint32_t at[MOST_RANKS][MOST_RANKS]; /* where that of one for another is */
    const uint32_t P = o->ranks;
    uint64_t moved[MOST_RANKS];
    size_t i = 0;
    for (uint32_t r = 0; r < P; r++)
        for (uint32_t to = 0; to < P; to++)
            at[r][to] = r;
    for (uint32_t k = 0; UINT32_C(1) << k < P; k++) {
        memset(moved, 0, sizeof moved);
        for (uint32_t r = 0; r < P; r++)
            for (uint32_t to = 0; to < P; to++)
                if (((to + P - at[r][to]) % P >> k & 1) != 0) {
                    moved[at[r][to]] += o->bytes;
                    at[r][to] = (at[r][to] + (UINT32_C(1) << k)) % P;
                }
        for (uint32_t r = 0; r < P; r++, i++) {
            assert_int_equal(sent.all[i].from, r);
            assert_int_equal(sent.all[i].to, (r + (UINT32_C(1) << k)) % P);
            assert_int_equal(sent.all[i].bytes, moved[r]);
        }
    }
    assert_int_equal(i, sent.count);
    for (uint32_t r = 0; r < P; r++)
        for (uint32_t to = 0; to < P; to++)
            assert_int_equal(at[r][to], to);
}

static void follow_alltoall(const clump_collective_operation *o)
{
    static bool seen[MOST_RANKS][MOST_RANKS];
    if (o->algorithm == CLUMP_COLLECTIVE_BRUCK) {
        follow_bruck(o);
        return;
    }
    memset(seen, 0, sizeof seen);
    assert_int_equal(sent.count, o->ranks * (o->ranks - 1));
    for (size_t i = 0; i < sent.count; i++) {
        const clump_collective_message *m = &sent.all[i];
        assert_false(seen[m->from][m->to]);
        seen[m->from][m->to] = true;
        assert_int_equal(m->bytes,
                         o->parts != NULL ? o->parts[m->from + 1] - o->parts[m->from] : o->bytes);
        if (o->algorithm == CLUMP_COLLECTIVE_PAIRWISE)
            assert_int_equal((m->from + m->step + 1) % o->ranks, m->to);
        else
            assert_int_equal(m->step, 0);
    }
}

static void follow_any(const clump_collective_operation *o)
{
    list_messages(o);
    switch (o->kind) {
    case CLUMP_COLLECTIVE_BARRIER:
        follow_barrier(o->ranks);
        break;
    case CLUMP_COLLECTIVE_SCAN:
        follow_scan(o->ranks);
        break;
    case CLUMP_COLLECTIVE_ALLTOALL:
        follow_alltoall(o);
        break;
    default:
        follow(o);
    }
}

static bool has_root(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_BROADCAST || kind == CLUMP_COLLECTIVE_REDUCE ||
           kind == CLUMP_COLLECTIVE_GATHER || kind == CLUMP_COLLECTIVE_SCATTER;
}

/* All kinds, algorithms, numbers of ranks, roots, and bytes that ranks do not divide. */
static bool needs_places(int algorithm)
{
    return algorithm == CLUMP_COLLECTIVE_HIERARCHICAL || algorithm == CLUMP_COLLECTIVE_RAILS;
}

TEST(test_everybody_gets_what_it_must)
{
    static const uint32_t numbers[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,
                                       11, 12, 13, 15, 16, 17, 24, 32, 33};
    for (int kind = 0; kind < CLUMP_COLLECTIVE_KINDS; kind++)
        for (int algorithm = 0; algorithm < CLUMP_COLLECTIVE_ALGORITHMS; algorithm++) {
            if (!clump_collective_has(kind, algorithm) || needs_places(algorithm))
                continue;
            for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
                const uint32_t P = numbers[i];
                clump_collective_operation o = {.kind = kind, .algorithm = algorithm, .ranks = P};
                for (o.root = 0; o.root < (has_root(kind) ? P : 1); o.root += 1 + P / 8)
                    for (o.bytes = whole_vector(kind) ? P / 2 : 0;
                         o.bytes <= (whole_vector(kind) ? 3 * P : 3);
                         o.bytes += whole_vector(kind) ? P - 1 + (P == 1) : 1)
                        follow_any(&o);
            }
        }
}

TEST(test_unequal_parts)
{
    static const clump_collective_kind kinds[] = {
        CLUMP_COLLECTIVE_GATHER, CLUMP_COLLECTIVE_SCATTER, CLUMP_COLLECTIVE_ALLGATHER,
        CLUMP_COLLECTIVE_ALLTOALL, CLUMP_COLLECTIVE_REDUCE_SCATTER};
    uint64_t parts[MOST_RANKS + 1] = {0};
    for (uint32_t P = 1; P < 18; P += P < 9 ? 1 : 4) {
        for (uint32_t r = 0; r < P; r++)
            parts[r + 1] = parts[r] + (7 * r + 3) % 11;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++) {
                const clump_collective_operation o = {
                    .kind = kinds[i], .algorithm = a, .ranks = P, .root = P / 3, .parts = parts};
                if (clump_collective_has(kinds[i], a) && !needs_places(a) &&
                    !(kinds[i] == CLUMP_COLLECTIVE_ALLTOALL && a == CLUMP_COLLECTIVE_BRUCK))
                    follow_any(&o);
            }
    }
}

/* ---- numbers of messages and bytes */

static uint64_t bits_up_to(uint32_t P) /* set in 0 to P - 1 together */
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < P; i++)
        for (uint32_t rest = i; rest > 0; rest &= rest - 1)
            sum++;
    return sum;
}

static uint32_t ceil_log2(uint32_t P)
{
    uint32_t log = 0;
    while (UINT32_C(1) << log < P)
        log++;
    return log;
}

static void expect(clump_collective_kind kind, clump_collective_algorithm algorithm, uint32_t P,
                   uint64_t n, uint64_t count, uint64_t bytes, uint32_t step_count)
{
    const clump_collective_operation o = {
        .kind = kind, .algorithm = algorithm, .ranks = P, .root = P / 2, .bytes = n};
    list_messages(&o);
    if (sent.count != count || sum_bytes() != bytes || steps() != step_count)
        fail_msg("%s %s of %u ranks: %zu messages, %llu bytes, %u steps; expected %llu, %llu, %u",
                 clump_collective_kind_name(kind), clump_collective_algorithm_name(algorithm), P,
                 sent.count, (unsigned long long)sum_bytes(), steps(), (unsigned long long)count,
                 (unsigned long long)bytes, step_count);
}

#define KIND(name) CLUMP_COLLECTIVE_##name

/* Thakur, Rabenseifner, Gropp 2005: latency and bandwidth terms of each algorithm. */
TEST(test_closed_formulas)
{
    for (uint32_t P = 2; P <= 33; P++) {
        const uint32_t log = ceil_log2(P),
                       power = (P & (P - 1)) == 0 ? P : UINT32_C(1) << (log - 1);
        const uint32_t extra = P - power, low = ceil_log2(power);
        const uint64_t n = 64 * P, pairs = (uint64_t)P * (P - 1), ones = bits_up_to(P);
        expect(KIND(BROADCAST), KIND(LINEAR), P, n, P - 1, (P - 1) * n, 1);
        expect(KIND(BROADCAST), KIND(CHAIN), P, n, P - 1, (P - 1) * n, P - 1);
        expect(KIND(BROADCAST), KIND(BINOMIAL), P, n, P - 1, (P - 1) * n, log);
        expect(KIND(BROADCAST), KIND(BINOMIAL_DOUBLING), P, n, P - 1, (P - 1) * n, log);
        expect(KIND(BROADCAST), KIND(KNOMIAL), P, n, P - 1, (P - 1) * n, (log + 1) / 2);
        expect(KIND(BROADCAST), KIND(BINARY), P, n, P - 1, (P - 1) * n, ceil_log2(P + 1) - 1);
        expect(KIND(BROADCAST), KIND(SCATTER_RING), P, n, P - 1 + pairs, n / P * ones + (P - 1) * n,
               log + P - 1);
        if (extra == 0)
            expect(KIND(BROADCAST), KIND(SCATTER_ALLGATHER), P, n, P - 1 + P * log,
                   n / P * ones + (P - 1) * n, 2 * log);
        expect(KIND(REDUCE), KIND(BINOMIAL), P, n, P - 1, (P - 1) * n, log);
        expect(KIND(REDUCE), KIND(BINARY), P, n, P - 1, (P - 1) * n, ceil_log2(P + 1) - 1);
        expect(KIND(REDUCE), KIND(RABENSEIFNER), P, n, power * low + power - 1 + 3 * extra,
               (power - 1) * n + n / power * bits_up_to(power) + (n * 3 / 2) * extra,
               2 * low + 2 * (extra > 0));
        expect(KIND(ALLREDUCE), KIND(RECURSIVE_DOUBLING), P, n, power * low + 2 * extra,
               (power * low + 2 * extra) * n, low + 2 * (extra > 0));
        expect(KIND(ALLREDUCE), KIND(RING), P, n, 2 * pairs, 2 * (P - 1) * n, 2 * (P - 1));
        expect(KIND(ALLREDUCE), KIND(RABENSEIFNER), P, n, 2 * power * low + 4 * extra,
               2 * (power - 1) * n + (n * 5 / 2) * extra, 2 * low + 3 * (extra > 0));
        expect(KIND(ALLREDUCE), KIND(REDUCE_FIRST), P, n, 2 * (P - 1), 2 * (P - 1) * n, 2 * log);
        expect(KIND(GATHER), KIND(LINEAR), P, n, P - 1, (P - 1) * n, 1);
        expect(KIND(GATHER), KIND(BINOMIAL), P, n, P - 1, ones * n, log);
        expect(KIND(SCATTER), KIND(BINOMIAL), P, n, P - 1, ones * n, log);
        expect(KIND(ALLGATHER), KIND(RING), P, n, pairs, pairs * n, P - 1);
        expect(KIND(ALLGATHER), KIND(BRUCK), P, n, P * log, pairs * n, log);
        expect(KIND(ALLGATHER), KIND(RECURSIVE_DOUBLING), P, n, P * log, pairs * n, log);
        expect(KIND(ALLGATHER), KIND(LINEAR), P, n, pairs, pairs * n, 1);
        expect(KIND(ALLGATHER), KIND(GATHER_FIRST), P, n, 2 * (P - 1), (ones + (P - 1) * P) * n,
               2 * log);
        if (P % 2 == 0)
            expect(KIND(ALLGATHER), KIND(NEIGHBOUR), P, n, P * P / 2, pairs * n, P / 2);
        expect(KIND(ALLTOALL), KIND(LINEAR), P, n, pairs, pairs * n, 1);
        expect(KIND(ALLTOALL), KIND(PAIRWISE), P, n, pairs, pairs * n, P - 1);
        expect(KIND(ALLTOALL), KIND(BRUCK), P, n, P * log, P * ones * n, log);
        expect(KIND(REDUCE_SCATTER), KIND(RING), P, n, pairs, (P - 1) * n, P - 1);
        expect(KIND(REDUCE_SCATTER), KIND(PAIRWISE), P, n, pairs, (P - 1) * n, P - 1);
        expect(KIND(REDUCE_SCATTER), KIND(RECURSIVE_HALVING), P, n, power * low + 2 * extra,
               (power - 1) * n + extra * (n + n / P), low + 2 * (extra > 0));
        expect(KIND(BARRIER), KIND(DISSEMINATION), P, 0, P * log, 0, log);
        expect(KIND(BARRIER), KIND(LINEAR), P, 0, 2 * (P - 1), 0, 2);
        expect(KIND(BARRIER), KIND(RECURSIVE_DOUBLING), P, 0, power * low + 2 * extra, 0,
               low + 2 * (extra > 0));
        expect(KIND(SCAN), KIND(CHAIN), P, n, P - 1, (P - 1) * n, P - 1);
        if (extra == 0)
            expect(KIND(SCAN), KIND(RECURSIVE_DOUBLING), P, n, P * log, P * log * n, log);
    }
}

/* ---- nodes */

static const uint32_t *node_of_rank;

static uint64_t bytes_between_nodes(size_t *count)
{
    uint64_t sum = 0;
    *count = 0;
    for (size_t i = 0; i < sent.count; i++)
        if (node_of_rank[sent.all[i].from] != node_of_rank[sent.all[i].to]) {
            sum += sent.all[i].bytes;
            ++*count;
        }
    return sum;
}

static clump_collective_places *place(const uint32_t *node, uint32_t ranks)
{
    clump_collective_places *places = NULL;
    node_of_rank = node;
    assert_int_equal(clump_collective_places_make(ranks, node, &places, NULL), CLUMP_OK);
    return places;
}

TEST(test_levels)
{
    static const uint32_t uneven[] = {7, 7, 3, 9, 3, 3, 7, 9, 3, 1}; /* 4 nodes of 3, 4, 2, 1 */
    static const uint32_t even[] = {2, 2, 2, 2, 0, 0, 0, 0, 5, 5, 5, 5};
    static const clump_collective_kind kinds[] = {KIND(BARRIER), KIND(BROADCAST), KIND(REDUCE),
                                                  KIND(ALLREDUCE)};
    const uint64_t n = 48;
    size_t count;
    clump_collective_places *places = place(uneven, 10);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t root = 0; root < (has_root(kinds[i]) ? 10 : 1); root++)
            for (uint64_t bytes = 7; bytes <= n; bytes += n - 7) {
                const clump_collective_operation o = {.kind = kinds[i],
                                                      .algorithm = KIND(HIERARCHICAL),
                                                      .ranks = 10,
                                                      .root = root,
                                                      .bytes = bytes,
                                                      .places = places};
                follow_any(&o);
                bytes_between_nodes(&count);
                if (has_root(kinds[i]))
                    assert_int_equal(count, 3);
                else
                    assert_int_equal(count, bytes == n && kinds[i] == KIND(ALLREDUCE) ? 16 : 8);
            }
    clump_collective_places_free(places);
    places = place(even, 12);
    for (uint64_t bytes = 5; bytes <= n; bytes += n - 5) {
        const clump_collective_operation o = {.kind = KIND(ALLREDUCE),
                                              .algorithm = KIND(RAILS),
                                              .ranks = 12,
                                              .bytes = bytes,
                                              .places = places};
        follow_any(&o);
        assert_int_equal(bytes_between_nodes(&count), 2 * 2 * bytes);
        assert_int_equal(count, 4 * 2 * 3 * 2);
        assert_int_equal(sent.count, count + 3 * 2 * 4 * 3);
    }
    clump_collective_places_free(places);
}

/* Parts of a node go on together, with bytes that are no multiple of the ranks, and with parts that differ. */
TEST(test_parts_of_nodes)
{
    uint32_t node[MOST_RANKS];
    uint64_t parts[MOST_RANKS + 1] = {0};
    clump_error error = {0};
    for (uint32_t each = 1; each <= 5; each++)
        for (uint32_t nodes = 1; nodes * each <= MOST_RANKS; nodes++) {
            const uint32_t P = nodes * each;
            for (uint32_t r = 0; r < P; r++) {
                node[r] = r / each;
                parts[r + 1] = parts[r] + (7 * r + 3) % 5;
            }
            clump_collective_places *places = place(node, P);
            for (uint64_t bytes = 0; bytes <= 3; bytes++) {
                clump_collective_operation o = {.kind = KIND(ALLGATHER),
                                                .algorithm = KIND(HIERARCHICAL),
                                                .ranks = P,
                                                .bytes = bytes,
                                                .places = places};
                follow_any(&o);
                o.kind = KIND(REDUCE_SCATTER);
                o.bytes = bytes * P + bytes;
                follow_any(&o);
                if (bytes == 0)
                    continue;
                o.parts = parts;
                follow_any(&o);
                o.kind = KIND(ALLGATHER);
                follow_any(&o);
            }
            clump_collective_places_free(places);
        }
    static const uint32_t apart[] = {0, 1, 0, 1}, uneven[] = {0, 0, 0, 1};
    for (int i = 0; i < 2; i++) {
        clump_collective_places *places = place(i == 0 ? apart : uneven, 4);
        const clump_collective_operation o = {.kind = KIND(ALLGATHER),
                                              .algorithm = KIND(HIERARCHICAL),
                                              .ranks = 4,
                                              .bytes = 8,
                                              .places = places};
        assert_int_equal(clump_collective_check(&o, &error), CLUMP_BAD_ARGUMENT);
        assert_non_null(strstr(error.message, "expected blocks of equal numbers"));
        clump_collective_places_free(places);
    }
}

/* Block placement: a tree whose distances double crosses between nodes with all ranks but those of the
 * root's node, one whose distances halve once for each node. */
TEST(test_trees_and_nodes)
{
    uint32_t node[32];
    size_t count;
    for (uint32_t r = 0; r < 32; r++)
        node[r] = r / 8;
    node_of_rank = node;
    clump_collective_operation o = {
        .kind = KIND(BROADCAST), .algorithm = KIND(BINOMIAL), .ranks = 32, .bytes = 1};
    list_messages(&o);
    bytes_between_nodes(&count);
    assert_int_equal(count, 3);
    o.algorithm = KIND(BINOMIAL_DOUBLING);
    list_messages(&o);
    bytes_between_nodes(&count);
    assert_int_equal(count, 24);
}

/* ---- choices */

static clump_collective_algorithm choose(clump_mpi_library library, clump_collective_kind kind,
                                         uint32_t ranks, uint64_t bytes)
{
    const clump_collective_operation o = {.kind = kind, .ranks = ranks, .bytes = bytes};
    return clump_collective_choose(library, &o);
}

TEST(test_choices)
{
    const clump_mpi_library ompi = CLUMP_MPI_OPEN_MPI, mpich = CLUMP_MPI_MPICH;
    uint32_t node[16];
    for (int kind = 0; kind < CLUMP_COLLECTIVE_KINDS; kind++)
        for (uint32_t P = 1; P < 10000; P += 1 + P / 3)
            for (uint64_t n = 0; n < 20000000; n += 1 + n / 2)
                for (int library = 0; library < 2; library++)
                    assert_true(clump_collective_has(kind, choose(library, kind, P, n)));
    /* read from coll_tuned_decision_fixed.c */
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 3, 7), KIND(RING));
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 3, 8), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 8, 8191), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 8, 8192), KIND(RABENSEIFNER));
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 300, 4095), KIND(REDUCE_FIRST));
    assert_int_equal(choose(ompi, KIND(ALLREDUCE), 5000, 20000), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(ompi, KIND(BROADCAST), 8, 100), KIND(KNOMIAL));
    assert_int_equal(choose(ompi, KIND(BROADCAST), 8, 100000), KIND(LINEAR));
    assert_int_equal(choose(ompi, KIND(BROADCAST), 31, 2 << 20), KIND(SCATTER_ALLGATHER));
    assert_int_equal(choose(ompi, KIND(REDUCE), 7, 100000), KIND(BINOMIAL));
    assert_int_equal(choose(ompi, KIND(REDUCE), 15, 100), KIND(BINARY));
    assert_int_equal(choose(ompi, KIND(ALLTOALL), 16, 100), KIND(BRUCK));
    assert_int_equal(choose(ompi, KIND(ALLTOALL), 16, 1000), KIND(LINEAR));
    assert_int_equal(choose(ompi, KIND(ALLTOALL), 64, 1000000), KIND(PAIRWISE));
    assert_int_equal(choose(ompi, KIND(BARRIER), 4, 0), KIND(LINEAR));
    assert_int_equal(choose(ompi, KIND(BARRIER), 8, 0), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(ompi, KIND(BARRIER), 64, 0), KIND(DISSEMINATION));
    assert_int_equal(choose(ompi, KIND(ALLGATHER), 31, 1 << 20), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(ompi, KIND(ALLGATHER), 32, 1 << 20), KIND(RING));
    assert_int_equal(choose(ompi, KIND(ALLGATHER), 32, 2048), KIND(NEIGHBOUR));
    assert_int_equal(choose(ompi, KIND(GATHER), 8, 1 << 20), KIND(BINOMIAL));
    assert_int_equal(choose(ompi, KIND(SCATTER), 8, 100), KIND(BINOMIAL));
    assert_int_equal(choose(ompi, KIND(REDUCE_SCATTER), 8, 1000), KIND(RECURSIVE_HALVING));
    assert_int_equal(choose(ompi, KIND(REDUCE_SCATTER), 8, 1 << 20), KIND(RING));
    assert_int_equal(choose(ompi, KIND(SCAN), 8, 8), KIND(CHAIN));
    /* read from mpir/generic.json */
    assert_int_equal(choose(mpich, KIND(ALLREDUCE), 8, 8), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(mpich, KIND(ALLREDUCE), 8, 4096), KIND(RABENSEIFNER));
    assert_int_equal(choose(mpich, KIND(BROADCAST), 8, 12288), KIND(BINOMIAL));
    assert_int_equal(choose(mpich, KIND(BROADCAST), 8, 12289), KIND(SCATTER_ALLGATHER));
    assert_int_equal(choose(mpich, KIND(BROADCAST), 9, 12289), KIND(SCATTER_RING));
    assert_int_equal(choose(mpich, KIND(ALLGATHER), 8, 65535), KIND(RECURSIVE_DOUBLING));
    assert_int_equal(choose(mpich, KIND(ALLGATHER), 8, 65536), KIND(RING));
    assert_int_equal(choose(mpich, KIND(ALLGATHER), 9, 9000), KIND(BRUCK));
    assert_int_equal(choose(mpich, KIND(ALLTOALL), 8, 256), KIND(BRUCK));
    assert_int_equal(choose(mpich, KIND(ALLTOALL), 7, 256), KIND(LINEAR));
    assert_int_equal(choose(mpich, KIND(ALLTOALL), 7, 32769), KIND(PAIRWISE));
    /* ch4/generic.json: several nodes with several ranks */
    for (uint32_t r = 0; r < 16; r++)
        node[r] = r / 4;
    clump_collective_places *places = place(node, 16);
    clump_collective_operation o = {
        .kind = KIND(ALLREDUCE), .ranks = 16, .bytes = 1 << 20, .places = places};
    assert_int_equal(clump_collective_choose(mpich, &o), KIND(HIERARCHICAL));
    o.kind = KIND(BROADCAST);
    assert_int_equal(clump_collective_choose(mpich, &o), KIND(SCATTER_RING));
    clump_collective_places_free(places);
}

/* ---- names, mistakes, and who stops */

static int stop_at_third(void *context, const clump_collective_message *m)
{
    int *count = context;
    (void)m;
    return ++*count == 3 ? 7 : 0;
}

TEST(test_stop)
{
    const clump_collective_operation o = {
        .kind = KIND(ALLTOALL), .algorithm = KIND(LINEAR), .ranks = 8, .bytes = 1};
    int count = 0;
    assert_int_equal(clump_collective_visit(&o, 2, stop_at_third, &count), 7);
    assert_int_equal(count, 3);
    count = -100;
    assert_int_equal(clump_collective_visit(&o, 2, stop_at_third, &count), 0);
    assert_int_equal(count, 14 - 100);
}

static void refused(clump_collective_operation o, const char *words)
{
    clump_error error = {0};
    assert_int_equal(clump_collective_check(&o, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, words));
}

TEST(test_mistakes)
{
    static const uint32_t uneven[] = {0, 0, 1};
    static const uint64_t parts[] = {0, 5, 4, 9}, late[] = {1, 2, 3, 4}, good[] = {0, 1, 2, 3};
    clump_collective_places *places = place(uneven, 3);
    const clump_collective_operation o = {
        .kind = KIND(ALLREDUCE), .algorithm = KIND(RAILS), .ranks = 3, .places = places};
    clump_collective_operation p = o;
    refused(o, "different numbers of ranks");
    p.ranks = 4;
    refused(p, "places of 3 ranks, expected 4");
    p.places = NULL;
    refused(p, "share a node");
    p.algorithm = KIND(BRUCK);
    refused(p, "no algorithm 'bruck'");
    p = (clump_collective_operation){
        .kind = KIND(REDUCE), .algorithm = KIND(BINOMIAL), .ranks = 3, .root = 3};
    refused(p, "root 3");
    p.root = 0;
    p.parts = good;
    refused(p, "unequal parts");
    p.parts = NULL;
    p.bytes = UINT64_MAX / 2;
    refused(p, "too many bytes");
    p.ranks = 0;
    refused(p, "0 ranks");
    p = (clump_collective_operation){
        .kind = KIND(ALLTOALL), .algorithm = KIND(BRUCK), .ranks = 3, .parts = good};
    refused(p, "bruck");
    p.algorithm = KIND(LINEAR);
    p.parts = parts;
    refused(p, "rank 1 ends before");
    p.parts = late;
    refused(p, "begin at 0");
    p.kind = CLUMP_COLLECTIVE_KINDS;
    refused(p, "found kind 10");
    clump_collective_places_free(places);
    assert_int_equal(clump_collective_places_make(0, uneven, &places, NULL), CLUMP_BAD_ARGUMENT);
}

TEST(test_names)
{
    for (int k = 0; k < CLUMP_COLLECTIVE_KINDS; k++)
        for (int other = 0; other < k; other++)
            assert_string_not_equal(clump_collective_kind_name(k),
                                    clump_collective_kind_name(other));
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++)
        for (int other = 0; other < a; other++)
            assert_string_not_equal(clump_collective_algorithm_name(a),
                                    clump_collective_algorithm_name(other));
    assert_string_equal(clump_collective_kind_name(KIND(REDUCE_SCATTER)), "reduce-scatter");
    assert_string_equal(clump_collective_algorithm_name(KIND(RAILS)), "rails");
    assert_null(clump_collective_kind_name(CLUMP_COLLECTIVE_KINDS));
    assert_null(clump_collective_algorithm_name(CLUMP_COLLECTIVE_ALGORITHMS));
}

/* What people write, for each kind that applications name. */
TEST(test_words)
{
    static const struct {
        const char *text;
        clump_collective_algorithm
            of[5]; /* allreduce, reduce-scatter, allgather, broadcast, alltoall */
    } cases[] = {
        {"ring", {KIND(RING), KIND(RING), KIND(RING), KIND(SCATTER_RING), KIND(PAIRWISE)}},
        {"tree",
         {KIND(REDUCE_FIRST), KIND(REDUCE_FIRST), KIND(GATHER_FIRST), KIND(BINOMIAL),
          KIND(ALGORITHMS)}},
        {"recursive doubling",
         {KIND(RECURSIVE_DOUBLING), KIND(RECURSIVE_HALVING), KIND(RECURSIVE_DOUBLING),
          KIND(SCATTER_ALLGATHER), KIND(BRUCK)}},
        {"recursive_doubling",
         {KIND(RECURSIVE_DOUBLING), KIND(RECURSIVE_HALVING), KIND(RECURSIVE_DOUBLING),
          KIND(SCATTER_ALLGATHER), KIND(BRUCK)}},
        {"hierarchical",
         {KIND(HIERARCHICAL), KIND(HIERARCHICAL), KIND(HIERARCHICAL), KIND(HIERARCHICAL),
          KIND(ALGORITHMS)}},
        {"hierarchical with rails",
         {KIND(RAILS), KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS)}},
        {"hierarchical_without-rails",
         {KIND(HIERARCHICAL), KIND(HIERARCHICAL), KIND(HIERARCHICAL), KIND(HIERARCHICAL),
          KIND(ALGORITHMS)}},
        {"trees",
         {KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS),
          KIND(ALGORITHMS)}},
        {"",
         {KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS),
          KIND(ALGORITHMS)}},
        {"- _",
         {KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS), KIND(ALGORITHMS),
          KIND(ALGORITHMS)}},
    };
    static const clump_collective_kind of[] = {KIND(ALLREDUCE), KIND(REDUCE_SCATTER),
                                               KIND(ALLGATHER), KIND(BROADCAST), KIND(ALLTOALL)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
            const clump_collective_algorithm found =
                clump_collective_algorithm_meant(of[k], cases[i].text);
            assert_int_equal(found, cases[i].of[k]);
            assert_true(found == CLUMP_COLLECTIVE_ALGORITHMS || clump_collective_has(of[k], found));
        }
    /* a name means itself, whatever else it could mean; words mean what the kind has */
    for (int k = 0; k < CLUMP_COLLECTIVE_KINDS; k++) {
        const clump_collective_kind kind = (clump_collective_kind)k;
        for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++)
            if (clump_collective_has(kind, (clump_collective_algorithm)a))
                assert_int_equal(
                    clump_collective_algorithm_meant(
                        kind, clump_collective_algorithm_name((clump_collective_algorithm)a)),
                    a);
        const char *word;
        for (size_t i = 0; (word = clump_collective_word_at(kind, i)) != NULL; i++)
            assert_true(clump_collective_has(kind, clump_collective_algorithm_meant(kind, word)));
        assert_int_equal(clump_collective_kind_meant(clump_collective_kind_name(kind)), k);
    }
    assert_int_equal(clump_collective_kind_meant("all-to-all"), KIND(ALLTOALL));
    assert_int_equal(clump_collective_kind_meant("all_reduce"), KIND(ALLREDUCE));
    assert_int_equal(clump_collective_kind_meant("reduce scatter"), KIND(REDUCE_SCATTER));
    assert_int_equal(clump_collective_kind_meant("reduction"), CLUMP_COLLECTIVE_KINDS);
    assert_int_equal(clump_collective_kind_meant("allreduces"), CLUMP_COLLECTIVE_KINDS);
    assert_int_equal(clump_collective_kind_meant(""), CLUMP_COLLECTIVE_KINDS);
}

UNIT_MAIN(NULL, NULL)
