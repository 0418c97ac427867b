/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `recommend --mpi-share`: other numbers of NICs from what was measured behind those that are there. */
#include "cli/recommend_share.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "model/model_error.h"
#include "model/workload/measured_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** One number of NICs. */
typedef struct share_row {
    size_t nics;
    clump_share_change change;
    double price, work_price; /**< of the node; for the work of one as measured. NAN: no prices */
} share_row;

typedef struct share_answer {
    clump_share_loads loads;
    share_row *rows;
    size_t count;
} share_answer;

/* ---- the question */

static int check(const command_line *line, const recommend_share *asked,
                 clump_measured_share *share)
{
    const double measured = (double)asked->measured_nics * asked->nic_speed;
    if (asked->measured_nics == 0)
        return error_usage(line->command,
                           "--measured-nics is missing, expected the number of NICs behind which "
                           "--mpi-share was measured");
    if (!(asked->waiting < asked->share) && asked->waiting > 0)
        return error_usage(
            line->command,
            "--waiting: found %g%%, expected less than --mpi-share, of which it is part",
            100 * asked->waiting);
    if (asked->busy > 0 && asked->bytes_per_us > 0)
        return error_usage(line->command,
                           "found --nic-busy and --bytes-per-second, expected one of them");
    if (asked->bytes_per_us > 0 && !(asked->nic_speed > 0))
        return error_usage(line->command,
                           "--nic-speed is missing, expected it beside --bytes-per-second");
    if (asked->bytes_per_us > measured && asked->bytes_per_us > 0)
        return error_usage(
            line->command,
            "--bytes-per-second: found %.4g GB/s, expected at most %.4g, which is what "
            "%zu NIC%s of this speed carr%s; were these all nodes together, or more "
            "NICs (--measured-nics)?",
            asked->bytes_per_us / 1e3, measured / 1e3, asked->measured_nics,
            asked->measured_nics == 1 ? "" : "s", asked->measured_nics == 1 ? "ies" : "y");
    share->communicating = asked->share - asked->waiting;
    share->busy = asked->busy > 0           ? asked->busy
                  : asked->bytes_per_us > 0 ? asked->bytes_per_us / measured
                                            : NAN;
    return EXIT_DONE;
}

/* ---- the answer */

static clump_status add_row(const recommend_share *asked, const clump_measured_share *share,
                            size_t nics, share_answer *a, clump_error *error)
{
    share_row *row = &a->rows[a->count++];
    *row = (share_row){.nics = nics, .price = NAN, .work_price = NAN};
    const clump_status status =
        clump_measured_share_change(share, &a->loads, nics, &row->change, error);
    if (asked->priced) {
        row->price = asked->node_price + (double)nics * asked->nic_price;
        row->work_price = row->price * row->change.most;
    }
    return status;
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t recommend_share_nics(const recommend_share *asked, size_t *nics)
{
    const size_t measured = asked->measured_nics;
    const size_t usual[] = {measured / 2, 2 * measured, 4 * measured};
    const bool given = asked->nic_counts > 0;
    size_t count = 0, kept = 0;
    nics[count++] = measured;
    for (size_t i = 0; i < (given ? asked->nic_counts : 3); i++)
        nics[count++] = given ? asked->nics[i] : usual[i];
    qsort(nics, count, sizeof *nics, compare_sizes);
    for (size_t i = 0; i < count; i++)
        if (nics[i] > 0 && (kept == 0 || nics[kept - 1] != nics[i]))
            nics[kept++] = nics[i];
    return kept;
}

int recommend_price_digits(double price)
{
    return price > 0 && price < 1000 ? (int)fmin(3 - floor(log10(price)), 6) : 0;
}

static clump_status compute(const recommend_share *asked, const clump_measured_share *share,
                            share_answer *a, clump_error *error)
{
    size_t *nics = calloc(asked->nic_counts + 4, sizeof *nics);
    a->rows = calloc(asked->nic_counts + 4, sizeof *a->rows);
    if (nics == NULL || a->rows == NULL) {
        free(nics);
        return clump_fail_memory(error, "the numbers of NICs");
    }
    const size_t count = recommend_share_nics(asked, nics);
    clump_status status = clump_measured_share_loads(share, &a->loads, error);
    for (size_t i = 0; i < count && status == CLUMP_OK; i++)
        status = add_row(asked, share, nics[i], a, error);
    free(nics);
    return status;
}

/* ---- for programs */

#define ROW(member) FIELD(share_row, member)

static const char *const timings[] = {"unknown", "gangs", "over-busy", "late"};

static int print_for_programs(const command_invocation *invocation, const recommend_share *asked,
                              const clump_measured_share *share, const share_answer *a)
{
    static const table_column columns[] = {
        {"nics", NULL, ROW(nics)},
        {"ratio", NULL, ROW(change.fitted)},
        {"correlated", NULL, ROW(change.correlated)},
        {"independent", NULL, ROW(change.independent)},
        {"interval_low", NULL, ROW(change.low)},
        {"interval_high", NULL, ROW(change.high)},
        {"price", NULL, ROW(price)},
        {"price_of_work", NULL, ROW(work_price)},
    };
    const clump_share_loads *l = &a->loads;
    const bool told = l->timing != CLUMP_SHARE_UNKNOWN;
    const output_field fields[] = {
        field_size("processors", share->node.processors),
        field_size("measured_nics", asked->measured_nics),
        field_real("communicating", share->communicating),
        field_real("nic_busy", share->busy),
        field_text("timing", timings[l->timing]),
        field_real("utilization", told ? l->fitted.utilization : NAN),
        field_real("gang_size", told ? l->fitted.gang_size : NAN),
        field_real("waiting", told ? l->waiting + asked->waiting : NAN),
        field_real("utilization_correlated", l->correlated.utilization),
        field_real("utilization_independent", l->independent.utilization),
        field_real("nic_busy_correlated", l->correlated.busy),
        field_real("nic_busy_independent", l->independent.busy)};
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(a->rows, a->count)};
    return output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
}

/* ---- for eyes */

/* The change that is asked about first: fewer NICs, or else the next number. */
static const share_row *headline(const recommend_share *asked, const share_answer *a)
{
    const share_row *found = NULL;
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].nics < asked->measured_nics ||
            (found == NULL && a->rows[i].nics > asked->measured_nics))
            found = &a->rows[i];
    return found;
}

static void print_verdict(const recommend_share *asked, const share_answer *a)
{
    const share_row *row = headline(asked, a);
    if (row == NULL)
        return;
    printf("%zu NIC%s in place of %zu: ", row->nics, row->nics == 1 ? "" : "s",
           asked->measured_nics);
    const clump_share_change *c = &row->change;
    if (isfinite(c->fitted))
        printf("%.2f times the time", c->fitted);
    else
        printf("%.2f times the time if all communicate at once,\n%.2f if at times of their own",
               c->correlated, c->independent);
    printf(" (90%%: %.2f to %.2f)", c->low, c->high);
    fputs(".\n\n", stdout);
}

static int print_table(const recommend_share *asked, const share_answer *a)
{
    const bool told = a->loads.timing != CLUMP_SHARE_UNKNOWN;
    const table_column all[] = {
        {NULL, "NICs", ROW(nics)},
        {NULL, "Time", NUMBER_RATIO, ROW(change.fitted)},
        {NULL, "All at once", NUMBER_RATIO, ROW(change.correlated)},
        {NULL, "Times of their own", NUMBER_RATIO, ROW(change.independent)},
        {NULL, "90% from", NUMBER_RATIO, ROW(change.low)},
        {NULL, "to", NUMBER_RATIO, ROW(change.high)},
        {NULL, "Node price", ROW(price)},
        {NULL, "Price of the work", ROW(work_price)},
    };
    enum { COUNT = sizeof all / sizeof *all };
    table_column shown[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++)
        if ((i != 1 || told) && (i < COUNT - 2 || asked->priced))
            shown[count++] = all[i];
    const table_rows rows = {.columns = shown, .column_count = count, RECORDS(a->rows, a->count)};
    return table_print(&rows);
}

/* "35% busy", and what that is if the line rate is known. */
static const char *busy_words(const recommend_share *asked, double busy, char text[80])
{
    const double bytes = busy * (double)asked->measured_nics * asked->nic_speed;
    if (asked->nic_speed > 0)
        snprintf(text, 80, "%.3g%% busy (%.3g GB/s of a node)", 100 * busy, bytes / 1e3);
    else
        snprintf(text, 80, "%.3g%% busy", 100 * busy);
    return text;
}

static void print_trust(const recommend_share *asked, const clump_measured_share *share,
                        const share_answer *a)
{
    const clump_share_loads *l = &a->loads;
    const clump_model_error *of = clump_model_error_of(CLUMP_CHANGE_OTHER_NIC);
    char correlated[80], independent[80], busy[80];
    busy_words(asked, l->correlated.busy, correlated);
    busy_words(asked, l->independent.busy, independent);
    puts("\nHow far to trust it");
    switch (l->timing) {
    case CLUMP_SHARE_UNKNOWN:
        paragraph_item(
            "Measure next how busy the NICs are (bytes of their counters, in the direction that "
            "has more, a second "
            "of the run): %s if all communicate at once, %s if at times of their own. --nic-busy "
            "or --bytes-per-second make one number of the two.",
            correlated, independent);
        break;
    case CLUMP_SHARE_GANGS:
        paragraph_item(
            "NICs that are %s fit groups of %.3g of the %zu processors that communicate together.",
            busy_words(asked, share->busy, busy), l->fitted.gang_size, share->node.processors);
        break;
    case CLUMP_SHARE_OVER_BUSY:
        paragraph_item(
            "NICs that are %s are busier than this share of communication makes them, %s at "
            "most: other traffic uses them too, such as files, or communication runs behind "
            "computation. Taken as communication at times of their own.",
            busy_words(asked, share->busy, busy), independent);
        break;
    case CLUMP_SHARE_LATE:
        paragraph_item(
            "NICs that are %s explain %.3g%% of the time; the other %.3g%% of it in communication "
            "is latency, or waiting for partners that are late, and no number of NICs changes it.",
            busy_words(asked, share->busy, busy), 100 * (share->communicating - l->waiting),
            100 * l->waiting);
        break;
    }
    paragraph_item(
        "Intervals go by the %zu programs that were measured on the same nodes with other NICs; "
        "the shares are taken to be exact.",
        of->datasets);
    if (!(asked->waiting > 0) && l->timing != CLUMP_SHARE_LATE)
        paragraph_item("Waiting for partners that are late is no work of the NICs: say which part "
                       "of the share it is "
                       "(--waiting), where a profile tells.");
}

int recommend_share_answer(const command_invocation *invocation, const recommend_share *asked,
                           const clump_node *node)
{
    share_answer a = {.rows = NULL};
    clump_measured_share share = {.node = *node};
    clump_error error = {CLUMP_OK, ""};
    share.node.nics = asked->measured_nics;
    int status = check(&invocation->arguments, asked, &share);
    if (status != EXIT_DONE)
        return status;
    const clump_status computed = compute(asked, &share, &a, &error);
    if (computed == CLUMP_BAD_ARGUMENT)
        status = error_usage(invocation->command->name, "%s", error.message);
    else if (computed != CLUMP_OK)
        status = error_failed(invocation->command->name, "%s", error.message);
    else if (invocation->format != FORMAT_TABLE)
        status = print_for_programs(invocation, asked, &share, &a);
    else {
        print_verdict(asked, &a);
        status = print_table(asked, &a);
        if (status == EXIT_DONE)
            print_trust(asked, &share, &a);
    }
    free(a.rows);
    return status;
}
