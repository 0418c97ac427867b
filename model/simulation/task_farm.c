/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages have numbers: those of tasks are theirs, then those of their results, then what each rank begins with. Events below
 * their count: the sender is done with the message, which goes to its NIC; that of their count: the master is free, which has taken a result
 * and sends nothing, or whose task has met its receive.
 */
#include "model/simulation/task_farm.h"

#include "model/simulation/schedule_engine.h"
#include "model/simulation/schedule_nics.h"

#include <math.h>
#include <stdlib.h>

/* Two messages a task and one a rank have numbers of 30 bits, and windows need some, too. */
static const double most_numbered = 1 << 29;

typedef struct farm_run {
    const clump_task_farm *farm;
    double rendezvous_above; /* bytes of tasks for which the master waits; HUGE_VAL: of none */
    schedule_machine machine;
    event_queue events;
    schedule_nics nics;
    uint32_t *given_to; /* by task: rank */
    uint32_t *came;     /* ranks whose results the master has got, in this order */
    size_t came_count, taken;
    size_t given; /* tasks */
    bool busy;    /* the master */
} farm_run;

/* ---- messages */

static uint32_t result_of(const farm_run *r, uint32_t task)
{
    return (uint32_t)r->farm->count + task;
}

static uint32_t beginning_of(const farm_run *r, uint32_t rank)
{
    return 2 * (uint32_t)r->farm->count + rank;
}

static uint32_t message_count(const farm_run *r)
{
    return beginning_of(r, r->farm->ranks);
}

static bool is_task(const farm_run *r, uint32_t m)
{
    return m < r->farm->count;
}

/* Who sends the message to the master, or gets it from there. */
static uint32_t worker_of(const farm_run *r, uint32_t m)
{
    const uint32_t count = (uint32_t)r->farm->count;
    return m < count ? r->given_to[m] : m < 2 * count ? r->given_to[m - count] : m - 2 * count;
}

static double bytes_of(const farm_run *r, uint32_t m)
{
    const clump_task_farm *f = r->farm;
    const double bytes = m < f->count       ? f->tasks[m].bytes
                         : m < 2 * f->count ? f->tasks[m - f->count].result_bytes
                                            : f->workers[m - 2 * f->count].start_bytes;
    return bytes > 1 ? bytes : 1;
}

/* Ends of it in the machine. */
static uint32_t from_of(const farm_run *r, uint32_t m)
{
    return schedule_machine_place(&r->machine, is_task(r, m) ? r->farm->master : worker_of(r, m));
}

static uint32_t to_of(const farm_run *r, uint32_t m)
{
    return schedule_machine_place(&r->machine, is_task(r, m) ? worker_of(r, m) : r->farm->master);
}

static const clump_loggp *way(const farm_run *r, uint32_t worker)
{
    return network_protocol(&r->machine.net, schedule_machine_place(&r->machine, worker),
                            schedule_machine_place(&r->machine, r->farm->master));
}

static double computing(const farm_run *r, double us)
{
    return us * SCHEDULE_NS_PER_US * r->machine.cluster.memory_penalty;
}

/* ---- the master */

/* It begins with the next task, which is for that worker. */
static void give(farm_run *r, uint32_t worker, double now)
{
    const uint32_t task = (uint32_t)r->given++;
    r->given_to[task] = worker;
    event_queue_add(&r->events,
                    now + computing(r, r->farm->tasks[task].before_us) +
                        way(r, worker)->send_overhead_us,
                    task);
}

/* What it does next: first tasks, or the result that came first. */
static void go_on(farm_run *r, double now)
{
    const clump_task_farm *f = r->farm;
    r->busy = true;
    if (r->given < f->first) {
        give(r, f->tasks[r->given].worker, now);
    } else if (r->taken < r->came_count) {
        const uint32_t worker = r->came[r->taken++];
        const double then = now + way(r, worker)->receive_overhead_us;
        if (r->given < f->count)
            give(r, worker, then);
        else
            event_queue_add(&r->events, then, message_count(r));
    } else {
        r->busy = false;
    }
}

/* ---- workers */

/* After what it is doing, or now; `m` is what it sends then, if it has any bytes. */
static void work(farm_run *r, uint32_t rank, double us, double bytes, uint32_t m, double now)
{
    double *end = &r->machine.ends[rank];
    *end = now + computing(r, us);
    if (bytes >= 0) {
        *end += way(r, rank)->send_overhead_us;
        event_queue_add(&r->events, *end, m);
    }
}

static void take_task(farm_run *r, uint32_t task, double now)
{
    const clump_task_farm *f = r->farm;
    const clump_farm_task *t = &f->tasks[task];
    const uint32_t rank = r->given_to[task];
    const double factor = f->workers[rank].factor / f->workers[t->worker].factor;
    const double begin = network_later(now, r->machine.ends[rank]);
    if (t->bytes > r->rendezvous_above)
        event_queue_add(&r->events, begin, message_count(r));
    work(r, rank, t->us * factor, t->result_bytes, result_of(r, task),
         begin + way(r, rank)->receive_overhead_us);
}

/* ---- events */

static void sent(farm_run *r, uint32_t m, double now)
{
    const uint32_t messages = message_count(r);
    if (m < messages) {
        r->machine.messages++;
        schedule_nics_send(&r->nics, m, from_of(r, m), to_of(r, m), bytes_of(r, m), now);
    }
    if (m == messages || (is_task(r, m) && !(r->farm->tasks[m].bytes > r->rendezvous_above))) {
        r->machine.ends[r->farm->master] = now;
        go_on(r, now);
    }
}

static void deliver(farm_run *r, uint32_t m, double now)
{
    if (is_task(r, m)) {
        take_task(r, m, now);
        return;
    }
    r->came[r->came_count++] = worker_of(r, m);
    if (!r->busy)
        go_on(r, now);
}

static void run_all(farm_run *r)
{
    const clump_task_farm *f = r->farm;
    event_entry event;
    for (uint32_t rank = 0; rank < f->ranks; rank++) {
        const clump_farm_worker *w = &f->workers[rank];
        if (rank != f->master && (w->start_us > 0 || w->start_bytes >= 0))
            work(r, rank, w->start_us, w->start_bytes, beginning_of(r, rank), 0);
    }
    go_on(r, 0);
    while (!r->events.failed && event_queue_take(&r->events, &event)) {
        if (!schedule_machine_goes_on(&r->machine, r->given, f->count))
            break;
        const uint32_t kind = event.id & SCHEDULE_NICS_KIND, id = event.id & ~SCHEDULE_NICS_KIND;
        if (kind == SCHEDULE_NICS_ARRIVAL) {
            if (schedule_nics_arrive(&r->nics, id, from_of(r, id), to_of(r, id), bytes_of(r, id),
                                     event.time))
                deliver(r, id, event.time);
        } else if (kind == SCHEDULE_NICS_DELIVERY) {
            if (schedule_nics_complete(&r->nics, id))
                deliver(r, id, event.time);
        } else if (id <= message_count(r)) {
            sent(r, id, event.time);
        } else {
            nic_windows_go_on(&r->nics.windows, id, event.time);
        }
    }
}

static double longest_message(const clump_task_farm *f)
{
    double longest = 1;
    for (size_t i = 0; i < f->count; i++) {
        longest = network_later(longest, f->tasks[i].bytes);
        longest = network_later(longest, f->tasks[i].result_bytes);
    }
    for (uint32_t i = 0; i < f->ranks; i++)
        longest = network_later(longest, f->workers[i].start_bytes);
    return longest;
}

static clump_status check(const clump_task_farm *f, clump_error *error)
{
    if (f->ranks < 2 || f->master >= f->ranks || f->first > f->count)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "a master (rank %u of %u) with %zu tasks, %zu of them at first: expected "
                          "one of two ranks or more, and as many tasks or more",
                          (unsigned)f->master, (unsigned)f->ranks, f->count, f->first);
    if (2 * (double)f->count + f->ranks > most_numbered)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found %zu tasks of %u ranks, expected less than 2^28", f->count,
                          (unsigned)f->ranks);
    for (size_t i = 0; i < f->count; i++)
        if (f->tasks[i].worker >= f->ranks || f->tasks[i].worker == f->master)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "task %zu is that of rank %u, expected a worker of %u ranks", i,
                              (unsigned)f->tasks[i].worker, (unsigned)f->ranks);
    return CLUMP_OK;
}

clump_status clump_task_farm_run(const clump_task_farm *farm, const clump_cluster *machine,
                                 const clump_schedule_rules *rules, clump_schedule_result *result,
                                 clump_error *error)
{
    const clump_schedule_rules defaults = CLUMP_SCHEDULE_RULES_DEFAULTS;
    farm_run r = {.farm = farm, .rendezvous_above = HUGE_VAL};
    rules = rules != NULL ? rules : &defaults;
    clump_status status = check(farm, error);
    if (status == CLUMP_OK)
        status = schedule_machine_make(&r.machine, machine, farm->ranks, rules->order, error);
    if (status == CLUMP_OK) {
        const uint32_t messages = message_count(&r);
        if (farm->blocking && rules->rendezvous_above < UINT64_MAX)
            r.rendezvous_above = (double)rules->rendezvous_above;
        event_queue_make(&r.events);
        r.given_to = malloc((farm->count + 1) * sizeof *r.given_to);
        r.came = malloc((farm->count + farm->ranks) * sizeof *r.came);
        const bool made = schedule_nics_make(&r.nics, rules, longest_message(farm), &r.machine.net,
                                             &r.events, messages + 1, messages);
        if (made && r.given_to != NULL && r.came != NULL)
            run_all(&r);
        if (!made || r.given_to == NULL || r.came == NULL || r.events.failed)
            status = clump_fail_memory(error, "the tasks of a master");
        else if (r.machine.stopped)
            status = clump_fail(error, CLUMP_STOPPED, "interrupted");
        else
            *result = schedule_machine_result(&r.machine);
        schedule_nics_release(&r.nics);
        event_queue_release(&r.events);
    }
    free(r.given_to);
    free(r.came);
    schedule_machine_release(&r.machine);
    return status;
}
