/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded.h"

#include "model/result.h"
#include "model/simulation/kept_calls.h"
#include "model/workload/collective.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a run, kept with its schedules */

clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_recorded_run *run)
{
    clump_recorded_kept *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        free(run);
        return NULL;
    }
    *kept = (clump_recorded_kept){.next = *list, .run = run};
    pthread_mutex_init(&kept->lock, NULL);
    *list = kept;
    return kept;
}

void clump_recorded_kept_free(clump_recorded_kept *list)
{
    while (list != NULL) {
        clump_recorded_kept *first = list;
        list = first->next;
        while (first->schedules != NULL) {
            clump_recorded_schedule *s = first->schedules;
            first->schedules = s->next;
            clump_schedule_free(s->schedule);
            free(s);
        }
        pthread_mutex_destroy(&first->lock);
        free(first->run);
        free(first);
    }
}

double clump_recorded_kept_bytes(const clump_recorded_run *run)
{
    static const double unpacked = 5; /* bytes for one of the text: some 8 are an operation */
    return (double)sizeof *run +
           (run->calls != NULL ? (1 + unpacked) * (double)strlen(run->calls) : 0);
}

/* A GOAL schedule is kept as it is. */
static clump_status make(const clump_recorded_run *run, uint64_t most, clump_recorded_schedule *s,
                         clump_error *error)
{
    const clump_kept_machine machine = {.library = clump_mpi_library_of(run->library),
                                        .processors = s->processors,
                                        .order = s->order,
                                        .most_operations = most};
    clump_schedule_left_out left = {0, 0, NULL};
    if (run->calls == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the recording was imported without its calls, expected them: import it "
                          "again");
    if (strcmp(run->origin, "goal") == 0)
        return clump_schedule_parse(run->calls, strlen(run->calls), &s->schedule, error);
    const clump_status status =
        clump_kept_schedule(run->calls, (size_t)run->ranks, &machine, &s->schedule, &left, error);
    s->left_out = (double)left.operations + (double)left.messages;
    return status;
}

clump_status clump_recorded_kept_schedule(clump_recorded_kept *kept, size_t processors,
                                          clump_rank_order order, uint64_t most_operations,
                                          const clump_recorded_schedule **schedule,
                                          clump_error *error)
{
    const bool looks = clump_mpi_library_of(kept->run->library) == CLUMP_MPI_MPICH &&
                       processors > 1 && strcmp(kept->run->origin, "goal") != 0;
    const clump_recorded_schedule wanted = {.processors = looks ? processors : 1,
                                            .order = looks ? order : CLUMP_RANKS_IN_BLOCKS};
    clump_status status = CLUMP_OK;
    pthread_mutex_lock(&kept->lock);
    clump_recorded_schedule *s = kept->schedules;
    while (s != NULL && (s->processors != wanted.processors || s->order != wanted.order))
        s = s->next;
    if (s == NULL) {
        s = malloc(sizeof *s);
        if (s != NULL)
            *s = wanted;
        status = s != NULL ? make(kept->run, most_operations, s, error)
                           : clump_fail_memory(error, "recorded calls");
        if (status == CLUMP_OK) {
            s->next = kept->schedules;
            kept->schedules = s;
        } else {
            free(s);
        }
    }
    pthread_mutex_unlock(&kept->lock);
    if (status == CLUMP_OK)
        *schedule = s;
    return status;
}

/* ---- what is said of it */

static void add_note(clump_recorded *p, clump_arena *arena, const char *text, size_t size)
{
    char *copy = p->note_count < CLUMP_RECORDED_NOTES ? clump_arena_take(arena, size + 1) : NULL;
    if (copy == NULL)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    p->notes[p->note_count++] = copy;
}

void clump_recorded_note(clump_recorded *p, clump_arena *arena, const char *format, ...)
{
    char text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    add_note(p, arena, text, strlen(text));
}

/* Bytes of messages, and which of them are short. */
typedef struct message_sum {
    double longest, bytes, short_bytes;
} message_sum;

static message_sum sum_messages(const clump_schedule *schedule, uint64_t eager_most)
{
    message_sum sum = {0, 0, 0};
    for (size_t i = 0; i < clump_schedule_operations(schedule); i++) {
        const clump_schedule_step step = clump_schedule_step_of(schedule, i);
        const double bytes = (double)step.size;
        if (step.what != CLUMP_SCHEDULE_SENDS)
            continue;
        sum.longest = fmax(sum.longest, bytes);
        sum.bytes += bytes;
        sum.short_bytes += step.size <= eager_most ? bytes : 0;
    }
    return sum;
}

static void note_all(clump_recorded *p, clump_arena *arena, const message_sum *sum)
{
    const clump_recorded_run *run = p->kept->run;
    for (const char *at = run->notes; at != NULL && *at != '\0'; at += strspn(at, "\n")) {
        const size_t size = strcspn(at, "\n");
        add_note(p, arena, at, size);
        at += size;
    }
    if (p->left_out > 0)
        clump_recorded_note(
            p, arena, "%.4g operations are left out that wait for what is not in the recording.",
            p->left_out);
    const clump_mpi_transport *t = &p->transports.remote;
    if (p->turns && sum->short_bytes > 0)
        clump_recorded_note(
            p, arena,
            "%s is taken to send messages of up to %" PRIu64 " bytes (%.0f%% of the bytes) as it "
            "does over %s: by one NIC%s. If another transport uses any free NIC, say so: "
            "--stripe-bytes 1G, stripe_bytes in scenarios.",
            clump_mpi_library_of(run->library) == CLUMP_MPI_MPICH ? "MPICH" : "Open MPI",
            t->eager_most, 100 * sum->short_bytes / sum->bytes,
            strcmp(t->name, "tcp") == 0 ? "TCP" : t->name,
            t->turns ? " in turn for each partner, so that of an even number of NICs half are used"
                     : ", the same for all");
    if (clump_recorded_share(p) < 0.999)
        clump_recorded_note(p, arena,
                            "Its calls are a sample, %.3g s of %.3g s: slowdowns are theirs.",
                            run->seconds, run->run);
}

/* ---- playing it */

/* Messages take NICs as those of Open MPI do only where all NICs are alike, and every rank uses all. */
static bool may_take_turns(const clump_node *node)
{
    return node->nics > 1 && node->mapping == CLUMP_MAPPING_POOLED &&
           node->placement.domains <= 1 && node->placement.slots.bandwidth == 0;
}

static clump_schedule_rules rules_of(const clump_recorded *p, const clump_node *node)
{
    const clump_recorded_run *run = p->kept->run;
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules.order = p->options.order;
    if (strcmp(run->origin, "goal") == 0) /* messages as its format has them */
        return rules;
    rules.window_bytes = p->transports.remote.window;
    clump_schedule_as_library(&rules, &p->transports, p->turns && may_take_turns(node), true);
    return rules;
}

static clump_status replay(const clump_recorded *p, const clump_schedule *schedule,
                           const clump_node *node, double memory_penalty,
                           clump_schedule_result *result, clump_error *error)
{
    const clump_schedule_rules rules = rules_of(p, node);
    clump_cluster cluster = {.nodes = (p->ranks + node->processors - 1) / node->processors,
                             .node = *node,
                             .network = p->network,
                             .shared_memory =
                                 p->options.shared_memory != NULL ? p->shared_memory : p->network,
                             .half_duplex = p->options.half_duplex,
                             .memory_penalty = memory_penalty};
    return clump_schedule_run(schedule, &cluster, &rules, result, error);
}

static clump_status replay_on_now(clump_recorded *p, const clump_schedule *schedule,
                                  const clump_watch *watch, clump_error *error)
{
    const clump_node alone = {.processors = 1, .nics = 1, .watch = watch};
    clump_schedule_result result = {.time_us = 0};
    const clump_status status = replay(p, schedule, &alone, 1, &result, error);
    if (status != CLUMP_OK)
        return status;
    p->now_us = result.time_us;
    return p->now_us > 0 ? CLUMP_OK
                         : clump_fail(error, CLUMP_BAD_ARGUMENT,
                                      "the calls of the recording take no time, expected some "
                                      "computation or messages");
}

clump_status clump_recorded_make(clump_recorded_kept *kept, const clump_recorded_options *options,
                                 clump_arena *arena, clump_recorded *program, clump_error *error)
{
    const clump_recorded_run *run = kept->run;
    const clump_recorded_schedule *calls;
    clump_recorded *p = program;
    *p = (clump_recorded){.kept = kept,
                          .options = *options,
                          .ranks = (size_t)run->ranks,
                          .network = *options->network};
    p->options.network = &p->network;
    if (options->shared_memory != NULL) {
        p->shared_memory = *options->shared_memory;
        p->options.shared_memory = &p->shared_memory;
    }
    p->transports = clump_mpi_transports_of(run->library);
    p->turns = options->stripe_bytes == 0 && p->transports.known;
    clump_status status = clump_recorded_kept_schedule(
        kept, 1, options->order, CLUMP_RECORDED_MOST_OPERATIONS, &calls, error);
    if (status != CLUMP_OK)
        return status;
    const message_sum sum = sum_messages(calls->schedule, p->transports.remote.eager_most);
    if (options->stripe_bytes > 0 && sum.longest > options->stripe_bytes)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "stripe bytes: found %.6g, expected at least the %.6g of its longest "
                          "message: messages that are cut are not played",
                          options->stripe_bytes, sum.longest);
    p->operations = (double)clump_schedule_operations(calls->schedule);
    p->left_out = calls->left_out;
    p->options.watch = NULL; /* that of the caller, who stays for this replay only */
    status = replay_on_now(p, calls->schedule, options->watch, error);
    if (status == CLUMP_OK && !isfinite(clump_recorded_now_s(p)))
        status =
            clump_fail(error, CLUMP_BAD_ARGUMENT,
                       "the calls are a sample, %.3g s of %.3g s: found a run that takes longer "
                       "than a number can say",
                       run->seconds, run->run);
    note_all(p, arena, &sum);
    return status;
}

double clump_recorded_share(const clump_recorded *p)
{
    const clump_recorded_run *run = p->kept->run;
    return run->run > 0 && run->seconds >= 0 ? fmin(run->seconds / run->run, 1) : 1;
}

double clump_recorded_now_s(const clump_recorded *p)
{
    const double share = clump_recorded_share(p);
    return 1e-6 * p->now_us / (share > 0 ? share : 1);
}

/* ---- on nodes */

static double remote_share(const clump_recorded *p, const clump_schedule *schedule,
                           size_t processors)
{
    double sent = 0, remote = 0, messages = 0, remote_messages = 0;
    const uint32_t R = (uint32_t)p->ranks, P = (uint32_t)processors;
    for (size_t i = 0; i < clump_schedule_operations(schedule); i++) {
        const clump_schedule_step step = clump_schedule_step_of(schedule, i);
        if (step.what != CLUMP_SCHEDULE_SENDS)
            continue;
        const bool leaves = clump_rank_place(p->options.order, step.rank, R, P) / P !=
                            clump_rank_place(p->options.order, step.peer, R, P) / P;
        sent += (double)step.size;
        messages++;
        remote += leaves ? (double)step.size : 0;
        remote_messages += leaves;
    }
    return sent > 0 ? remote / sent : messages > 0 ? remote_messages / messages : 0;
}

clump_status clump_recorded_place(const clump_recorded *program, size_t processors,
                                  clump_recorded_placed *placed, clump_error *error)
{
    const clump_recorded *p = program;
    const clump_recorded_schedule *calls;
    *placed = (clump_recorded_placed){.program = p, .processors = processors};
    if (processors > p->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "it was recorded with %zu rank%s, expected that many processors in a "
                          "node at most, found %zu: what a program does with more ranks is not "
                          "known",
                          p->ranks, p->ranks == 1 ? "" : "s", processors);
    if (p->options.order != CLUMP_RANKS_IN_BLOCKS && p->ranks % processors != 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "its %zu ranks, one to each node in turn, leave nodes of %zu processors "
                          "that are not full: expected as many as divide them",
                          p->ranks, processors);
    const clump_status status = clump_recorded_kept_schedule(
        p->kept, processors, p->options.order, CLUMP_RECORDED_MOST_OPERATIONS, &calls, error);
    if (status != CLUMP_OK)
        return status;
    placed->schedule = calls->schedule;
    placed->remote_fraction = remote_share(p, calls->schedule, processors);
    if (processors > 1 && placed->remote_fraction < 1 && p->options.shared_memory == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "messages between ranks of a node have no costs: expected the LogGP "
                          "parameters of shared memory as well");
    return CLUMP_OK;
}

clump_status clump_recorded_predict(const clump_recorded_placed *placed, const clump_node *node,
                                    double memory_penalty, clump_prediction *prediction,
                                    clump_error *error)
{
    clump_schedule_result result = {.time_us = 0};
    const double none = CLUMP_RESULT_NONE;
    if (node->processors != placed->processors)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a node of %zu processors, expected the %zu for which ranks were placed",
                          node->processors, placed->processors);
    if (clump_memory_is_station(&node->memory))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "memory that processors share, expected none where recorded calls are "
                          "played: give memory_penalty");
    const clump_status status =
        replay(placed->program, placed->schedule, node, memory_penalty, &result, error);
    if (status != CLUMP_OK)
        return status;
    const double X = result.time_us / placed->program->now_us;
    *prediction = (clump_prediction){.slowdown = X,
                                     .slowest = X,
                                     .adjusted_utilization = none,
                                     .mean_active = none,
                                     .nic_utilization =
                                         fmax(result.nic_utilization, result.receive_utilization)};
    return CLUMP_OK;
}
