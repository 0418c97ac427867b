/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a recording on nodes. */
#include "scenarios/recorded/recorded_gangs.h"

#include <math.h>
#include <stdlib.h>

/* Nodes that may be the slowest, and ranks times processors up to which peers are counted. */
enum { MOST_KEPT = 8, PEERS_COUNTED = 10000000 };

/* A node, and why it may be the slowest. */
typedef struct candidate {
    size_t node;
    double load; /* service of NICs that all its processors need */
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->load != y->load)
        return x->load > y->load ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Sums over the ranks of a node. */
typedef struct node_sums {
    double now, remote, nic, local, messages, bytes, sent, received;
} node_sums;

static node_sums sum_node(const clump_placed_rank *ranks, size_t count)
{
    node_sums s = {0, 0, 0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        s.now += ranks[i].now_us;
        s.remote += ranks[i].remote_us;
        s.nic += ranks[i].nic_us;
        s.local += ranks[i].local_us;
        s.messages += ranks[i].remote_messages;
        s.bytes += ranks[i].remote_bytes;
        s.sent += ranks[i].sent_us;
        s.received += ranks[i].received_us;
    }
    return s;
}

static double load_of(const clump_placed_rank *ranks, size_t count)
{
    const node_sums s = sum_node(ranks, count);
    return fmax(s.sent, s.received);
}

static void describe(const clump_recorded *p, const clump_placed_rank *first, double now_us,
                     clump_recorded_placed *placed)
{
    const double P = (double)placed->processors;
    const node_sums s = sum_node(first, placed->processors);
    placed->utilization = s.now / P / now_us;
    placed->remote_fraction = s.now > 0 ? fmin(s.remote / s.now, 1) : 1;
    placed->cost_ratio = s.now - s.remote > 1e-9 * s.now ? s.local / (s.now - s.remote) : 1;
    placed->waiting_fraction = s.remote > 0 ? 1 - s.nic / s.remote : 0;
    placed->most_nics = p->in_flight;
    if (s.messages > 0)
        placed->most_nics =
            fmin(placed->most_nics,
                 clump_loggp_max_nics_bulk(&p->network, fmax(s.bytes / s.messages, 1)));
}

/* Peers on other nodes to whom a rank of the node sends: as many as would be sent the same each, so that a few bytes to
 * everybody do not count. Mean by the bytes that ranks send. */
static clump_status count_peers(const clump_recorded *p, size_t processors, size_t node,
                                double *peers, clump_error *error)
{
    const size_t R = p->ranks;
    if (R > PEERS_COUNTED / processors) /* then there are enough of them */
        return CLUMP_OK;
    double *bytes = calloc(processors * R, sizeof *bytes), all = 0, weighted = 0;
    if (bytes == NULL)
        return clump_fail_memory(error, "the peers of ranks");
    for (size_t i = 0; i < p->message_count; i++) {
        const clump_placed_messages *m = &p->messages[i];
        if (m->from / processors == node && m->to / processors != node)
            bytes[m->from % processors * R + m->to] += m->bytes;
    }
    for (size_t r = 0; r < processors; r++) {
        double sum = 0, squares = 0;
        for (size_t to = 0; to < R; to++) {
            sum += bytes[r * R + to];
            squares += bytes[r * R + to] * bytes[r * R + to];
        }
        all += sum;
        weighted += squares > 0 ? sum * sum * sum / squares : 0;
    }
    *peers = all > 0 ? fmax(weighted / all, 1) : 1;
    free(bytes);
    return CLUMP_OK;
}

/* Transfers took what they took. A rank without messages of its own is left as it is. */
static clump_status take_recorded_times(const clump_recorded *p, clump_placed_rank *ranks,
                                        clump_error *error)
{
    if (!p->alone || !p->late_known)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it was not recorded on a NOW: %s, expected a node for each rank, and a "
                          "trace",
                          p->alone ? "what transfers take is not known" : "ranks shared nodes");
    for (size_t i = 0; i < p->ranks; i++) {
        clump_placed_rank *r = &ranks[i];
        const double factor = r->now_us > 0 ? p->rank[i].transfer / r->now_us : 1;
        r->now_us *= factor;
        r->remote_us *= factor;
        r->nic_us *= factor;
        r->sent_us *= factor;
        r->received_us *= factor;
    }
    return CLUMP_OK;
}

/* Every rank is done when the last one is; until then it waits. */
static double time_of(const clump_recorded *p, const clump_placed_rank *ranks, size_t i)
{
    return p->rank[i].computation + p->rank[i].late + ranks[i].now_us;
}

static double time_on_now(const clump_recorded *p, const clump_placed_rank *ranks)
{
    double most = 0;
    for (size_t i = 0; i < p->ranks; i++)
        most = fmax(most, time_of(p, ranks, i));
    return most;
}

/* The node of the rank that is last on the NOW comes first. */
static void keep_last_rank(const clump_recorded *p, const clump_placed_rank *ranks, candidate *c,
                           const clump_recorded_placed *placed)
{
    const size_t P = placed->processors;
    size_t last = c[0].node, at = 0; /* of several that are the one with most to send */
    double most = 0;
    for (size_t i = 0; i < P; i++)
        most = fmax(most, time_of(p, ranks, last * P + i) * (1 + 1e-9));
    for (size_t i = 0; i < placed->nodes * P; i++) {
        const double time = time_of(p, ranks, i);
        if (time > most) {
            most = time;
            last = i / P;
        }
    }
    while (c[at].node != last)
        at++;
    const candidate moved = c[at];
    c[at] = c[0];
    c[0] = moved;
}

static clump_status keep_nodes(const clump_recorded *p, const clump_placed_rank *ranks,
                               const clump_placed_rank *all, clump_arena *arena,
                               clump_recorded_placed *placed, clump_error *error)
{
    const size_t P = placed->processors;
    candidate *c = malloc(placed->nodes * sizeof *c);
    placed->kept = placed->nodes < MOST_KEPT ? placed->nodes : MOST_KEPT;
    double *numbers = clump_arena_take(arena, 9 * placed->kept * P * sizeof *numbers);
    const double now_us = 1e6 * placed->now_s;
    if (c == NULL || numbers == NULL) {
        free(c);
        return clump_fail_memory(error, "the nodes of a recording");
    }
    for (size_t i = 0; i < placed->nodes; i++)
        c[i] = (candidate){i, load_of(all + i * P, P)};
    qsort(c, placed->nodes, sizeof *c, compare_candidates);
    keep_last_rank(p, ranks, c, placed);
    double *computation = numbers, *local = numbers + placed->kept * P,
           *idle = local + placed->kept * P, *sent = idle + placed->kept * P,
           *received = sent + placed->kept * P, *serial = received + placed->kept * P,
           *slack = serial + placed->kept * P, *local_sent = slack + placed->kept * P,
           *local_received = local_sent + placed->kept * P;
    for (size_t k = 0; k < placed->kept; k++)
        for (size_t i = 0; i < P; i++) {
            const size_t rank = c[k].node * P + i, at = k * P + i;
            const clump_placed_rank *r = &ranks[rank];
            computation[at] = p->rank[rank].computation / now_us;
            local_sent[at] = r->local_sent_us / now_us;
            local_received[at] = r->local_received_us / now_us;
            sent[at] = r->sent_us / now_us;
            received[at] = r->received_us / now_us;
            serial[at] = p->rank[rank].style.serial_share;
            if (p->options.half_duplex) { /* one station */
                sent[at] = r->nic_us / now_us;
                received[at] = serial[at] = 0;
                local_sent[at] += local_received[at];
                local_received[at] = 0;
            }
            local[at] = fmax(r->local_us / now_us - fmax(local_sent[at], local_received[at]) -
                                 serial[at] * fmin(local_sent[at], local_received[at]),
                             0);
            const double late = p->rank[rank].late / now_us;
            idle[at] = (r->remote_us - r->nic_us) / now_us + late;
            slack[at] = fmax(
                1 - computation[at] - late -
                    (r->now_us + placed->chain_us + placed->together_us + placed->exchange_us) /
                        now_us,
                0);
        }
    placed->computation = computation;
    placed->local = local;
    placed->local_sent = local_sent;
    placed->local_received = local_received;
    placed->idle = idle;
    placed->slack = slack;
    placed->sent = sent;
    placed->received = received;
    placed->serial = serial;
    describe(p, all + c[0].node * P, now_us, placed);
    double peers = HUGE_VAL;
    const clump_status status =
        p->peer_by_peer ? count_peers(p, P, c[0].node, &peers, error) : CLUMP_OK;
    placed->most_nics = fmin(placed->most_nics, peers);
    placed->in_turn = p->in_turn;
    placed->peer_by_peer = p->peer_by_peer;
    free(c);
    return status;
}

/* On the NOW and on nodes of P. */
static clump_status place_chain(const clump_recorded *p, size_t processors, clump_arena *arena,
                                clump_recorded_placed *placed, clump_error *error)
{
    clump_chain_placed now, *on_nodes = clump_arena_take(arena, sizeof *on_nodes);
    const clump_loggp *local = p->options.shared_memory;
    if (on_nodes == NULL)
        return clump_fail_memory(error, "the chains of a recording");
    clump_status status = clump_chain_place(p->chain, 1, &p->network, local, p->options.half_duplex,
                                            arena, &now, error);
    if (status == CLUMP_OK)
        status = clump_chain_place(p->chain, processors, &p->network, local, p->options.half_duplex,
                                   arena, on_nodes, error);
    if (status != CLUMP_OK)
        return status;
    placed->chain = on_nodes;
    placed->chain_us = clump_chain_time_us(&now, 1, 1);
    return CLUMP_OK;
}

/* On the NOW; on nodes it depends on their NICs. */
static clump_status place_apart(const clump_recorded *program, const clump_recorded *p,
                                clump_recorded_placed *placed, clump_error *error)
{
    const clump_node alone = {.processors = 1, .nics = 1};
    const clump_together_machine now = {.node = &alone,
                                        .network = &p->network,
                                        .shared_memory = NULL,
                                        .half_duplex = p->options.half_duplex};
    clump_together_time time = {0, 0}, exchanges = {0, 0};
    clump_status status = CLUMP_OK;
    if (p->together != NULL)
        status = clump_together_play(p->together, &now, &time, error);
    if (status == CLUMP_OK && p->exchange != NULL)
        status = clump_exchanging_play(p->exchange, &now, 1, &exchanges, error);
    if (status != CLUMP_OK)
        return status;
    placed->program = program;
    placed->exchange_us = exchanges.us;
    placed->together_scale = p->options.recorded_here && time.us > 0 ? p->together_us / time.us : 1;
    placed->together_us = placed->together_scale * time.us;
    return CLUMP_OK;
}

static clump_status place_messages(const clump_recorded *p, size_t count, size_t processors,
                                   clump_placed_rank *ranks, clump_error *error)
{
    clump_placed_style *styles = malloc(p->ranks * sizeof *styles);
    if (styles == NULL)
        return clump_fail_memory(error, "the ranks of a recording");
    for (size_t i = 0; i < p->ranks; i++)
        styles[i] = p->rank[i].style;
    const clump_status status = clump_placed_compute(
        p->messages, count, p->ranks, processors, &p->network,
        p->options.shared_memory != NULL ? &p->shared_memory : NULL, styles, ranks, error);
    free(styles);
    return status;
}

/* Ranks by the places that they have: then they are in blocks. */
static clump_status renumber(const clump_recorded *program, size_t processors, clump_arena *arena,
                             clump_recorded *p, clump_error *error)
{
    const uint32_t R = (uint32_t)program->ranks, P = (uint32_t)processors;
    *p = *program;
    if (program->options.order == CLUMP_RANKS_IN_BLOCKS || P == 1)
        return CLUMP_OK;
    if (R % P != 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "its %zu ranks, one to each node in turn, leave nodes of %zu processors "
                          "that are not full: expected as many as divide them",
                          program->ranks, processors);
    clump_placed_messages *messages =
        clump_arena_take(arena, (p->message_count + 1) * sizeof *messages);
    clump_recorded_rank *rank = clump_arena_take(arena, p->ranks * sizeof *rank);
    uint32_t *place = clump_arena_take(arena, p->ranks * sizeof *place);
    if (messages == NULL || rank == NULL || place == NULL)
        return clump_fail_memory(error, "the ranks of a recording");
    for (uint32_t i = 0; i < R; i++) {
        place[i] = clump_rank_place(program->options.order, i, R, P);
        rank[place[i]] = program->rank[i];
    }
    for (size_t i = 0; i < p->message_count; i++) {
        messages[i] = program->messages[i];
        messages[i].from = place[messages[i].from];
        messages[i].to = place[messages[i].to];
    }
    p->messages = messages;
    p->rank = rank;
    return p->chain == NULL ? CLUMP_OK
                            : clump_chain_renumber(program->chain, place, arena, &p->chain, error);
}

clump_status clump_recorded_place(const clump_recorded *program, size_t processors,
                                  clump_arena *arena, clump_recorded_placed *placed,
                                  clump_error *error)
{
    clump_recorded numbered;
    const clump_recorded *p = program;
    *placed = (clump_recorded_placed){.processors = processors};
    if (processors > p->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it was recorded with %zu rank%s, expected that many processors in a "
                          "node at most, found %zu: what a program does with more ranks is not "
                          "known",
                          p->ranks, p->ranks == 1 ? "" : "s", processors);
    clump_status status = renumber(program, processors, arena, &numbered, error);
    if (status != CLUMP_OK)
        return status;
    p = &numbered;
    clump_placed_rank *ranks = malloc(2 * p->ranks * sizeof *ranks);
    if (ranks == NULL)
        return clump_fail_memory(error, "the ranks of a recording");
    const size_t apart = p->in_together + p->chained;
    clump_placed_rank *all = apart > 0 ? ranks + p->ranks : ranks;
    status = place_messages(p, p->message_count, processors, all, error);
    if (status == CLUMP_OK && apart > 0)
        status = place_messages(p, p->message_count - apart, processors, ranks, error);
    if (status == CLUMP_OK && p->chain != NULL)
        status = place_chain(p, processors, arena, placed, error);
    if (status == CLUMP_OK && (p->together != NULL || p->exchange != NULL))
        status = place_apart(program, p, placed, error);
    if (status == CLUMP_OK && p->options.recorded_here)
        status = take_recorded_times(p, ranks, error);
    if (status == CLUMP_OK) {
        placed->nodes = p->ranks / processors;
        placed->left_over = p->ranks % processors;
        placed->now_s =
            (time_on_now(p, ranks) + placed->chain_us + placed->together_us + placed->exchange_us) /
            1e6;
        if (!(placed->now_s > 0))
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "the recording has neither computation nor communication");
    }
    if (status == CLUMP_OK)
        status = keep_nodes(p, ranks, all, arena, placed, error);
    placed->calls = program->calls_now_us > 0 ? program : NULL;
    if (status == CLUMP_OK)
        status = clump_recorded_gangs_fit(p, processors, &placed->gangs, error);
    free(ranks);
    return status;
}
