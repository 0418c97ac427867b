/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masters that hand out tasks: by hand, and against a simulation of its own whose ranks have inboxes and whose NICs have lists of packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/random.h"
#include "model/simulation/task_farm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times that are no multiples of each other: what happens at the same time may happen in any order. */
static const clump_loggp network = {5.0321, 1.0173, 1.5119, 2.2307, 0.0101},
                         shared_memory = {0.7013, 0.3011, 0.4007, 0.2509, 0.0011};

static clump_cluster machine_of(size_t processors, size_t nics, clump_mapping mapping)
{
    return (clump_cluster){.nodes = 1,
                           .processors = processors,
                           .nics = nics,
                           .mapping = mapping,
                           .network = network,
                           .shared_memory = shared_memory,
                           .memory_penalty = 1.25};
}

static clump_schedule_result run(const clump_task_farm *farm, const clump_cluster *machine,
                                 const clump_schedule_rules *rules)
{
    clump_schedule_result result = {0};
    clump_error error = {CLUMP_OK, ""};
    if (clump_task_farm_run(farm, machine, rules, &result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return result;
}

static void is_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

/* ---- by hand */

/* Rank 1 gets a task of 10 us and rank 2 one of 100 us; the third, of 20 us by rank 2's time, is for who is first. */
static void whoever_is_first_gets_the_next(void **unused)
{
    (void)unused;
    clump_farm_task tasks[] = {{0, 1, 1, 10, 1}, {0, 1, 2, 100, 1}, {3, 1, 2, 20, 1}};
    clump_farm_worker workers[] = {{0, -1, 1}, {0, -1, 1}, {0, -1, 1}};
    clump_task_farm farm = {3, 0, tasks, 3, 2, workers, false};
    clump_cluster machine = machine_of(1, 1, CLUMP_MAPPING_POOLED);
    machine.network = (clump_loggp){5, 1, 1.5, 0.01, 0};
    machine.memory_penalty = 1;
    /* Tasks leave at 1 and 2; 10 us are over at 1 + 5 + 1.5 + 10, and 100 us at 2 + 5 + 1.5 + 100. */
    const double first = 17.5 + 1 + 5, next = first + 1.5 + 3 + 1, last = 108.5 + 1 + 5 + 1.5;
    clump_schedule_result r = run(&farm, &machine, NULL);
    is_near(r.time_us, last);
    is_near(r.mean_end_us, (last + (next + 5 + 1.5 + 20 + 1) + 109.5) / 3);
    is_near(r.messages, 6);
    /* A master that waits for its tasks to be taken sends the second one at 6 + 1, and is ready for a result. */
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules.rendezvous_above = 0;
    is_near(run(&farm, &machine, &rules).time_us, last);
    farm.blocking = true;
    is_near(run(&farm, &machine, &rules).time_us, last + 5);
    rules.rendezvous_above = 1; /* longer ones than those of a byte */
    is_near(run(&farm, &machine, &rules).time_us, last);
    tasks[2].us = 200; /* now rank 1 is last */
    is_near(run(&farm, &machine, NULL).time_us, next + 5 + 1.5 + 200 + 1 + 5 + 1.5);
    /* Rank 1 takes three times as long for a task as rank 2; its first one has its own time. */
    tasks[2].us = 100;
    workers[1].factor = 3;
    is_near(run(&farm, &machine, NULL).time_us, next + 5 + 1.5 + 300 + 1 + 5 + 1.5);
    machine.memory_penalty = 2;
    is_near(run(&farm, &machine, NULL).time_us, next + 10 + 3 + 5 + 1.5 + 600 + 1 + 5 + 1.5);
}

/* Both ask after 4 and 5 us; there is one task, and whose request came first gets it. */
static void workers_that_ask(void **unused)
{
    (void)unused;
    clump_farm_task task = {0, 1, 2, 10, -1};
    clump_farm_worker workers[] = {{0, -1, 1}, {5, 1, 1}, {4, 1, 1}};
    const clump_task_farm farm = {3, 0, &task, 1, 0, workers, false};
    clump_cluster machine = machine_of(1, 1, CLUMP_MAPPING_POOLED);
    machine.network = (clump_loggp){5, 1, 1.5, 0.01, 0};
    machine.memory_penalty = 1;
    const clump_schedule_result r = run(&farm, &machine, NULL);
    const double sent = 4 + 1 + 5 + 1.5 + 1, end = sent + 5 + 1.5 + 10;
    is_near(r.time_us, end);
    is_near(r.mean_end_us, (end + (5 + 1) + (sent + 1.5)) / 3);
}

/* ---- a simulation of its own */

enum { MOST_RANKS = 24, MOST_TASKS = 200, MOST_MESSAGES = 2 * MOST_TASKS + MOST_RANKS };

typedef enum deed { RANK_IS_DONE, FIRST_BYTE, ALL_THERE, NIC_IS_FREE, PACKET_COMES } deed;

typedef struct happening {
    double time;
    deed what;
    int of;       /* rank, message or NIC */
    double bytes; /* of a packet */
    bool last;
} happening;

typedef struct sent_message {
    int from, to, task; /* -1: a result */
    double bytes, unqueued, unsent;
} sent_message;

typedef struct simulated {
    const clump_task_farm *farm;
    const clump_cluster *machine;
    clump_rank_order order;
    double window, packet; /* 0: messages go as a whole */
    double rendezvous;     /* of the master's longer messages */
    happening *list;
    int happenings;
    sent_message messages[MOST_MESSAGES];
    int message_count;
    double sends_until[MOST_RANKS * 4], receives_until[MOST_RANKS * 4]; /* NICs */
    double out_until[MOST_RANKS], in_until[MOST_RANKS];                 /* ranks, in their node */
    int queue[MOST_RANKS * 4][4096]; /* packets of NICs: messages */
    int queue_begin[MOST_RANKS * 4], queue_end[MOST_RANKS * 4];
    bool nic_awaits[MOST_RANKS * 4];
    double in_queue[MOST_RANKS][MOST_RANKS]; /* bytes of a connection */
    int inbox[MOST_RANKS][MOST_MESSAGES];    /* messages that are there */
    int inbox_begin[MOST_RANKS], inbox_end[MOST_RANKS];
    bool busy[MOST_RANKS];
    int sending[MOST_RANKS]; /* what a rank hands over when it is done; -1: nothing */
    size_t given;
    double end;
    char *schedule[MOST_RANKS]; /* what ranks have done, in GOAL */
    int lines[MOST_RANKS];
} simulated;

static void plan(simulated *s, double time, deed what, int of, double bytes, bool last)
{
    assert_true(s->happenings < 8192);
    s->list[s->happenings++] = (happening){time, what, of, bytes, last};
}

static int place(const simulated *s, int rank)
{
    const int P = (int)s->machine->processors, R = (int)s->farm->ranks, nodes = (R + P - 1) / P;
    return s->order == CLUMP_RANKS_IN_BLOCKS ? rank : rank % nodes * P + rank / nodes;
}

static int node(const simulated *s, int rank)
{
    return place(s, rank) / (int)s->machine->processors;
}

static const clump_loggp *between(const simulated *s, int a, int b)
{
    return node(s, a) == node(s, b) ? &shared_memory : &network;
}

/* The one of the node that is free first, or that of the processor: here processors are a multiple of NICs. */
static int nic(const simulated *s, int rank, const double *until)
{
    const int N = (int)s->machine->nics, P = (int)s->machine->processors, first = node(s, rank) * N;
    int best = first;
    if (s->machine->mapping == CLUMP_MAPPING_STATIC)
        return first + place(s, rank) % P / (P / N);
    for (int i = first; i < first + N; i++)
        best = until[i] < until[best] ? i : best;
    return best;
}

/* Keeps it busy from then on; returns when that begins. */
static double occupy(double *until, double ready, double time)
{
    const double begin = fmax(ready, *until);
    *until = begin + time;
    return begin;
}

/* The connection queues packets, those of its first message first, while its window has room. */
static void fill(simulated *s, int from, int to, double now)
{
    const int k = nic(s, from, s->sends_until);
    for (int i = 0; i < s->message_count; i++) {
        sent_message *m = &s->messages[i];
        while (m->from == from && m->to == to && m->unqueued > 0) {
            const double bytes = fmin(m->unqueued, s->packet);
            if (s->in_queue[from][to] > 0 && s->in_queue[from][to] + bytes > s->window)
                return;
            s->in_queue[from][to] += bytes;
            m->unqueued -= bytes;
            assert_true(s->queue_end[k] < 4096);
            s->queue[k][s->queue_end[k]++] = i;
            if (!s->nic_awaits[k])
                plan(s, fmax(now, s->sends_until[k]), NIC_IS_FREE, k, 0, false);
            s->nic_awaits[k] = true;
        }
    }
}

static void hand_over(simulated *s, int i, double now)
{
    sent_message *m = &s->messages[i];
    const clump_loggp *p = between(s, m->from, m->to);
    const double rest = (m->bytes - 1) * p->gap_us_per_byte;
    if (p == &network && s->window > 0) {
        m->unqueued = m->unsent = m->bytes;
        fill(s, m->from, m->to, now);
        return;
    }
    double *until =
        p == &network ? &s->sends_until[nic(s, m->from, s->sends_until)] : &s->out_until[m->from];
    plan(s, occupy(until, now, p->gap_us + rest) + p->latency_us, FIRST_BYTE, i, 0, false);
}

static void first_byte(simulated *s, int i, double now)
{
    const sent_message *m = &s->messages[i];
    const clump_loggp *p = between(s, m->from, m->to);
    const double rest = (m->bytes - 1) * p->gap_us_per_byte;
    double *until =
        p == &network ? &s->receives_until[nic(s, m->to, s->receives_until)] : &s->in_until[m->to];
    plan(s, occupy(until, now, p->gap_us + rest) + rest, ALL_THERE, i, 0, false);
}

/* The first packet of the NIC's queue leaves. g is for the last one of a message, whose first byte takes no time. */
static double packet_time(double bytes, bool last)
{
    return last ? network.gap_us + (bytes - 1) * network.gap_us_per_byte
                : bytes * network.gap_us_per_byte;
}

static void send_packet(simulated *s, int k, double now)
{
    const int i = s->queue[k][s->queue_begin[k]++];
    sent_message *m = &s->messages[i];
    const double bytes = fmin(m->unsent, s->packet);
    m->unsent -= bytes;
    s->sends_until[k] = now + packet_time(bytes, m->unsent <= 0);
    plan(s, now + network.latency_us, PACKET_COMES, i, bytes, m->unsent <= 0);
    s->in_queue[m->from][m->to] -= bytes;
    fill(s, m->from, m->to, now);
    s->nic_awaits[k] = s->queue_begin[k] < s->queue_end[k];
    if (s->nic_awaits[k])
        plan(s, s->sends_until[k], NIC_IS_FREE, k, 0, false);
}

static void packet_comes(simulated *s, const happening *h)
{
    double *until = &s->receives_until[nic(s, s->messages[h->of].to, s->receives_until)];
    const double begin = occupy(until, h->time, packet_time(h->bytes, h->last));
    if (h->last)
        plan(s, begin + (h->bytes - 1) * network.gap_us_per_byte, ALL_THERE, h->of, 0, false);
}

static int new_message(simulated *s, int from, int to, int task, double bytes)
{
    s->messages[s->message_count] =
        (sent_message){.from = from, .to = to, .task = task, .bytes = fmax(bytes, 1)};
    return s->message_count++;
}

/* One more operation of the rank, after the one before. */
static void note(simulated *s, int rank, const char *what, double number, int peer)
{
    enum { ROOM = 1 << 17 };
    if (s->schedule[rank] == NULL)
        s->schedule[rank] = calloc(ROOM, 1);
    assert_non_null(s->schedule[rank]);
    char *end = strchr(s->schedule[rank], 0);
    const int line = s->lines[rank]++;
    const size_t room = ROOM - (size_t)(end - s->schedule[rank]);
    const int used = peer < 0 ? snprintf(end, room, "l%d: %s %.0f\n", line, what, number)
                              : snprintf(end, room, "l%d: %s %.0fb %s %d\n", line, what, number,
                                         strcmp(what, "send") == 0 ? "to" : "from", peer);
    assert_true(used > 0 && (size_t)used + 64 < room);
    if (line > 0)
        snprintf(end + used, room - (size_t)used, "l%d requires l%d\n", line, line - 1);
}

/* A rank that has nothing to do looks into its inbox; the master gives its first tasks before. */
static void go_on(simulated *s, int rank, double now)
{
    const clump_task_farm *f = s->farm;
    const int master = (int)f->master;
    const bool has_mail = s->inbox_begin[rank] < s->inbox_end[rank];
    const sent_message *m = has_mail ? &s->messages[s->inbox[rank][s->inbox_begin[rank]]] : NULL;
    int to = -1, sending = -1;
    double time = 0;
    if (rank == master && s->given < f->first)
        to = (int)f->tasks[s->given].worker;
    else if (m == NULL)
        return;
    else {
        s->inbox_begin[rank]++;
        note(s, rank, "recv", m->bytes, m->from);
        if (m->task >= 0 && m->bytes > s->rendezvous) { /* who sent it has waited for this */
            s->busy[master] = false;
            s->end = fmax(s->end, now);
            go_on(s, master, now);
        }
        time = between(s, m->from, m->to)->receive_overhead_us;
        if (rank == master && s->given < f->count)
            to = m->from;
    }
    if (rank != master) {
        const clump_farm_task *t = &f->tasks[m->task];
        time += s->machine->memory_penalty * t->us * f->workers[rank].factor /
                f->workers[t->worker].factor;
        note(s, rank, "calc", 1e3 * t->us * f->workers[rank].factor / f->workers[t->worker].factor,
             -1);
        if (t->result_bytes >= 0) {
            note(s, rank, "send", fmax(t->result_bytes, 1), master);
            time += between(s, rank, master)->send_overhead_us;
            sending = new_message(s, rank, master, -1, t->result_bytes);
        }
    } else if (to >= 0) {
        const clump_farm_task *t = &f->tasks[s->given];
        time +=
            s->machine->memory_penalty * t->before_us + between(s, master, to)->send_overhead_us;
        note(s, master, "calc", 1e3 * t->before_us, -1);
        note(s, master, "send", fmax(t->bytes, 1), to);
        sending = new_message(s, master, to, (int)s->given++, t->bytes);
    }
    s->busy[rank] = true;
    s->sending[rank] = sending;
    plan(s, now + time, RANK_IS_DONE, rank, 0, false);
}

static void happen(simulated *s, const happening *h)
{
    int rank;
    switch (h->what) {
    case RANK_IS_DONE:
        rank = h->of;
        s->end = fmax(s->end, h->time);
        if (s->sending[rank] >= 0)
            hand_over(s, s->sending[rank], h->time);
        if (rank == (int)s->farm->master && s->sending[rank] >= 0 &&
            s->messages[s->sending[rank]].bytes > s->rendezvous)
            break;
        s->busy[rank] = false;
        go_on(s, rank, h->time);
        break;
    case FIRST_BYTE:
        first_byte(s, h->of, h->time);
        break;
    case ALL_THERE:
        rank = s->messages[h->of].to;
        s->inbox[rank][s->inbox_end[rank]++] = h->of;
        if (!s->busy[rank])
            go_on(s, rank, h->time);
        break;
    case NIC_IS_FREE:
        send_packet(s, h->of, h->time);
        break;
    case PACKET_COMES:
        packet_comes(s, h);
        break;
    }
}

static clump_schedule *schedule_of(const simulated *s)
{
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    size_t size = 64, used = 0;
    for (uint32_t r = 0; r < s->farm->ranks; r++)
        size += 32 + (s->schedule[r] != NULL ? strlen(s->schedule[r]) : 0);
    char *text = malloc(size);
    assert_non_null(text);
    used += (size_t)snprintf(text, size, "num_ranks %u\n", (unsigned)s->farm->ranks);
    for (uint32_t r = 0; r < s->farm->ranks; r++)
        used += (size_t)snprintf(text + used, size - used, "rank %u {\n%s}\n", (unsigned)r,
                                 s->schedule[r] != NULL ? s->schedule[r] : "");
    if (clump_schedule_parse(text, used, &schedule, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    free(text);
    return schedule;
}

/* @param schedule  receives that of what ranks did, to be freed; NULL: not all tasks were done, of which the longest tells how long packets are */
static double simulate(const clump_task_farm *f, const clump_cluster *machine,
                       const clump_schedule_rules *rules, clump_schedule **schedule)
{
    const double window = (double)rules->window_bytes;
    simulated *s = calloc(1, sizeof *s);
    double longest = 0;
    assert_non_null(s);
    s->list = calloc(8192, sizeof *s->list);
    assert_non_null(s->list);
    s->farm = f;
    s->machine = machine;
    s->order = rules->order;
    s->rendezvous = f->blocking && rules->rendezvous_above < UINT64_MAX
                        ? (double)rules->rendezvous_above
                        : HUGE_VAL;
    for (size_t i = 0; i < f->count; i++)
        longest = fmax(longest, fmax(f->tasks[i].bytes, f->tasks[i].result_bytes));
    for (uint32_t r = 0; r < f->ranks; r++)
        longest = fmax(longest, f->workers[r].start_bytes);
    if (window > 0) {
        s->packet = fmax(ceil(window / 4), ceil(longest / 16));
        s->window = fmax(window, s->packet);
    }
    for (int r = 0; r < (int)f->ranks; r++) {
        const clump_farm_worker *w = &f->workers[r];
        s->sending[r] = -1;
        if (r == (int)f->master || (w->start_bytes < 0 && w->start_us <= 0))
            continue;
        double time = machine->memory_penalty * w->start_us;
        note(s, r, "calc", 1e3 * w->start_us, -1);
        if (w->start_bytes >= 0) {
            note(s, r, "send", fmax(w->start_bytes, 1), (int)f->master);
            time += between(s, r, (int)f->master)->send_overhead_us;
            s->sending[r] = new_message(s, r, (int)f->master, -1, w->start_bytes);
        }
        s->busy[r] = true;
        plan(s, time, RANK_IS_DONE, r, 0, false);
    }
    go_on(s, (int)f->master, 0);
    while (s->happenings > 0) {
        int next = 0;
        for (int i = 1; i < s->happenings; i++)
            next = s->list[i].time < s->list[next].time ? i : next;
        const happening h = s->list[next];
        s->list[next] = s->list[--s->happenings];
        happen(s, &h);
    }
    const double end = s->end;
    if (schedule != NULL)
        *schedule = s->given == f->count ? schedule_of(s) : NULL;
    for (int r = 0; r < (int)f->ranks; r++)
        free(s->schedule[r]);
    free(s->list);
    free(s);
    return end;
}

/* ---- many */

static clump_farm_task tasks[MOST_TASKS];
static clump_farm_worker workers[MOST_RANKS];

/* The next number of a seed. A function: parts of an initializer come in any order, but not at once. */
static double next_random(uint64_t seed, uint64_t *index)
{
    return clump_random_uniform(seed, 1, (*index)++);
}

/* Times are whole nanoseconds. */
static clump_task_farm farm_of(uint64_t seed)
{
    uint64_t index = 0;
#define RANDOM() next_random(seed, &index)
    clump_task_farm f = {.ranks = 2 + (uint32_t)(RANDOM() * (MOST_RANKS - 1)),
                         .tasks = tasks,
                         .count = 1 + (size_t)(RANDOM() * MOST_TASKS),
                         .workers = workers};
    f.blocking = RANDOM() < 0.5;
    const bool ask = RANDOM() < 0.3, differ = RANDOM() < 0.5;
    const double us = 1 + 400 * RANDOM(), bytes = pow(10, 4.5 * RANDOM());
    const double most = f.blocking ? 1000 : HUGE_VAL; /* workers do not block */
    const size_t each = 1 + (size_t)(3 * RANDOM());
    f.master = (uint32_t)(RANDOM() * f.ranks);
    f.first = each * (f.ranks - 1) < f.count ? each * (f.ranks - 1) : f.count;
    if (ask)
        f.first = 0;
    for (uint32_t r = 0; r < f.ranks; r++)
        workers[r] =
            (clump_farm_worker){ask || RANDOM() < 0.5 ? 1e-3 * floor(1e3 * us * RANDOM()) : 0,
                                ask ? floor(100 * RANDOM()) : -1, differ && RANDOM() < 0.5 ? 2 : 1};
    for (size_t i = 0; i < f.count; i++) {
        const uint32_t worker = (uint32_t)i % (f.ranks - 1);
        tasks[i] = (clump_farm_task){.before_us = RANDOM() < 0.5 ? 1e-3 * floor(2e4 * RANDOM()) : 0,
                                     .bytes = floor(bytes * RANDOM()),
                                     .worker = worker + (worker >= f.master),
                                     .us = 2e-3 * floor(-500 * log(RANDOM()) * us),
                                     .result_bytes =
                                         RANDOM() < 0.9 ? floor(fmin(bytes, most) * RANDOM()) : -1};
    }
#undef RANDOM
    return f;
}

/* And as a schedule of what its ranks did has it. Of messages by packets it is told which NIC of several takes the next one: that of its processor. */
static void as_another_simulation_has_it(void **unused)
{
    (void)unused;
    int windows_matter = 0, schedules = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        const clump_task_farm f = farm_of(seed);
        const size_t N = seed % 3 + 1, P = N * (seed / 3 % 4 + 1);
        const clump_mapping mapping = seed % 2 == 0 ? CLUMP_MAPPING_POOLED : CLUMP_MAPPING_STATIC;
        clump_cluster machine = machine_of(P, N, mapping);
        clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
        rules.order = seed / 12 % 2 == 0 ? CLUMP_RANKS_IN_BLOCKS : CLUMP_RANKS_ROUND_ROBIN;
        if (seed % 2 == 0)
            rules.rendezvous_above = 1000;
        const double whole = simulate(&f, &machine, &rules, NULL);
        is_near(run(&f, &machine, &rules).time_us, whole);
        machine.mapping = N == 1 ? mapping : CLUMP_MAPPING_STATIC;
        rules.window_bytes = seed % 5 == 0 ? 1 : 1000 * (seed % 7 + 1);
        clump_schedule *schedule;
        const double by_packets = simulate(&f, &machine, &rules, &schedule);
        is_near(run(&f, &machine, &rules).time_us, by_packets);
        windows_matter += mapping == machine.mapping && fabs(by_packets / whole - 1) > 0.01;
        /* Who does not block waits for no message. */
        if (!f.blocking)
            rules.rendezvous_above = UINT64_MAX;
        clump_schedule_result result = {0};
        clump_error error = {CLUMP_OK, ""};
        if (schedule == NULL)
            continue;
        if (clump_schedule_run(schedule, &machine, &rules, &result, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        is_near(result.time_us, by_packets);
        clump_schedule_free(schedule);
        schedules++;
    }
    assert_true(windows_matter > 50 && schedules > 400);
}

/* Open MPI goes on by two places for each message: of two NICs that is always the same one. */
static void in_turn(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 40; seed++) {
        const clump_task_farm f = farm_of(seed);
        const clump_cluster one = machine_of(4, 1, CLUMP_MAPPING_POOLED),
                            two = machine_of(4, 2, CLUMP_MAPPING_POOLED);
        clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
        rules.window_bytes = seed % 2 == 0 ? 0 : CLUMP_SCHEDULE_TCP_WINDOW;
        const double time = run(&f, &one, &rules).time_us;
        rules.nic_turns = CLUMP_SCHEDULE_OPEN_MPI_TURNS;
        rules.stripe_above = CLUMP_SCHEDULE_OPEN_MPI_STRIPE;
        is_near(run(&f, &two, &rules).time_us, time);
    }
}

/* ---- what is refused */

static void refused(void **unused)
{
    (void)unused;
    clump_farm_task task = {0, 1, 1, 10, 1};
    clump_farm_worker two[] = {{0, -1, 1}, {0, -1, 1}};
    const clump_task_farm good = {2, 0, &task, 1, 1, two, false};
    clump_cluster machine = machine_of(1, 1, CLUMP_MAPPING_POOLED);
    clump_schedule_result result = {.time_us = -1};
    clump_error error;
    clump_task_farm farm = good;
    farm.first = 2;
    assert_int_equal(clump_task_farm_run(&farm, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "with 1 tasks, 2 of them at first"));
    farm = good;
    farm.master = 2;
    assert_int_equal(clump_task_farm_run(&farm, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "rank 2 of 2"));
    farm = good;
    farm.count = (size_t)1 << 28; /* they are counted before any is looked at */
    assert_int_equal(clump_task_farm_run(&farm, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "expected less than 2^28"));
    task.worker = 0;
    assert_int_equal(clump_task_farm_run(&good, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "task 0 is that of rank 0, expected a worker"));
    task.worker = 1;
    machine.memory = (clump_memory){.share = 0.5, .feeds = 1};
    assert_int_equal(clump_task_farm_run(&good, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "expected none"));
    assert_true(result.time_us == -1);
}

static int stop(double share, void *context)
{
    *(double *)context = share;
    return 1;
}

static void stopped(void **unused)
{
    (void)unused;
    enum { MANY = 40000 };
    clump_farm_task *many = calloc(MANY, sizeof *many);
    clump_farm_worker two[] = {{0, -1, 1}, {0, -1, 1}};
    const clump_task_farm farm = {2, 0, many, MANY, 1, two, false};
    double share = -1;
    const clump_watch watch = {.look = stop, .context = &share};
    clump_cluster machine = machine_of(1, 1, CLUMP_MAPPING_POOLED);
    clump_schedule_result result;
    assert_non_null(many);
    for (size_t i = 0; i < MANY; i++)
        many[i] = (clump_farm_task){0, 1, 1, 1, 1};
    machine.watch = &watch;
    assert_int_equal(clump_task_farm_run(&farm, &machine, NULL, &result, NULL), CLUMP_STOPPED);
    assert_true(share > 0.1 && share < 0.9);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_is_first_gets_the_next),
        cmocka_unit_test(workers_that_ask),
        cmocka_unit_test(as_another_simulation_has_it),
        cmocka_unit_test(in_turn),
        cmocka_unit_test(refused),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
