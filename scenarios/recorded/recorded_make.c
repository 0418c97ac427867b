/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_calls.h"

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
    double together;  /* of transferring, in collectives that all ranks wait for */
    bool by_kind;     /* calls are known, kind by kind */
    double blocking_bytes; /* received by calls that do nothing else */
    double sending,
        sending_bytes; /* s of transfer in blocking sends, and what they sent; where it is known */
    double receiving, receiving_bytes; /* the same of blocking receives */
} habits;

static void add_traffic(const clump_facts *facts, const clump_together *together, habits *of)
{
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const clump_facts_traffic *t = &facts->traffic[i];
        habits *h = &of[t->receiver];
        if (t->sender == t->receiver || clump_together_has(together, t->kind))
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

static void add_times(const clump_facts_call *c, const clump_together *together, habits *h)
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
        if (clump_together_has(together, c->kind))
            h->together += c->seconds * c->transferring / known;
    }
}

static void add_calls(const clump_facts *facts, const clump_together *together, habits *of)
{
    for (size_t i = 0; i < facts->call_count; i++) {
        const clump_facts_call *c = &facts->calls[i];
        habits *h = &of[c->rank];
        const bool receive = strcmp(c->kind, "receive") == 0;
        add_times(c, together, h);
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
    /* Those between ranks, and those of collectives that have a time of their own, come last: they may be apart. */
    size_t count = 0;
    for (int part = 0; part < 3; part++)
        for (size_t i = 0; i < facts->traffic_count; i++) {
            const clump_facts_traffic *t = &facts->traffic[i];
            const int of = clump_together_has(p->together, t->kind) ? 2
                           : is_point_to_point(t->kind)             ? 1
                                                                    : 0;
            if (part != of)
                continue;
            p->chained += of == 1;
            p->in_together += of == 2;
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

/* No rank waits for one message after the other. */
static bool all_at_once(const clump_recorded *p, const clump_recorded_rank *ranks)
{
    for (size_t i = 0; i < p->ranks; i++)
        if (ranks[i].style.serial_share > (p->options.half_duplex ? 1 : 0.05))
            return false;
    return true;
}

/* Where transfers take what they took, what was hidden is known already. What the chain computes and waits is its own. */
static clump_status find_chain(const clump_facts *facts, const habits *of,
                               clump_recorded_rank *ranks, clump_arena *arena, clump_recorded *p,
                               clump_error *error)
{
    double *scale = malloc(2 * p->ranks * sizeof *scale);
    if (scale == NULL)
        return clump_fail_memory(error, "the ranks of a recording");
    double *late = scale + p->ranks;
    for (size_t i = 0; i < p->ranks; i++) {
        const double computing = 1e6 * facts->ranks[i].computing;
        scale[i] = computing > 0 ? ranks[i].computation / computing : 0;
        late[i] = of[i].waiting > 0 ? ranks[i].late * of[i].between / of[i].waiting : 0;
    }
    clump_status status = p->options.recorded_here
                              ? CLUMP_OK
                              : clump_chain_find(facts, scale, late, arena, &p->chain, error);
    if (status == CLUMP_OK && p->chain == NULL && !p->options.recorded_here &&
        all_at_once(p, ranks))
        status = clump_exchanging_find(facts, scale, late, arena, &p->exchange, error);
    if (p->chain == NULL && p->exchange == NULL)
        p->chained = 0;
    for (size_t i = 0; i < p->ranks && p->exchange != NULL; i++) {
        ranks[i].computation = fmax(ranks[i].computation - p->exchange->computing_us[i], 0);
        ranks[i].late -= late[i];
    }
    for (size_t i = 0; i < p->ranks && p->chain != NULL; i++) {
        ranks[i].computation = fmax(ranks[i].computation - p->chain->computing_us[i], 0);
        ranks[i].late -= late[i];
    }
    free(scale);
    return status;
}

/* From sums over all ranks; NAN: that of the processor is not known. @return whether computation is all time outside MPI */
static bool choose_clock(clump_recorded *p, double computing, double processor)
{
    const bool shared = computing > shared_processors * processor;
    const bool by_wall = isnan(processor) || p->options.clock == CLUMP_RECORDED_WALL ||
                         (p->options.clock == CLUMP_RECORDED_AUTO && !shared);
    p->processor_share = computing > 0 ? processor / computing : (double)NAN;
    p->scheduled_apart = shared && !by_wall && !p->alone;
    return by_wall;
}

/* What its times are, of `matched` s of `in_mpi`. */
static void note_times(clump_recorded *p, clump_arena *arena, bool by_wall, double matched,
                       double in_mpi)
{
    if (!by_wall && p->alone && p->processor_share * shared_processors < 1)
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
    add_traffic(facts, p->together, of);
    add_calls(facts, p->together, of);
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
    p->alone = facts->node_count == p->ranks;
    const bool by_wall = choose_clock(p, computing, processor);
    p->late_known = !p->scheduled_apart && matched > 0;
    for (size_t i = 0; i < p->ranks; i++) {
        const clump_facts_rank *r = &facts->ranks[i];
        ranks[i] = (clump_recorded_rank){
            .computation = 1e6 * (by_wall ? r->computing : r->processor),
            .late = p->late_known ? share_of(&of[i], of[i].waiting) : 0,
            .transfer =
                p->late_known ? share_of(&of[i], of[i].transferring - of[i].together) : (double)NAN,
            .style = style_of(&of[i], p->options.half_duplex),
        };
        p->together_us += share_of(&of[i], of[i].together) / (double)p->ranks;
    }
    const clump_status status = find_chain(facts, of, ranks, arena, p, error);
    free(of);
    if (status != CLUMP_OK)
        return status;
    keep_late(p, ranks);
    p->rank = ranks;
    note_times(p, arena, by_wall, matched, in_mpi);
    if (p->exchange != NULL)
        clump_recorded_note(p, arena,
                            "Ranks send to all of their partners in each step: these steps are "
                            "played message by message, whatever the demand.");
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
        if (communicates(facts->calls[i].kind) &&
            !clump_together_has(p->together, facts->calls[i].kind))
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
    p->open_mpi = stripe == open_mpi_stripe && p->options.stripe_bytes == 0;
    if (p->open_mpi && bytes > 0)
        p->in_turn = short_bytes / bytes;
    return messages * (bytes > 0 ? weighted / bytes : 1);
}

static void note_places(const clump_facts *facts, clump_arena *arena, clump_recorded *p)
{
    const size_t missing = clump_facts_missing_ranks(facts);
    size_t unended = 0, silent = 0;
    for (size_t i = 0; i < facts->rank_count; i++) {
        unended += !facts->ranks[i].ended;
        silent += facts->ranks[i].traced < facts->ranks[i].calls;
    }
    if (missing > 0)
        clump_recorded_note(
            p, arena,
            "Nothing was recorded of %zu of %zu ranks. What they compute and whom they wait for is "
            "not in these figures: record the program again, or find the files that are missing.",
            missing, p->ranks);
    if (unended > missing)
        clump_recorded_note(
            p, arena,
            "%zu of %zu ranks did not end properly (killed, aborted or without MPI_Finalize): what "
            "they did last may be missing.",
            unended - missing, p->ranks);
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
        if (clump_facts_lack_messages(&facts->notes[i]))
            clump_recorded_note(p, arena, "Of the %.300s: what these send is missing.",
                                facts->notes[i].text);
    if (p->in_turn > 0)
        clump_recorded_note(
            p, arena,
            "Open MPI is taken to send messages of up to 64 KiB (%.0f%% of the bytes) as it does "
            "over TCP: by one NIC in turn for each partner, so that of an even number of NICs half "
            "are used. If another transport cuts them, or uses any free NIC, say so: "
            "--stripe-bytes, stripe_bytes in scenarios.",
            100 * p->in_turn);
    if (p->options.order != CLUMP_RANKS_IN_BLOCKS)
        clump_recorded_note(
            p, arena,
            "Ranks are given to nodes in turn. Who communicates together was counted for ranks of "
            "neighbouring numbers, and is taken to hold for those of a node.");
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
        status = clump_together_find(facts, &p->network, arena, &p->together, error);
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
    status = clump_recorded_calls_find(p, error);
    if (status == CLUMP_OK && p->calls_now_us > 0 && facts->stretches[0].seconds > 0)
        clump_recorded_note(p, arena,
                            "Its calls (%.3g s of %.3g s) are played again message by message, "
                            "unless a demand is named: slowdowns are theirs.",
                            facts->stretches[0].seconds, facts->stretches[0].run);
    return status;
}
