/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_gradients.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "model/model_error.h"
#include "model/workload/gradients.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** One number of NICs. Of steps: between what is hidden as far as it can be, and not at all, where nobody knows. */
typedef struct step_row {
    size_t nics;
    double exchange_s;                /**< of the gradients, by the NICs alone */
    double step_least_s, step_most_s; /**< a step */
    double least, most;               /**< over the step that was measured */
    double low, high;                 /**< the interval of these */
    double price, work_price; /**< of a node; for what one as measured does. NAN: no prices */
} step_row;

typedef struct question {
    const recommend_gradients *asked;
    const recommend_share *shared;
    double processes;
    bool known; /**< how much is hidden */
} question;

static int check(const command_line *line, const recommend_gradients *asked,
                 const recommend_share *shared)
{
    static const char *const needed[] = {"step", "nodes", "nic-speed"};
    for (size_t i = 0; i < 3; i++)
        if (!option_is_given(line, needed[i]))
            return error_usage(line->command, "--%s is missing, expected it beside --gradients",
                               needed[i]);
    if (asked->alone_s > asked->step_s)
        return error_usage(
            line->command,
            "--step-alone: found %g s, expected no more than --step, which is on all nodes",
            asked->alone_s);
    if (shared->measured_nics == 0)
        return error_usage(
            line->command,
            "--measured-nics is missing, expected the number of NICs of the nodes on "
            "which --step was measured");
    return EXIT_DONE;
}

static double exchange_with(const question *q, size_t nics)
{
    return clump_gradients_time(q->asked->bytes, q->processes,
                                (double)nics * q->shared->nic_speed * 1e6);
}

/* No step is shorter than its exchange at line rate. */
static int check_step(const char *command, const question *q)
{
    const double exchange = exchange_with(q, q->shared->measured_nics);
    if (exchange <= q->asked->step_s)
        return EXIT_DONE;
    return error_usage(
        command,
        "--step: found %.4g s, expected at least %.4g s, in which %zu NIC%s of this speed "
        "carr%s the gradients; are these more bytes than one GPU has (--gradients), or are "
        "there more NICs (--measured-nics)?",
        q->asked->step_s, exchange, q->shared->measured_nics,
        q->shared->measured_nics == 1 ? "" : "s", q->shared->measured_nics == 1 ? "ies" : "y");
}

static double step_with(const question *q, double overlap, size_t nics)
{
    const double longer = q->asked->alone_s > 0 ? q->asked->step_s - q->asked->alone_s : INFINITY;
    const clump_gradients_step step = clump_gradients_measured(
        q->asked->step_s, exchange_with(q, q->shared->measured_nics), overlap, longer);
    return clump_gradients_predict(&step, exchange_with(q, nics));
}

static clump_status make_row(const question *q, size_t nics, step_row *row, clump_error *error)
{
    const clump_model_error *of = clump_model_error_of(CLUMP_CHANGE_OTHER_NIC);
    const double bound = (double)q->shared->measured_nics / (double)nics;
    const double at_overlap = step_with(q, q->known ? q->asked->overlap : 1, nics);
    const double without = q->known ? at_overlap : step_with(q, 0, nics);
    double ignored;
    *row = (step_row){.nics = nics,
                      .exchange_s = exchange_with(q, nics),
                      .step_least_s = fmin(at_overlap, without),
                      .step_most_s = fmax(at_overlap, without),
                      .low = 1,
                      .high = 1,
                      .price = NAN,
                      .work_price = NAN};
    row->least = row->step_least_s / q->asked->step_s;
    row->most = row->step_most_s / q->asked->step_s;
    if (q->shared->priced) {
        row->price = q->shared->node_price + (double)nics * q->shared->nic_price;
        row->work_price = row->price * row->most;
    }
    if (nics == q->shared->measured_nics)
        return CLUMP_OK;
    clump_status status = clump_model_error_interval(
        of, row->least, NAN, NAN, CLUMP_MODEL_ERROR_LEVEL, &row->low, &ignored, error);
    if (status == CLUMP_OK)
        status = clump_model_error_interval(of, row->most, NAN, NAN, CLUMP_MODEL_ERROR_LEVEL,
                                            &ignored, &row->high, error);
    /* Fewer NICs never save time, and never cost more than the time in which they do all of it. */
    row->low = bound < 1 ? fmax(row->low, bound) : fmax(row->low, 1);
    row->high = bound > 1 ? fmin(row->high, bound) : fmin(row->high, 1);
    return status;
}

/* ---- the answer */

static void make_step(const table_column *column, const void *record, table_cell *cell)
{
    const double *ends = (const double *)((const char *)record + column->offset);
    const double unit = column->notation == NUMBER_EXACT ? 1e3 : 1;
    if (ends[1] > ends[0])
        cell_print(cell, unit > 1 ? "%.1f to %.1f" : "%.4f to %.4f", unit * ends[0],
                   unit * ends[1]);
    else
        cell_print(cell, unit > 1 ? "%.1f" : "%.4f", unit * ends[0]);
}

static void make_exchange(const void *record, table_cell *cell)
{
    cell_print(cell, "%.3g", 1e3 * ((const step_row *)record)->exchange_s);
}

static void make_price(const table_column *column, const void *record, table_cell *cell)
{
    const double price = *(const double *)((const char *)record + column->offset);
    cell_print(cell, "%.*f", recommend_price_digits(price), price);
}

#define ROW(member) FIELD(step_row, member)
#define SPAN(member)                                                                               \
    .offset = offsetof(step_row, member), .make_with = make_step, .layout = COLUMN_RIGHT

static const table_column columns[] = {
    {"nics", "NICs", ROW(nics)},
    {NULL, "Exchange ms", .make = make_exchange, .layout = COLUMN_RIGHT},
    {NULL, "Step ms", NUMBER_EXACT, SPAN(step_least_s)},
    {NULL, "Time", SPAN(least)},
    {NULL, "90%", SPAN(low)},
    {"exchange_s", NULL, ROW(exchange_s)},
    {"step_least_s", NULL, ROW(step_least_s)},
    {"step_most_s", NULL, ROW(step_most_s)},
    {"ratio_least", NULL, ROW(least)},
    {"ratio_most", NULL, ROW(most)},
    {"interval_low", NULL, ROW(low)},
    {"interval_high", NULL, ROW(high)},
    {"price", NULL, ROW(price)},
    {"price_of_work", NULL, ROW(work_price)},
    {NULL, "Node price", .offset = offsetof(step_row, price), .make_with = make_price,
     .layout = COLUMN_RIGHT},
    {NULL, "Price of the work", .offset = offsetof(step_row, work_price), .make_with = make_price,
     .layout = COLUMN_RIGHT},
};

/* The nearest smaller number, or else the next. */
static const step_row *headline(const question *q, const step_row *rows, size_t count)
{
    const step_row *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].nics < q->shared->measured_nics ||
            (found == NULL && rows[i].nics > q->shared->measured_nics))
            found = &rows[i];
    return found;
}

static void print_verdict(const question *q, const step_row *r)
{
    printf("%zu NIC%s in place of %zu: ", r->nics, r->nics == 1 ? "" : "s",
           q->shared->measured_nics);
    if (r->most > r->least)
        printf("%.3f to %.3f times the time of a step, %.1f to %.1f ms\n", r->least, r->most,
               1e3 * r->step_least_s, 1e3 * r->step_most_s);
    else
        printf("%.3f times the time of a step, %.1f ms instead of %.1f\n", r->least,
               1e3 * r->step_least_s, 1e3 * q->asked->step_s);
    printf("(90%%: %.3f to %.3f).\n\n", r->low, r->high);
}

static void print_trust(const question *q, size_t gpus, const step_row *r)
{
    puts("\nHow far to trust it");
    if (!q->known)
        paragraph_item(
            "Measure next how much of the exchange computation hides: the same step on one node "
            "(--step-alone), or --overlap. Until then the answer is between all that can be hidden "
            "and nothing.");
    if (r != NULL && r->nics < gpus)
        paragraph_item("GPUs %zu to a NIC, those beside each other: 'clumpmodel topology NODE.xml' "
                       "says which, from "
                       "a description of the node.",
                       (gpus + r->nics - 1) / r->nics);
    paragraph_item(
        "NICs are taken to be used together and at their line rate, and links within a node to be "
        "faster; "
        "intervals go by the %zu programs that were measured on the same nodes with other NICs.",
        clump_model_error_of(CLUMP_CHANGE_OTHER_NIC)->datasets);
}

static int print(const command_invocation *invocation, const question *q, size_t gpus,
                 const step_row *all, size_t count)
{
    const output_field fields[] = {field_size("processors", gpus),
                                   field_size("nodes", q->asked->nodes),
                                   field_size("measured_nics", q->shared->measured_nics),
                                   field_real("step_s", q->asked->step_s)};
    table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(all, count)};
    const step_row *first = headline(q, all, count);
    if (invocation->format != FORMAT_TABLE)
        return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    if (!q->shared->priced)
        rows.column_count -= 2;
    if (first != NULL)
        print_verdict(q, first);
    const int status = table_print(&rows);
    if (status == EXIT_DONE)
        print_trust(q, gpus, first);
    return status;
}

int recommend_gradients_answer(const command_invocation *invocation,
                               const recommend_gradients *asked, const recommend_share *shared,
                               size_t gpus)
{
    const char *command = invocation->command->name;
    const question q = {asked, shared, (double)asked->nodes * (double)gpus,
                        asked->overlap_known || asked->alone_s > 0};
    clump_error error = {CLUMP_OK, ""};
    int status = check(&invocation->arguments, asked, shared);
    if (status == EXIT_DONE)
        status = check_step(command, &q);
    if (status != EXIT_DONE)
        return status;
    size_t *nics = calloc(shared->nic_counts + 4, sizeof *nics), count = 0;
    step_row *rows = calloc(shared->nic_counts + 4, sizeof *rows);
    clump_status computed = CLUMP_OK;
    if (nics == NULL || rows == NULL)
        status = error_memory(command);
    else
        count = recommend_share_nics(shared, nics);
    for (size_t i = 0; i < count && computed == CLUMP_OK; i++)
        computed = make_row(&q, nics[i], &rows[i], &error);
    if (computed != CLUMP_OK)
        status = error_failed(command, "%s", error.message);
    if (status == EXIT_DONE)
        status = print(invocation, &q, gpus, rows, count);
    free(nics);
    free(rows);
    return status;
}
