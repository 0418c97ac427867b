/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/results.h"

#include "model/model_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- to which results a field applies */

static bool is_simulated(const void *result)
{
    return ((const clump_result *)result)->events > 0;
}

static bool is_exact(const void *result)
{
    return !is_simulated(result);
}

static bool has_messages(const void *result)
{
    return ((const clump_result *)result)->messages > 0;
}

static bool has_protocol(const void *result)
{
    return ((const clump_result *)result)->protocol != NULL;
}

static bool has_memory(const void *result)
{
    return ((const clump_result *)result)->memory_law != NULL;
}

static bool has_other_law(const void *result)
{
    return has_memory(result) && strcmp(((const clump_result *)result)->memory_law, "queue") != 0;
}

static bool is_paced(const void *result)
{
    return ((const clump_result *)result)->slowest_group > 0;
}

static bool is_compared(const void *result)
{
    return ((const clump_result *)result)->compared_with != NULL;
}

static bool is_gang(const void *result)
{
    return ((const clump_result *)result)->demand == CLUMP_DEMAND_GANG;
}

/* ---- when a table shows it: not where it changes nothing */

static bool differs(double value, double neutral)
{
    return isfinite(value) && fabs(value - neutral) > 1e-9 * fmax(1, fabs(neutral));
}

static bool has_other_nics(const void *result)
{
    return differs(((const clump_result *)result)->communication_ratio, 1);
}

static bool is_partly_local(const void *result)
{
    return differs(((const clump_result *)result)->remote_fraction, 1);
}

/* Of a platform these follow from LogGP, and only make the table wider. */
static bool has_own_ratio(const void *result)
{
    return is_partly_local(result) && ((const clump_result *)result)->platform == NULL;
}

static bool has_own_waiting(const void *result)
{
    const clump_result *r = result;
    return differs(r->waiting_fraction, 0) && r->platform == NULL;
}

static bool has_penalty(const void *result)
{
    return differs(((const clump_result *)result)->memory_penalty, 1);
}

static bool loses(const void *result)
{
    return has_protocol(result) && ((const clump_result *)result)->loss > 0;
}

static bool has_slower(const void *result)
{
    const clump_result *r = result;
    return differs(r->slowest_slowdown, r->slowdown);
}

/* By itself a simulation draws the times that the model assumes. */
static bool has_other_times(const void *result)
{
    const clump_result *r = result;
    const char *const times[] = {r->computation_times, r->communication_times};
    for (size_t i = 0; i < 2; i++)
        if (times[i] != NULL && strcmp(times[i], "exponential") != 0)
            return true;
    return false;
}

/* ---- how sure */

static clump_change change_of(const clump_result *r)
{
    const clump_node node = {.processors = r->processors, .nics = r->nics, .mapping = r->mapping};
    return r->compared_with != NULL
               ? CLUMP_CHANGE_OTHER_NIC
               : clump_change_of(&node, isnan(r->remote_fraction) ? 1 : r->remote_fraction);
}

double result_judged(const clump_result *r)
{
    return r->processor > 0 && r->compared_with == NULL ? r->slowdown
                                                        : clump_result_relative_time(r);
}

size_t result_judged_sets(const clump_result *r)
{
    return clump_model_error_of(change_of(r))->datasets;
}

bool result_interval(const clump_result *r, double input_low, double input_high, double *low,
                     double *high)
{
    /* Conditions may ask for it a million times: the factors of exact inputs are kept. */
    static _Thread_local struct {
        bool known;
        double low, high;
    } factors[CLUMP_CHANGE_COUNT];
    const double level = CLUMP_MODEL_ERROR_LEVEL, X = result_judged(r);
    const clump_change change = change_of(r);
    const clump_model_error *m = clump_model_error_of(change);
    if (r->events > 0 || r->processor > 0 || r->processors <= 1 || r->refused != NULL ||
        r->itself || !isfinite(X) || !(X > 0))
        return false;
    if (!(input_low > 0)) {
        input_low = r->input_low;
        input_high = r->input_high;
    }
    if (input_low > 0)
        return clump_model_error_interval(m, X, fmin(input_low, X), fmax(input_high, X), level, low,
                                          high, NULL) == CLUMP_OK &&
               isfinite(*low);
    if (!factors[change].known) {
        factors[change].known = true;
        if (clump_model_error_interval(m, 1, NAN, NAN, level, &factors[change].low,
                                       &factors[change].high, NULL) != CLUMP_OK)
            factors[change].low = factors[change].high = NAN;
    }
    *low = X * factors[change].low;
    *high = X * factors[change].high;
    return isfinite(*low);
}

static void make_low(const void *result, table_cell *cell)
{
    double low, high;
    if (result_interval(result, NAN, NAN, &low, &high))
        cell_real(cell, low);
}

static void make_high(const void *result, table_cell *cell)
{
    double low, high;
    if (result_interval(result, NAN, NAN, &low, &high))
        cell_real(cell, high);
}

static void make_input_low(const void *result, table_cell *cell)
{
    const clump_result *r = result;
    if (r->input_low > 0)
        cell_real(cell, r->input_low);
}

static void make_input_high(const void *result, table_cell *cell)
{
    const clump_result *r = result;
    if (r->input_high > 0)
        cell_real(cell, r->input_high);
}

/* "0.85 to 1.18" */
static void make_range(const void *result, table_cell *cell)
{
    double low, high;
    if (result_interval(result, NAN, NAN, &low, &high))
        cell_print(cell, "%.2f to %.2f", low, high);
}

/* ---- what is no field */

static void make_demand(const table_column *column, const void *result, table_cell *cell)
{
    const clump_result *r = result;
    if (r->by_schedule) {
        cell_text(cell, NULL);
    } else if (r->demand !=
               CLUMP_DEMAND_GANG) { /* a constant: conditions ask for it a million times */
        cell_text(cell, clump_demand_kind_name(r->demand));
    } else if (column->key == NULL) { /* for eyes: it may be fitted */
        cell_print(cell, "gang:%.4g", r->gang_size);
    } else {
        char name[CLUMP_DEMAND_NAME_SIZE];
        clump_demand_name(r->demand, r->gang_size, name);
        cell_print(cell, "%s", name);
    }
}

static void make_mapping(const void *result, table_cell *cell)
{
    cell_text(cell, clump_mapping_name(((const clump_result *)result)->mapping));
}

/* For whom a program waits that takes as long as its slowest processors. */
static void make_paced_by(const void *result, table_cell *cell)
{
    const clump_result *r = result;
    const size_t group = r->slowest_group;
    if (r->last_processor > 0 && group > 1)
        cell_print(cell, "processor %zu, group of %zu", r->last_processor, group);
    else if (r->last_processor > 0)
        cell_print(cell, "processor %zu", r->last_processor);
    else if (group == 1)
        cell_text(cell, "slowest processor");
    else if (group > 1)
        cell_print(cell, "slowest group of %zu", group);
}

/* "± 0.0031" */
static void make_interval(const void *result, table_cell *cell)
{
    const double half_width = ((const clump_result *)result)->half_width;
    if (isfinite(half_width))
        cell_print(cell, "%s %.4f", plus_minus(), half_width);
}

/* "1.354 ± 0.030" */
static void make_measured(const void *result, table_cell *cell)
{
    const clump_result *r = result;
    if (r->compared_with != NULL && isfinite(r->measured_ratio))
        cell_print(cell, "%.3f", r->measured_ratio);
    else if (isfinite(r->measured_slowdown) && isfinite(r->measured_half_width))
        cell_print(cell, "%.3f %s %.3f", r->measured_slowdown, plus_minus(),
                   r->measured_half_width);
    else if (isfinite(r->measured_slowdown))
        cell_print(cell, "%.3f", r->measured_slowdown);
}

/* ---- the table */

#define OF(member) FIELD(clump_result, member)
#define SIMULATED .wanted = is_simulated, .applies = is_simulated
#define SENT .wanted = is_simulated, .applies = has_messages /* messages, one by one */
#define OF_MEMORY .wanted = has_memory, .applies = has_memory
#define COMPARED .wanted = is_compared, .applies = is_compared
#define OF_PROTOCOL .wanted = has_protocol, .applies = has_protocol

static const table_column columns[] = {
    {"scenario", "Scenario", OF(scenario), .folding = FOLD_ALWAYS, .layout = COLUMN_PROSE,
     .meaning = "title of the scenario, or \"slowdown\""},
    {"application", "Application", OF(application), .folding = FOLD_ALWAYS},
    {"platform", "Platform", OF(platform), .folding = FOLD_ALWAYS},
    {"processors", "Processors", OF(processors), .folding = FOLD_ROWS, .symbol = "P",
     .label = "Processors P in a node", .words = "%.0f processor(s)"},
    {"nics", "NICs", OF(nics), .folding = FOLD_ROWS, .symbol = "N", .label = "NICs N in a node",
     .words = "%.0f NIC(s)"},
    {"processor", "Processor", OF(processor), .positive = true, .words = "processor %.0f",
     .meaning = "from 1, if the row is about a single processor"},
    {"utilization", "Utilization", OF(utilization), .folding = FOLD_ROWS, .symbol = "U",
     .label = "Utilization U on the NOW", .words = "U = %.4g",
     .meaning = "U on the NOW: of the processor, or the mean"},
    {"demand", .make_with = make_demand, .layout = COLUMN_LEFT, .label = "Demand",
     .meaning = "\"independent\", \"correlated\", \"scheduled\" or \"gang:S\""},
    {NULL, "Demand", .make_with = make_demand, .folding = FOLD_ALWAYS, .layout = COLUMN_LEFT},
    {"gang_size", OF(gang_size), .applies = is_gang, /* in tables the demand names it */
     .label = "Gang size s (processors)", .words = "gangs of %.4g"},
    {"mapping", "Mapping", .make = make_mapping, .folding = FOLD_ALWAYS, .layout = COLUMN_LEFT},
    {"max_nics_per_processor", "NICs/processor", OF(max_nics_per_processor), .positive = true,
     .folding = FOLD_ROWS, .symbol = "m", .label = "NICs that one processor can keep busy",
     .words = "%.4g NIC(s)/processor"},
    {"remote_fraction", "Remote", OF(remote_fraction), .folding = FOLD_ROWS,
     .worth = is_partly_local, .symbol = "f", .label = "Remote fraction f of the communication",
     .words = "f = %.4g"},
    {"cost_ratio", "Cost ratio", OF(cost_ratio), .folding = FOLD_ROWS, .worth = has_own_ratio,
     .symbol = "V", .label = "Cost ratio V of local to remote communication", .words = "V = %.4g"},
    {"memory_penalty", "Memory penalty", OF(memory_penalty), .folding = FOLD_ROWS,
     .worth = has_penalty, .label = "Memory penalty c", .words = "c = %.4g",
     .meaning = "c: time of computation on the Clump over that on the NOW"},
    {"memory_law", "Memory law", OF(memory_law), OF_MEMORY, .worth = has_other_law,
     .folding = FOLD_ALWAYS, .meaning = "where memory is shared: queue, roofline or measured"},
    {"memory_share", "Memory share", OF(memory_share), OF_MEMORY, .folding = FOLD_ROWS,
     .label = "Share m of the computation at memory", .words = "m = %.4g of memory"},
    {"memory_feeds", "Memory feeds", OF(memory_feeds), OF_MEMORY, .folding = FOLD_ROWS,
     .label = "Processors that memory feeds", .words = "memory feeds %.4g"},
    {"memory_utilization", "Memory used", NUMBER_PERCENT, OF(memory_utilization), OF_MEMORY,
     .meaning = "mean share of what memory does that is in use"},
    {"waiting_fraction", "Waiting", OF(waiting_fraction), .folding = FOLD_ROWS,
     .worth = has_own_waiting, .label = "Waiting fraction h", .words = "h = %.4g",
     .meaning = "h: share of the remote communication time that uses no NIC"},
    {"phase_cycles", "Phase", OF(phase_cycles), .positive = true, .folding = FOLD_ROWS,
     .label = "Length of a phase (cycles)", .words = "%.4g cycles"},
    {"protocol", "Protocol", OF(protocol), OF_PROTOCOL, .folding = FOLD_ALWAYS,
     .meaning = "protocol of the network, if the scenario names one"},
    {"loss", "Loss", OF(loss), OF_PROTOCOL, .worth = loses, .folding = FOLD_ALWAYS,
     .meaning = "share of its packets that are lost"},
    {"loss_factor", "Loss factor", OF(loss_factor), OF_PROTOCOL, .worth = loses,
     .meaning = "communication on the NOW over that without loss"},
    {"adjusted_utilization", OF(adjusted_utilization),
     .meaning =
         "share of the time that a processor would use the NIC on the Clump without contention"},
    {"mean_active", "Communicating", OF(mean_active), .layout = COLUMN_DETAIL,
     .meaning = "mean number of processors of the node that communicate"},
    {"nic_utilization", "NICs used", NUMBER_PERCENT, OF(nic_utilization), .folding = FOLD_ROWS,
     .meaning = "mean share of the NICs' capacity in use"},
    {"slowdown", "Slowdown", NUMBER_RATIO, OF(slowdown),
     .meaning = "X: of the processor, or the mean over processors"},
    {"half_width", OF(half_width), SIMULATED,
     .meaning = "half of the interval of a simulated slowdown, and in slowest_half_width of that "
                "of the slowest"},
    {NULL, "Interval", .make = make_interval, SIMULATED},
    {"slowest_slowdown", "Slowest", NUMBER_RATIO, OF(slowest_slowdown), .folding = FOLD_ROWS,
     .worth = has_slower,
     .meaning = "X of the slowest processor of the node; where their traffic differs, time of the "
                "last one of all nodes over that of the slowest processor of the NOW"},
    {"slowest_half_width", OF(slowest_half_width), SIMULATED,
     .meaning = "half of the interval of slowest_slowdown"},
    {"paced_by", "Paced by", .make = make_paced_by, .wanted = is_paced, .folding = FOLD_ALWAYS,
     .layout = COLUMN_LEFT,
     .meaning = "who decides about predicted_time_s, and is compared with measured times, where "
                "processors wait for the slowest"},
    {"confidence", "Confidence", NUMBER_PERCENT, OF(confidence), SIMULATED, .folding = FOLD_ALWAYS,
     .meaning = "of these intervals"},
    {"computation_times", "Computations", OF(computation_times), .wanted = is_simulated,
     .worth = has_other_times, .folding = FOLD_ALWAYS,
     .meaning = "their distribution in the simulation"},
    {"communication_times", "Communications", OF(communication_times), .wanted = is_simulated,
     .worth = has_other_times, .folding = FOLD_ALWAYS, .meaning = "the same"},
    {"replications", "Replications", OF(replications), SIMULATED, .folding = FOLD_ALWAYS},
    {"warm_up_cycles", "Warm-up", OF(warm_up), SIMULATED, .layout = COLUMN_DETAIL,
     .meaning = "simulated time that was left out, in cycles of one computation and one "
                "communication on the NOW"},
    {"idle_fraction", "Idle", NUMBER_PERCENT, OF(idle_fraction), SENT,
     .meaning = "share of the processors' time in which they only wait and poll"},
    {"longest_queue", "Queue", OF(longest_queue), SENT,
     .meaning = "messages that waited for one processor"},
    {"messages", "Messages", OF(messages), SENT, .layout = COLUMN_DETAIL,
     .meaning = "simulated, with --messages and --schedule"},
    {"events", "Events", OF(events), SIMULATED,
     .meaning = "how many; the end of a computation and of a communication are an event each; with "
                "messages, everything that happens to a rank or a message, and each unsuccessful "
                "poll of adaptive polling"},
    {"compared_with", "Compared with", OF(compared_with), COMPARED, .folding = FOLD_ALWAYS,
     .meaning = "with compare_with: name of the other platform"},
    {"compared_utilization", OF(compared_utilization), COMPARED,
     .meaning = "U on the NOW of that platform"},
    {"communication_ratio", "Communication", OF(communication_ratio), COMPARED,
     .folding = FOLD_ROWS, .worth = has_other_nics,
     .label = "Communication over that with the NICs compared with", .words = "%.4g communication"},
    {"compared_slowdown", "Its slowdown", NUMBER_RATIO, OF(compared_slowdown), COMPARED,
     .folding = FOLD_ROWS, .meaning = "X on it, over its own NOW"},
    {"ratio", "Ratio", NUMBER_RATIO, OF(ratio), COMPARED,
     .label = "Time over that on the platform compared with", .words = "ratio %.4g",
     .meaning = "predicted_time_s over compared_time_s"},
    {"interval_low", .type = FIELD_REAL, .make = make_low, .wanted = is_exact,
     .meaning = "where 90% of measured slowdowns lie (of measured ratios, with compared_with), "
                "going by the model's errors on measured machines and the intervals of the inputs; "
                "not of simulations and single processors"},
    {"interval_high", .type = FIELD_REAL, .make = make_high, .wanted = is_exact,
     .meaning = "end of that interval"},
    {"input_low", .type = FIELD_REAL, .make = make_input_low, .wanted = is_exact,
     .meaning = "the same if the model were right: from the intervals of the inputs alone, where "
                "an input has one"},
    {"input_high", .type = FIELD_REAL, .make = make_input_high, .wanted = is_exact,
     .meaning = "end of that interval"},
    {NULL, "90% interval", .make = make_range, .wanted = is_exact},
    {NULL, "Measured", .make = make_measured},
    {"measured_ratio", OF(measured_ratio), COMPARED,
     .meaning = "the same of measured times; error is then that of the ratio"},
    {"measured_slowdown", OF(measured_slowdown),
     .meaning = "measured time over measured time on the NOW"},
    {"measured_half_width", OF(measured_half_width), .meaning = "half of its 95% interval"},
    {"error", "Error", NUMBER_SIGNED, OF(error),
     .meaning = "(slowdown - measured_slowdown)/measured_slowdown"},
    {"now_time_s", "NOW s", OF(now_time), .layout = COLUMN_DETAIL, .meaning = "seconds on the NOW"},
    {"predicted_time_s", "Predicted s", OF(predicted_time),
     .meaning = "slowdown times now_time_s; with paced_by it is slowest_slowdown"},
    {"measured_time_s", "Measured s", OF(measured_time), .layout = COLUMN_DETAIL,
     .meaning = "seconds on the platform"},
    {"compared_time_s", "Compared s", OF(compared_time), COMPARED,
     .meaning = "seconds on it, measured if they were"},
    {"refused", OF(refused), /* tables say it below, see result_refusals */
     .meaning = "why the row could not be predicted"},
};

table_rows result_rows(const clump_result *results, size_t count)
{
    return (table_rows){.key = "results", COLUMNS(columns), RECORDS(results, count)};
}

const table_column *result_column(const char *key)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].key != NULL && strcmp(columns[i].key, key) == 0)
            return &columns[i];
    return NULL;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

size_t result_scenario_length(const clump_result *results, size_t count)
{
    size_t length = 1;
    while (length < count && is_same_text(results->scenario, results[length].scenario))
        length++;
    return length;
}

double result_mean_error(const clump_result *results, size_t count)
{
    double sum = 0;
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(results[i].error)) {
            sum += fabs(results[i].error);
            rows++;
        }
    return rows > 0 ? sum / (double)rows : NAN;
}

/* ---- rows that could not be predicted */

static bool is_like(const clump_result *a, const clump_result *b)
{
    return is_same_text(a->refused, b->refused) && is_same_text(a->application, b->application) &&
           is_same_text(a->platform, b->platform);
}

/* What a reason is about, unless it names that itself. */
static void name_refused(FILE *text, const clump_result *row)
{
    if (strncmp(row->refused, "application \"", 13) == 0 ||
        strncmp(row->refused, "platform \"", 10) == 0)
        return;
    if (row->application != NULL)
        fputs(row->application, text);
    if (row->platform != NULL)
        fprintf(text, "%s%s", row->application != NULL ? " on " : "", row->platform);
    if (row->application != NULL || row->platform != NULL)
        fputs(": ", text);
}

/* How many rows from `first` on say the same. */
static size_t count_like(const char *records, size_t record_size, size_t first, size_t count)
{
    const clump_result *row = (const clump_result *)(records + first * record_size);
    size_t rows = 0;
    for (size_t i = first; i < count; i++) {
        const clump_result *other = (const clump_result *)(records + i * record_size);
        rows += other->refused != NULL && is_like(row, other);
    }
    return rows;
}

static void tell_refused(FILE *text, const char *records, size_t record_size, size_t count)
{
    enum { MOST = 12 };
    const clump_result *told[MOST];
    size_t found = 0, more = 0;
    for (size_t i = 0; i < count; i++) {
        const clump_result *row = (const clump_result *)(records + i * record_size);
        size_t known = 0;
        if (row->refused == NULL)
            continue;
        while (known < found && !is_like(told[known], row))
            known++;
        more += known == MOST;
        if (known < found || found == MOST)
            continue;
        const size_t rows = count_like(records, record_size, i, count);
        told[found++] = row;
        name_refused(text, row);
        fputs(row->refused, text);
        if (rows > 1)
            fprintf(text, " (%zu rows)", rows);
        putc('\n', text);
    }
    if (more > 0)
        fprintf(text, "and %zu rows more, with other reasons: --format csv has them\n", more);
}

char *result_refusals(const void *records, size_t record_size, size_t count)
{
    char *lines = NULL;
    size_t size;
    FILE *text = open_memstream(&lines, &size);
    if (text == NULL)
        return NULL;
    tell_refused(text, records, record_size, count);
    const bool failed = ferror(text) != 0;
    if (fclose(text) == 0 && !failed)
        return lines;
    free(lines);
    return NULL;
}

const char *slowdown_words(double slowdown, const char *than, char text[SLOWDOWN_WORDS_SIZE])
{
    const double percent = 100 * (slowdown - 1);
    if (slowdown >= 2)
        snprintf(text, SLOWDOWN_WORDS_SIZE, "%.3g times as long as %.60s", slowdown, than);
    else if (fabs(percent) < 0.05)
        snprintf(text, SLOWDOWN_WORDS_SIZE, "as long as %.60s", than);
    else
        snprintf(text, SLOWDOWN_WORDS_SIZE, "%.1f%% %s %.60s", fabs(percent),
                 percent > 0 ? "longer than" : "less time than", than);
    return text;
}
