/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_rows.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A quantity over the workers, and what the document has of it. */
typedef struct row {
    const char *quantity, *transport, *unit;
    double mean, least, greatest;
    double document, error;
} row;

/* Where a quantity stands in a worker, and what it is called in the database. */
typedef struct quantity {
    const char *name, *transport, *unit;
    size_t offset;
    bool counted; /* uint64_t; else microseconds */
} quantity;

static const char network[] = "network", memory[] = "shared-memory";

#define TIME(member) "", "s", offsetof(clump_application_worker, member), false
#define COUNT(transport, unit, member)                                                             \
    transport, unit, offsetof(clump_application_worker, member), true

static const quantity quantities[] = {
    {"execution_time", TIME(time_us)},
    {"compute_time", TIME(parts.compute_us)},
    {"send_time", TIME(parts.send_us)},
    {"receive_time", TIME(parts.receive_us)},
    {"wait_time", TIME(parts.wait_us)},
    {"short_messages", COUNT(network, "count", traffic.short_remote.messages)},
    {"short_bytes", COUNT(network, "B", traffic.short_remote.bytes)},
    {"bulk_messages", COUNT(network, "count", traffic.bulk_remote.messages)},
    {"bulk_bytes", COUNT(network, "B", traffic.bulk_remote.bytes)},
    {"short_messages", COUNT(memory, "count", traffic.short_local.messages)},
    {"short_bytes", COUNT(memory, "B", traffic.short_local.bytes)},
    {"bulk_messages", COUNT(memory, "count", traffic.bulk_local.messages)},
    {"bulk_bytes", COUNT(memory, "B", traffic.bulk_local.bytes)},
    {"memory", COUNT("", "B", memory_bytes)},
    {"longest_queue", COUNT("", "count", longest_queue)},
    /* The last two: if the program tells its phases. */
    {"communication_phase", TIME(phase_us)},
    {"load_imbalance", "", "ratio", offsetof(clump_application_worker, phase_us), false},
};
enum {
    QUANTITIES = sizeof quantities / sizeof *quantities,
    OF_PHASES = 2,
    PACKETS = 8,
    EFFICIENCY = 1
};

static const char *protocol_of(const run_circumstances *c)
{
    return !c->machine->packets ? NULL : c->protocol != NULL ? c->protocol : "l-sdma";
}

/* ---- the document's */

typedef struct documents {
    const char *layer;
    row *rows;
} documents;

static int take_document(const clump_store_sample *sample, void *context)
{
    const documents *d = context;
    row *rows = d->rows;
    for (size_t i = 0; i < QUANTITIES; i++)
        if (isnan(rows[i].document) && strcmp(sample->statistic, "mean") == 0 &&
            strcmp(sample->quantity, rows[i].quantity) == 0 &&
            strcmp(sample->transport, rows[i].transport) == 0 &&
            (sample->variant[0] == '\0' || strcmp(sample->variant, d->layer) == 0))
            rows[i].document = sample->measured.value;
    return 0;
}

bool run_rows_on_platform(clump_store *store, const clump_application_run *run,
                          const run_circumstances *c)
{
    clump_store_platform *p = NULL;
    if (c->platform == NULL || clump_store_find_platform(store, c->platform, &p) != CLUMP_STORE_OK)
        return false;
    const clump_virtual_team_options *o = &c->machine->options;
    const bool same = p->nodes == o->nodes && p->processors == run->input->per_node &&
                      (p->nics == o->nics || p->nodes == 1) &&
                      (p->mapping == NULL || (strcmp(p->mapping, "pooled") == 0) == o->pooled);
    clump_store_free(p);
    return same;
}

/* On the machine of the document, as it was there. */
static bool is_the_documents(clump_store *store, const clump_application_run *run,
                             const run_circumstances *c)
{
    return c->usual && !c->machine->packets && c->machine->options.sharing == NULL &&
           run_rows_on_platform(store, run, c);
}

static int read_documents(const char *command, clump_store *store, const clump_application_run *run,
                          const run_circumstances *c, row *rows)
{
    const clump_store_filter filter = {
        .platform = c->platform, .application = run->input->application->run, .sure = true};
    if (!is_the_documents(store, run, c))
        return EXIT_DONE;
    documents d = {.layer = c->layer != NULL ? c->layer : CLUMP_STORE_PREFERRED_VARIANT,
                   .rows = rows};
    const clump_store_status status = clump_store_each_sample(store, &filter, take_document, &d);
    return status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND
               ? EXIT_DONE
               : error_store(command, store, status);
}

/* What the document has of a program on a cluster whose NICs have a program: its time on one
 * processor, and its efficiency on all. */
typedef struct printed {
    const char *protocol;
    double one_s, efficiency;
} printed;

static int take_printed(const clump_store_sample *sample, void *context)
{
    printed *p = context;
    if (isnan(p->one_s) && strcmp(sample->quantity, "sequential_time") == 0)
        p->one_s = sample->measured.value;
    if (isnan(p->efficiency) && strcmp(sample->quantity, "parallel_efficiency") == 0 &&
        strcmp(sample->variant, p->protocol) == 0)
        p->efficiency = sample->measured.value;
    return 0;
}

/* Seconds of computation of all workers: in virtual time what one would have taken. */
static double on_one(const clump_application_run *run)
{
    double us = 0;
    for (uint32_t i = 0; i < run->input->workers; i++)
        us += run->workers[i].parts.compute_us;
    return us / 1e6;
}

/* Table VII of cluster-protocols.txt: its problem is this one if one processor takes as long for it,
 * but for the work that is made twice. A part of it (fewer iterations) has its efficiency, not its
 * time. */
static int read_printed(const char *command, clump_store *store, const clump_application_run *run,
                        const run_circumstances *c, row *time, row *efficiency)
{
    const char *protocol = protocol_of(c);
    printed p = {.protocol = protocol, .one_s = NAN, .efficiency = NAN};
    const clump_store_filter filter = {
        .platform = c->platform, .application = run->input->application->run, .sure = true};
    if (!c->usual || !run_rows_on_platform(store, run, c))
        return EXIT_DONE;
    const clump_store_status status = clump_store_each_sample(store, &filter, take_printed, &p);
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        return error_store(command, store, status);
    efficiency->document = p.efficiency;
    efficiency->error = efficiency->mean / p.efficiency - 1;
    if (fabs(on_one(run) / p.one_s - 1) < 0.05)
        time->document = p.one_s / (run->input->workers * p.efficiency);
    return EXIT_DONE;
}

int run_rows_documents_time(const char *command, clump_store *store,
                            const clump_application_run *run, const run_circumstances *c,
                            double *seconds)
{
    row rows[QUANTITIES];
    for (size_t i = 0; i < QUANTITIES; i++)
        rows[i] = (row){
            .quantity = quantities[i].name, .transport = quantities[i].transport, .document = NAN};
    const int status = read_documents(command, store, run, c, rows);
    *seconds = rows[0].document;
    return status;
}

/* ---- the table */

static row row_of(const clump_application_run *run, const quantity *q)
{
    row r = {.quantity = q->name,
             .transport = q->transport,
             .unit = q->unit,
             .least = INFINITY,
             .greatest = -INFINITY,
             .document = NAN};
    const uint32_t count = clump_application_run_workers(run);
    for (uint32_t i = 0; i < count; i++) {
        const void *field = (const char *)&run->workers[i] + q->offset;
        const double value =
            q->counted ? (double)*(const uint64_t *)field : *(const double *)field / 1e6;
        r.mean += value / count;
        r.least = fmin(r.least, value);
        r.greatest = fmax(r.greatest, value);
    }
    if (strcmp(q->unit, "ratio") == 0) { /* of the slowest to the fastest */
        r.mean = r.greatest / r.least;
        r.least = r.greatest = NAN;
    }
    return r;
}

/* Times to the nanosecond, and means of counts to a tenth: more says nothing. */
static void round_row(row *r)
{
    const double digits = strcmp(r->unit, "s") == 0       ? 1e9
                          : strcmp(r->unit, "ratio") == 0 ? 1e3
                                                          : 10;
    r->mean = round(r->mean * digits) / digits;
    r->least = round(r->least * digits) / digits;
    r->greatest = round(r->greatest * digits) / digits;
}

static const table_column columns[] = {
    {"quantity", "Quantity", FIELD(row, quantity)},
    {"transport", "Transport", FIELD(row, transport)},
    {"unit", "Unit", FIELD(row, unit)},
    {"mean", "Mean", NUMBER_EXACT, FIELD(row, mean)},
    {"least", "Least", NUMBER_EXACT, FIELD(row, least)},
    {"greatest", "Greatest", NUMBER_EXACT, FIELD(row, greatest)},
    {"document", "Document", NUMBER_EXACT, FIELD(row, document)},
    {"error", "Error", NUMBER_SIGNED, FIELD(row, error)},
};

/* Tables leave out classes without messages. */
static size_t drop_empty(row *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i].greatest > 0 || isnan(rows[i].greatest) || rows[i].document > 0 || i == 0)
            rows[kept++] = rows[i];
    return kept;
}

/* What the protocol made of it, per node, and what comes in at a node in a second (figure 11 of
 * cluster-protocols.txt); which node it was is not told. */
static size_t add_packets(const clump_application_run *run, row *rows)
{
    const double nodes = run->input->workers;
    const clump_lci_counters *c = &run->counters;
    const double all_us = nodes * run->packets_us;
    const struct {
        const char *name, *unit;
        double value, digits;
    } all[PACKETS] = {
        {"packets", "count", (double)c->sent / nodes, 10},
        {"packets_received", "count", (double)c->accepted / nodes, 10},
        {"acknowledgements", "count", (double)c->acknowledged / nodes, 10},
        {"packets_resent", "count", (double)c->resent / nodes, 10},
        {"received_data_rate", "B/us", (double)c->bytes / all_us, 1e4},
        {"unicast_rate", "1/s", 1e6 * (double)(c->accepted - c->multicasts) / all_us, 10},
        {"multicast_rate", "1/s", 1e6 * (double)c->multicasts / all_us, 10},
        {"acknowledgement_rate", "1/s", 1e6 * (double)c->acknowledged / all_us, 10}};
    for (size_t i = 0; i < PACKETS; i++)
        rows[i] = (row){.quantity = all[i].name,
                        .transport = network,
                        .unit = all[i].unit,
                        .mean = round(all[i].value * all[i].digits) / all[i].digits,
                        .least = NAN,
                        .greatest = NAN,
                        .document = NAN,
                        .error = NAN};
    return PACKETS;
}

static bool has_phases(const clump_application_run *run)
{
    for (uint32_t r = 0; r < clump_application_run_workers(run); r++)
        if (!(run->workers[r].phase_us > 0))
            return false;
    return true;
}

/* As the thesis counts it (figures 6.22 to 6.26): a group of sequential processes is a job, too. */
static double per_job_s(const clump_application_run *run, const clump_virtual_sharing *s)
{
    return run->time_us / 1e6 / (s != NULL ? s->jobs + s->sequential : 1);
}

static void print_sharing(const clump_virtual_sharing *s)
{
    if (s != NULL && s->jobs > 1)
        printf(", %u jobs", s->jobs);
    if (s != NULL && s->sequential > 0)
        printf(", %u sequential process%s a processor", s->sequential,
               s->sequential > 1 ? "es" : "");
}

/* A row for each quantity, with what documents say of it. @param efficiency  receives likewise what is printed of it */
static int make_rows(const command_invocation *invocation, clump_store *store,
                     const clump_application_run *run, const run_circumstances *c, row *list,
                     row *efficiency)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        list[i] = row_of(run, &quantities[i]);
    int status = read_documents(invocation->arguments.command, store, run, c, list);
    if (status == EXIT_DONE && c->machine->packets)
        status = read_printed(invocation->arguments.command, store, run, c, list, efficiency);
    if (status != EXIT_DONE)
        return status;
    for (size_t i = 0; i < QUANTITIES; i++)
        round_row(&list[i]);
    for (size_t i = 0; i < QUANTITIES; i++) /* times of a program are those of its slowest part */
        list[i].error = (i == 0 ? list[i].greatest : list[i].mean) / list[i].document - 1;
    return EXIT_DONE;
}

/* What ran where, in lines above the table. */
static void print_summary(const clump_application_run *run, const run_circumstances *c,
                          double operation_us)
{
    const clump_application_input *input = run->input;
    const clump_virtual_sharing *sharing = c->machine->options.sharing;
    printf("%s on %u processors", input->application->name, input->workers);
    if (input->workers > input->per_node)
        printf(" (%u nodes of %u)", input->workers / input->per_node, input->per_node);
    if (c->platform != NULL)
        printf(", %s%s%s in virtual time", c->platform, c->machine->packets ? " with " : "",
               c->machine->packets ? protocol_of(c) : "");
    if (c->layer != NULL)
        printf(", layer %s", c->layer);
    print_sharing(sharing);
    printf(": %.4g s\n", run->time_us / 1e6);
    if (sharing != NULL)
        printf("Time for each job that competes: %.4g s\n", per_job_s(run, sharing));
    if (c->platform != NULL)
        printf("An operation is %s: %.4g us\n", input->application->operation, operation_us);
    if (c->model != NULL)
        printf("By the model: %.4g s (%+.1f%%), from these messages and %.4g s on a NOW with U "
               "= %.3f\n",
               c->model->time_s, 100 * (1e6 * c->model->time_s / run->time_us - 1), c->model->now_s,
               c->model->utilization);
    printf("Result: %s\n\n", c->checked ? "that of a sequential run" : "not checked");
}

int run_rows_show(const command_invocation *invocation, clump_store *store,
                  const clump_application_run *run, const run_circumstances *c, double operation_us)
{
    const clump_application_input *input = run->input;
    const clump_virtual_team_options *o = &c->machine->options;
    const run_model none = {NAN, NAN, NAN, NAN, NAN}, *m = c->model != NULL ? c->model : &none;
    row list[QUANTITIES + EFFICIENCY + PACKETS];
    row efficiency = {.quantity = "parallel_efficiency",
                      .transport = "",
                      .unit = "ratio",
                      .mean =
                          round(1e6 * 1e4 * on_one(run) / (input->workers * run->time_us)) / 1e4,
                      .least = NAN,
                      .greatest = NAN,
                      .document = NAN,
                      .error = NAN};
    size_t count = has_phases(run) ? QUANTITIES : QUANTITIES - OF_PHASES;
    const int status = make_rows(invocation, store, run, c, list, &efficiency);
    if (status != EXIT_DONE)
        return status;
    if (invocation->format == FORMAT_TABLE) {
        count = drop_empty(list, count);
        print_summary(run, c, operation_us);
    }
    if (c->machine->packets) {
        if (input->application->costs != NULL) /* else no computation is meant */
            list[count++] = efficiency;
        count += add_packets(run, list + count);
    }
    const table_rows rows = {.key = "quantities", COLUMNS(columns), RECORDS(list, count)};
    output_field fields[] = {
        field_text("program", input->application->name),
        field_text("run", input->application->run),
        field_text("platform", c->platform),
        field_text("protocol", protocol_of(c)),
        field_text("layer", c->layer),
        field_size("nodes", input->workers / input->per_node),
        field_size("processors", input->per_node),
        field_size("nics", o->nics),
        field_text("mapping", c->platform == NULL ? NULL
                              : o->pooled         ? "pooled"
                                                  : "static"),
        field_real("time_s", run->time_us / 1e6),
        field_real("time_per_job_s", per_job_s(run, o->sharing)),
        field_size("jobs", o->sharing != NULL ? o->sharing->jobs : 1),
        field_size("sequential", o->sharing != NULL ? o->sharing->sequential : 0),
        field_real("operation_us", c->platform != NULL ? operation_us : NAN),
        field_real("model_time_s", m->time_s),
        field_real("model_error", m->time_s / (run->time_us / 1e6) - 1),
        field_real("now_time_s", m->now_s),
        field_real("now_utilization", m->utilization),
        field_real("remote_fraction", m->remote_fraction),
        field_real("nic_utilization", c->platform != NULL ? run->nic_utilization : NAN),
        field_size("events", run->events)};
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}
