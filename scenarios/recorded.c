/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded.h"

#include "fitting/gangs/gang_fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time outside MPI may exceed that of the processor by this much before other ranks are to blame. */
static const double shared_processors = 1.25;

/* Pieces of longer messages that are on their way at once. Open MPI sends those beyond btl_tcp_eager_limit over all NICs that it
 * finds; MPICH 4 (UCX) has a connection to each peer, which takes one of the NICs, and goes on to the next message when the
 * rest of one fits into buffers. */
static const double open_mpi_stripe = 65536, mpich_stripe = 16384;

enum { MOST_KEPT = 8, PEERS_COUNTED = 10000000 };

/* ---- the program */

void clump_recorded_note(clump_recorded *p, clump_arena *arena, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    char *copy =
        p->note_count < CLUMP_RECORDED_NOTES ? clump_arena_take(arena, strlen(text) + 1) : NULL;
    if (copy == NULL)
        return;
    strcpy(copy, text);
    p->notes[p->note_count++] = copy;
}

static bool is_point_to_point(const char *kind)
{
    return strcmp(kind, "point-to-point") == 0;
}

/* What a rank does about its messages, summed over the facts. */
typedef struct habits {
    double received, received_bytes; /* point to point */
    double collective;               /* messages received as parts of collectives */
    double waits;                    /* calls that may wait for messages */
    double inside, waiting,
        transferring; /* s in calls that communicate, with what was not traced divided as the rest
                                             of its kind */
    double divided;   /* s of them that were traced and matched */
    double between;   /* of waiting, in calls that are no collectives */
    bool by_kind;     /* calls are known, kind by kind */
    double blocking_bytes; /* received by calls that do nothing else */
    double sending,
        sending_bytes; /* s of transfer in blocking sends, and what they sent; where it is known */
    double receiving, receiving_bytes; /* the same of blocking receives */
} habits;

static void add_traffic(const clump_facts *facts, habits *of)
{
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const clump_facts_traffic *t = &facts->traffic[i];
        habits *h = &of[t->receiver];
        if (t->sender == t->receiver)
            continue;
        if (is_point_to_point(t->kind)) {
            h->received += t->messages;
            h->received_bytes += t->bytes;
        } else {
            h->collective += t->messages;
        }
    }
}

/* The start and the end of MPI, communicators and marks are neither computation nor communication. */
static bool communicates(const char *kind)
{
    static const char *const others[] = {"init", "finalize", "other", "mark"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(kind, others[i]) == 0)
            return false;
    return true;
}

static bool is_between_ranks(const char *kind)
{
    static const char *const kinds[] = {"send", "receive", "sendrecv", "wait", "test"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

static void add_times(const clump_facts_call *c, habits *h)
{
    const double known = c->waiting + c->transferring;
    h->by_kind = true;
    if (!communicates(c->kind))
        return;
    h->inside += c->seconds;
    h->divided += known;
    if (known > 0) {
        h->waiting += c->seconds * c->waiting / known;
        if (is_between_ranks(c->kind))
            h->between += c->seconds * c->waiting / known;
        h->transferring += c->seconds * c->transferring / known;
    }
}

static void add_calls(const clump_facts *facts, habits *of)
{
    for (size_t i = 0; i < facts->call_count; i++) {
        const clump_facts_call *c = &facts->calls[i];
        habits *h = &of[c->rank];
        const bool receive = strcmp(c->kind, "receive") == 0;
        add_times(c, h);
        const double moving = c->calls > 0 && c->waiting + c->transferring > 0
                                  ? c->seconds * c->transferring / (c->waiting + c->transferring)
                                  : 0;
        if (receive) {
            h->blocking_bytes += c->bytes;
            h->receiving += moving;
            h->receiving_bytes += c->bytes;
        }
        if (strcmp(c->kind, "send") == 0 && c->waiting + c->transferring > 0) {
            h->sending += moving;
            h->sending_bytes += c->bytes;
        }
        if (receive || strcmp(c->kind, "sendrecv") == 0 || strcmp(c->kind, "wait") == 0)
            h->waits += (double)c->calls;
    }
}

/* How much of what it sends a rank waits for before it goes on to receive: most MPI libraries copy a message, and send it
 * while the rank does something else. Where the answer has to wait for it, that is waiting for a late partner. */
static double waited_for_sends(const habits *h)
{
    if (!(h->sending_bytes > 0) || !(h->receiving_bytes > 0) || !(h->receiving > 0))
        return 1;
    return fmin(h->sending / h->sending_bytes / (h->receiving / h->receiving_bytes), 1);
}

static clump_placed_style style_of(const habits *h, bool half_duplex)
{
    const double all = h->received + h->collective;
    clump_placed_style style = {0, half_duplex ? 1 : 0};
    if (all > 0)
        style.waited_share = (fmin(h->waits, h->received) + h->collective) / all;
    if (!half_duplex && h->received_bytes > 0)
        style.serial_share = fmin(h->blocking_bytes / h->received_bytes, 1) * waited_for_sends(h);
    return style;
}

static clump_status make_messages(const clump_facts *facts, clump_arena *arena, clump_recorded *p,
                                  clump_error *error)
{
    clump_placed_messages *messages =
        clump_arena_take(arena, (facts->traffic_count + 1) * sizeof *messages);
    if (messages == NULL)
        return clump_fail_memory(error, "the messages of a recording");
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const clump_facts_traffic *t = &facts->traffic[i];
        if (t->sender < 0 || t->receiver < 0 || (size_t)t->sender >= p->ranks ||
            (size_t)t->receiver >= p->ranks)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "the recording has messages from rank %lld to rank %lld, expected "
                              "two of its %zu ranks",
                              (long long)t->sender, (long long)t->receiver, p->ranks);
    }
    /* Those between ranks come last: a chain has them apart. */
    size_t count = 0;
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < facts->traffic_count; i++) {
            const clump_facts_traffic *t = &facts->traffic[i];
            const bool between = is_point_to_point(t->kind);
            if (between != (last == 1))
                continue;
            p->chained += between;
            messages[count++] = (clump_placed_messages){(uint32_t)t->sender, (uint32_t)t->receiver,
                                                        t->messages, t->bytes};
        }
    p->messages = messages;
    p->message_count = facts->traffic_count;
    return CLUMP_OK;
}

/* Of the time inside MPI: what was not matched is divided as the rest. */
static double share_of(const habits *h, double part)
{
    const double known = h->waiting + h->transferring;
    return known > 0 ? 1e6 * h->inside * part / known : 0;
}

/* Whoever waits least has most to do, and waits for others by turns only: so much waiting is there on any network. More of it
 * the others have because they wait for that rank, on any network anew. */
static void keep_late(const clump_recorded *p, clump_recorded_rank *ranks)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < p->ranks; i++)
        least = fmin(least, ranks[i].late);
    for (size_t i = 0; i < p->ranks; i++)
        ranks[i].late = least;
}

/* Where transfers take what they took, what was hidden is known already. What the chain computes and waits is its own. */
static clump_status find_chain(const clump_facts *facts, const habits *of,
                               clump_recorded_rank *ranks, clump_arena *arena, clump_recorded *p,
                               clump_error *error)
{
    double *scale = malloc(2 * p->ranks * sizeof *scale), *late = scale + p->ranks;
    if (scale == NULL)
        return clump_fail_memory(error, "the ranks of a recording");
    for (size_t i = 0; i < p->ranks; i++) {
        const double computing = 1e6 * facts->ranks[i].computing;
        scale[i] = computing > 0 ? ranks[i].computation / computing : 0;
        late[i] = of[i].waiting > 0 ? ranks[i].late * of[i].between / of[i].waiting : 0;
    }
    const clump_status status = p->options.recorded_here
                                    ? CLUMP_OK
                                    : clump_chain_find(facts, scale, late, arena, &p->chain, error);
    if (p->chain == NULL)
        p->chained = 0;
    for (size_t i = 0; i < p->ranks && p->chain != NULL; i++) {
        ranks[i].computation = fmax(ranks[i].computation - p->chain->computing_us[i], 0);
        ranks[i].late -= late[i];
    }
    free(scale);
    return status;
}

static clump_status make_ranks(const clump_facts *facts, clump_arena *arena, clump_recorded *p,
                               clump_error *error)
{
    habits *of = calloc(p->ranks, sizeof *of);
    clump_recorded_rank *ranks = clump_arena_take(arena, p->ranks * sizeof *ranks);
    double computing = 0, processor = 0, in_mpi = 0, matched = 0;
    if (of == NULL || ranks == NULL) {
        free(of);
        return clump_fail_memory(error, "the ranks of a recording");
    }
    add_traffic(facts, of);
    add_calls(facts, of);
    for (size_t i = 0; i < p->ranks; i++) {
        const clump_facts_rank *r = &facts->ranks[i];
        if (!of[i].by_kind) {
            of[i].inside = r->in_mpi;
            of[i].waiting = r->waiting;
            of[i].transferring = r->transferring;
            of[i].divided = r->waiting + r->transferring;
        }
        computing += r->computing;
        processor += r->processor;
        in_mpi += of[i].inside;
        matched += of[i].divided;
    }
    p->processor_share = computing > 0 ? processor / computing : (double)NAN;
    p->alone = facts->node_count == p->ranks;
    /* false if it is not known */
    const bool shared = computing > shared_processors * processor;
    const bool by_wall = isnan(processor) || p->options.clock == CLUMP_RECORDED_WALL ||
                         (p->options.clock == CLUMP_RECORDED_AUTO && !shared);
    p->scheduled_apart = shared && !by_wall && !p->alone;
    p->late_known = !p->scheduled_apart && matched > 0;
    for (size_t i = 0; i < p->ranks; i++) {
        const clump_facts_rank *r = &facts->ranks[i];
        ranks[i] = (clump_recorded_rank){
            .computation = 1e6 * (by_wall ? r->computing : r->processor),
            .late = p->late_known ? share_of(&of[i], of[i].waiting) : 0,
            .transfer = p->late_known ? share_of(&of[i], of[i].transferring) : (double)NAN,
            .style = style_of(&of[i], p->options.half_duplex),
        };
    }
    const clump_status status = find_chain(facts, of, ranks, arena, p, error);
    free(of);
    if (status != CLUMP_OK)
        return status;
    keep_late(p, ranks);
    p->rank = ranks;
    if (shared && !by_wall && p->alone)
        clump_recorded_note(p, arena,
                            "%.0f%% of the time outside MPI was processor time, which is what "
                            "counts as computation: the rest was sleep, files, or the start of the "
                            "program.",
                            100 * p->processor_share);
    if (p->scheduled_apart)
        clump_recorded_note(
            p, arena,
            "Ranks had to share processors while they were recorded (%.0f%% of the time outside "
            "MPI was processor time): computation is processor time, and waiting for late "
            "partners is what differences of computation make necessary. When they "
            "communicated was up to the scheduler, and is not used.",
            100 * p->processor_share);
    else if (!p->late_known)
        clump_recorded_note(
            p, arena,
            "How long ranks waited for late partners is not known: nothing was traced. "
            "It is taken as what differences of computation make necessary.");
    else if (matched < 0.9 * in_mpi)
        clump_recorded_note(
            p, arena,
            "%.0f%% of the time inside MPI could be divided into transfer and waiting; the rest "
            "is divided in the same way.",
            100 * matched / in_mpi);
    return CLUMP_OK;
}

/* Messages on their way at a time, while the rank communicates. Requests are those of sends and receives, of which every message has one. */
static double find_in_flight(const clump_facts *facts, clump_recorded *p)
{
    double requests = 0, inside = 0, bytes = 0, weighted = 0, short_bytes = 0;
    for (size_t i = 0; i < facts->rank_count; i++) {
        const clump_facts_rank *r = &facts->ranks[i];
        if (isnan(r->requests_mean))
            continue;
        requests += r->requests_mean * r->wall;
    }
    for (size_t i = 0; i < facts->call_count; i++)
        if (communicates(facts->calls[i].kind))
            inside += facts->calls[i].seconds;
    for (size_t i = 0; i < facts->rank_count && facts->call_count == 0; i++)
        inside += facts->ranks[i].in_mpi;
    const double messages = inside > 0 ? fmax(requests / inside / 2, 1) : 1;
    double stripe = p->options.stripe_bytes;
    if (stripe == 0) {
        const char *library = facts->library != NULL ? facts->library : "";
        stripe = strstr(library, "Open MPI") != NULL ? open_mpi_stripe
                 : strstr(library, "MPICH") != NULL  ? mpich_stripe
                                                     : HUGE_VAL;
    }
    for (size_t i = 0; i < p->message_count; i++) {
        const clump_placed_messages *m = &p->messages[i];
        const double size = m->messages > 0 ? m->bytes / m->messages : 0;
        bytes += m->bytes;
        weighted += m->bytes * fmax(floor(size / stripe), 1);
        short_bytes += size <= stripe ? m->bytes : 0;
    }
    if (stripe == open_mpi_stripe && bytes > 0 && p->options.stripe_bytes == 0)
        p->in_turn = short_bytes / bytes;
    return messages * (bytes > 0 ? weighted / bytes : 1);
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

static void note_places(const clump_facts *facts, clump_arena *arena, clump_recorded *p)
{
    size_t cut = 0, silent = 0;
    for (size_t i = 0; i < facts->file_count; i++)
        cut += facts->files[i].cut_at >= 0;
    for (size_t i = 0; i < facts->rank_count; i++)
        silent += facts->ranks[i].traced < facts->ranks[i].calls;
    if (facts->node_count == 1 && p->ranks > 1)
        clump_recorded_note(
            p, arena,
            "All ranks were on one node: of the network it knows nothing, which is all the "
            "platform's.");
    else if (!p->alone)
        clump_recorded_note(
            p, arena,
            "Ranks shared the NICs of %zu nodes while they were recorded: what they waited for "
            "each other there is in their times.",
            facts->node_count);
    for (size_t i = 0; i < facts->note_count; i++)
        if (strstr(facts->notes[i].text, "not taken apart into messages") != NULL)
            clump_recorded_note(p, arena, "Of the %.300s: what these send is missing.",
                                facts->notes[i].text);
    if (p->options.order != CLUMP_RANKS_IN_BLOCKS)
        clump_recorded_note(
            p, arena,
            "Ranks are given to nodes in turn. Who communicates together was counted for ranks of "
            "neighbouring numbers, and is taken to hold for those of a node.");
    if (cut > 0)
        clump_recorded_note(
            p, arena, "The files of %zu of %zu ranks are cut off: what came later is not in it.",
            cut, p->ranks);
    if (silent > 0)
        clump_recorded_note(
            p, arena,
            "%zu of %zu ranks were traced in part: who waits and who communicates together is "
            "that of the calls that were.",
            silent, p->ranks);
}

clump_status clump_recorded_make(const clump_facts *facts, const clump_recorded_options *options,
                                 clump_arena *arena, clump_recorded *program, clump_error *error)
{
    clump_recorded *p = program;
    clump_status status = CLUMP_OK;
    *p = (clump_recorded){.facts = facts, .options = *options, .ranks = facts->rank_count};
    if (options->network == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a recording tells what is sent, expected the LogGP parameters of the "
                          "network that is to carry it");
    p->network = *options->network;
    p->options.network = &p->network;
    if (options->shared_memory != NULL) {
        p->shared_memory = *options->shared_memory;
        p->options.shared_memory = &p->shared_memory;
    }
    if (p->ranks < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the recording has no ranks");
    for (size_t i = 0; i < facts->call_count && status == CLUMP_OK; i++)
        if (facts->calls[i].rank < 0 || (size_t)facts->calls[i].rank >= p->ranks)
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "the recording has calls of rank %lld, expected one of its %zu "
                                "ranks",
                                (long long)facts->calls[i].rank, p->ranks);
    if (status == CLUMP_OK)
        status = make_messages(facts, arena, p, error);
    if (status == CLUMP_OK)
        status = make_ranks(facts, arena, p, error);
    if (status != CLUMP_OK)
        return status;
    p->peer_by_peer = options->stripe_bytes == 0 && facts->library != NULL &&
                      strstr(facts->library, "MPICH") != NULL;
    p->in_flight = find_in_flight(facts, p);
    note_places(facts, arena, p);
    return CLUMP_OK;
}

/* ---- gangs */

/* Windows of nodes of that size; fewer than two: there are none. */
static size_t windows_of(const clump_facts *facts, const char *doing, size_t processors,
                         clump_overlap_window *windows)
{
    size_t count = 0;
    for (size_t i = 0; i < facts->overlap_count; i++) {
        const clump_facts_overlap *o = &facts->overlaps[i];
        if ((size_t)o->processors != processors || strcmp(o->doing, doing) != 0)
            continue;
        if (windows != NULL)
            windows[count] = (clump_overlap_window){o->seconds, o->active, o->squared};
        count++;
    }
    return count;
}

/* The number of processors next to P for which it was counted; 0: none. */
static size_t nearest(const clump_facts *facts, const char *doing, size_t processors)
{
    size_t best = 0;
    double distance = HUGE_VAL;
    for (size_t i = 0; i < facts->overlap_count; i++) {
        const size_t at = (size_t)facts->overlaps[i].processors;
        const double away = fabs(log((double)at / (double)processors));
        if (strcmp(facts->overlaps[i].doing, doing) == 0 && away < distance) {
            distance = away;
            best = at;
        }
    }
    return best;
}

/* The variance is 1 + (P-1) r times that of independent processors, r the mean correlation of two of them: with another number
 * of processors r is taken to be the same. */
static double at_size(double ratio, size_t from, size_t to)
{
    return from == to || from < 2
               ? ratio
               : fmax(1 + (ratio - 1) * (double)(to - 1) / (double)(from - 1), 0);
}

static double within(double s, size_t processors)
{
    return fmin(fmax(s, 1), (double)processors);
}

/* Windows of the trace, or else the histogram of the largest node, which has no interval. NULL: none (count 0), or no
 * memory. */
static clump_overlap_window *find_windows(const clump_recorded *p, size_t processors,
                                          clump_recorded_gangs *gangs, size_t *count)
{
    static const char *const kinds[] = {"transferring", "in MPI"};
    const clump_facts *facts = p->facts;
    for (size_t i = 0; i < 2; i++) {
        const size_t at = nearest(facts, kinds[i], processors);
        *count = windows_of(facts, kinds[i], at, NULL);
        if (*count == 0)
            continue;
        clump_overlap_window *windows = malloc(*count * sizeof *windows);
        if (windows != NULL)
            windows_of(facts, kinds[i], at, windows);
        gangs->doing = kinds[i];
        gangs->recorded_processors = at;
        return windows;
    }
    size_t most = 0;
    clump_overlap_window all = {0, 0, 0};
    for (size_t i = 0; i < facts->collision_count; i++)
        most = (size_t)facts->collisions[i].q > most ? (size_t)facts->collisions[i].q : most;
    for (size_t i = 0; i < facts->collision_count; i++) {
        const double q = (double)facts->collisions[i].q, seconds = facts->collisions[i].seconds;
        all.seconds += seconds;
        all.active += q * seconds;
        all.squared += q * q * seconds;
    }
    *count = most >= 2 ? 1 : 0;
    clump_overlap_window *one = *count > 0 ? malloc(sizeof *one) : NULL;
    if (one == NULL)
        return NULL;
    *one = all;
    gangs->doing = "in MPI";
    gangs->recorded_processors = most;
    return one;
}

static clump_status fit_gangs(const clump_recorded *p, size_t processors,
                              clump_recorded_gangs *gangs, clump_error *error)
{
    size_t count = 0;
    const double P = (double)processors;
    *gangs =
        (clump_recorded_gangs){.size = P, .low = 1, .high = P, .ratio = NAN, .observations = NAN};
    if (processors < 2 || p->scheduled_apart)
        return CLUMP_OK;
    clump_overlap_window *windows = find_windows(p, processors, gangs, &count);
    double *shares = malloc(p->ranks * sizeof *shares);
    if (windows == NULL || shares == NULL) {
        free(windows);
        free(shares);
        return shares == NULL || count > 0 ? clump_fail_memory(error, "the gangs of a recording")
                                           : CLUMP_OK;
    }
    const bool transferring = strcmp(gangs->doing, "transferring") == 0;
    for (size_t i = 0; i < p->ranks; i++) {
        const clump_facts_rank *r = &p->facts->ranks[i];
        shares[i] = r->wall > 0 ? (transferring ? r->transferring : r->in_mpi) / r->wall : 0;
    }
    const size_t at = gangs->recorded_processors;
    const clump_gang_question question = {.processors = at,
                                          .windows = windows,
                                          .window_count = count,
                                          .shares = shares,
                                          .share_count = p->ranks,
                                          .by_node = count > 1, /* else of the recorded nodes */
                                          .confidence = 0.9};
    clump_gang_fit fit;
    clump_error why;
    const clump_status status = clump_gang_fit_compute(&question, &fit, &why);
    free(windows);
    free(shares);
    if (status == CLUMP_NO_MEMORY)
        return clump_fail_memory(error, "the gangs of a recording");
    if (status != CLUMP_OK) /* nobody communicates, or all do always: s does not matter */
        return CLUMP_OK;
    const double low = at_size(fit.ratio_low, at, processors),
                 high = at_size(fit.ratio_high, at, processors);
    gangs->known = true;
    gangs->ratio = at_size(fit.ratio, at, processors);
    gangs->size = within(gangs->ratio, processors);
    gangs->observations = fit.observations;
    gangs->low = gangs->high = NAN;
    if (isnan(low))
        return CLUMP_OK;
    gangs->low = within(low, processors);
    gangs->high = within(high, processors);
    gangs->rejects_independent = low > 1 || high < 1;
    gangs->rejects_correlated = high < (double)processors;
    return CLUMP_OK;
}

clump_demand clump_recorded_demand(const clump_recorded_placed *placed, double *gang_size)
{
    const double P = (double)placed->processors, s = placed->gangs.size;
    *gang_size = 1;
    if (placed->processors < 2 || s <= 1 + 1e-9)
        return CLUMP_DEMAND_INDEPENDENT;
    if (s >= P * (1 - 1e-9))
        return CLUMP_DEMAND_CORRELATED;
    *gang_size = s;
    return CLUMP_DEMAND_GANG;
}

/* ---- on nodes */

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
            slack[at] =
                fmax(1 - computation[at] - late - (r->now_us + placed->chain_us) / now_us, 0);
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
    clump_placed_rank *all = p->chain != NULL ? ranks + p->ranks : ranks;
    status = place_messages(p, p->message_count, processors, all, error);
    if (status == CLUMP_OK && p->chain != NULL)
        status = place_messages(p, p->message_count - p->chained, processors, ranks, error);
    if (status == CLUMP_OK && p->chain != NULL)
        status = place_chain(p, processors, arena, placed, error);
    if (status == CLUMP_OK && p->options.recorded_here)
        status = take_recorded_times(p, ranks, error);
    if (status == CLUMP_OK) {
        placed->nodes = p->ranks / processors;
        placed->left_over = p->ranks % processors;
        placed->now_s = (time_on_now(p, ranks) + placed->chain_us) / 1e6;
        if (!(placed->now_s > 0))
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "the recording has neither computation nor communication");
    }
    if (status == CLUMP_OK)
        status = keep_nodes(p, ranks, all, arena, placed, error);
    if (status == CLUMP_OK)
        status = fit_gangs(p, processors, &placed->gangs, error);
    free(ranks);
    return status;
}
