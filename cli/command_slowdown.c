/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/output/errors.h"
#include "cli/output/table_output.h"
#include "cli/result_rows.h"
#include "cli/slowdown_question.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct answer {
    clump_prediction prediction;
    double *slowdowns;    /* P, or NULL */
    double *distribution; /* P+1, or NULL */
    clump_result *results;
    size_t count;
} answer;

static clump_result node_result(const slowdown_question *question, const command_line *arguments,
                                const clump_prediction *prediction)
{
    const clump_load *load = &question->load;
    const clump_coupling *coupling = &load->coupling;
    const bool coupled = option_given(arguments, SLOWDOWN_REMOTE_FRACTION);
    const bool slower = option_given(arguments, SLOWDOWN_MEMORY_PENALTY);
    const bool waits = option_given(arguments, SLOWDOWN_WAITING_FRACTION);
    return (clump_result){
        .scenario = "slowdown",
        .processors = question->node.processors,
        .nics = question->node.nics,
        .utilization = load->utilizations[0],
        .demand = load->demand,
        .gang_size = load->gang_size,
        .mapping = question->node.mapping,
        .max_nics_per_processor = question->node.max_nics_per_processor,
        .remote_fraction = coupled ? coupling->remote_fraction : CLUMP_RESULT_NONE,
        .cost_ratio = coupled ? coupling->cost_ratio : CLUMP_RESULT_NONE,
        .memory_penalty = slower ? coupling->memory_penalty : CLUMP_RESULT_NONE,
        .waiting_fraction = waits ? coupling->waiting_fraction : CLUMP_RESULT_NONE,
        .phase_cycles = load->phase_cycles,
        .slowdown = prediction->slowdown,
        .slowest_slowdown = prediction->slowest,
        .adjusted_utilization = prediction->adjusted_utilization,
        .mean_active = prediction->mean_active,
        .nic_utilization = prediction->nic_utilization,
        .now_time = CLUMP_RESULT_NONE,
        .predicted_time = CLUMP_RESULT_NONE,
        .measured_time = CLUMP_RESULT_NONE,
        .measured_slowdown = CLUMP_RESULT_NONE,
        .measured_half_width = CLUMP_RESULT_NONE,
        .error = CLUMP_RESULT_NONE,
    };
}

/* One row for the node, or one for each processor where they differ. */
static int make_results(const slowdown_question *question, const command_line *arguments, answer *a)
{
    const clump_load *load = &question->load;
    const clump_result node = node_result(question, arguments, &a->prediction);
    a->results = calloc(load->utilization_count, sizeof *a->results);
    if (a->results == NULL)
        return error_memory(arguments->command);
    a->count = load->utilization_count;
    a->results[0] = node;
    if (a->count == 1)
        return EXIT_DONE;
    for (size_t p = 0; p < a->count; p++) {
        double factor;
        clump_result *r = &a->results[p];
        *r = node;
        r->processor = p + 1;
        r->utilization = load->utilizations[p];
        r->slowdown = a->slowdowns[p];
        if (clump_coupling_apply(&load->coupling, r->utilization, &r->adjusted_utilization, &factor,
                                 NULL) != CLUMP_OK)
            r->adjusted_utilization = CLUMP_RESULT_NONE;
    }
    return EXIT_DONE;
}

static int solve(const slowdown_question *question, const command_line *arguments, answer *a)
{
    const size_t P = question->node.processors;
    const bool mixed = question->load.utilization_count > 1;
    if (mixed)
        a->slowdowns = calloc(P, sizeof(double));
    if (question->distribution)
        a->distribution = calloc(P + 1, sizeof(double));
    if ((mixed && a->slowdowns == NULL) || (question->distribution && a->distribution == NULL))
        return error_memory(arguments->command);
    const clump_prediction_details details = {a->slowdowns, a->distribution};
    clump_error error = {CLUMP_OK, ""};
    const clump_status status =
        clump_predict(&question->node, &question->load, &a->prediction, &details, &error);
    if (status == CLUMP_BAD_ARGUMENT)
        return error_usage(arguments->command, "%s", error.message);
    if (status != CLUMP_OK)
        return error_failed(arguments->command, "%s", error.message);
    return make_results(question, arguments, a);
}

static void print_line(const char *name, double value, const char *format)
{
    char text[64];
    if (!isfinite(value))
        return;
    snprintf(text, sizeof text, format, value);
    printf("%-24s%s\n", name, text);
}

static const char *show_ratio(double value, char text[SHOWN_SIZE])
{
    table_cell cell = {0};
    cell_real(&cell, value);
    return cell_show(&cell, NUMBER_RATIO, text);
}

/* The slowest processor only where it is another number. */
static void print_slowdowns(const char *name, const clump_prediction *prediction)
{
    char mean[SHOWN_SIZE], slowest[SHOWN_SIZE];
    const char *shown = show_ratio(prediction->slowdown, mean);
    printf("%-24s%s\n", name, shown);
    if (strcmp(show_ratio(prediction->slowest, slowest), shown) != 0)
        printf("%-24s%s\n", "Slowest processor", slowest);
}

/* What makes the answer too good, unless the question says otherwise. */
static void print_assumption(const clump_node *node)
{
    if (node->mapping == CLUMP_MAPPING_POOLED && node->nics > 1 &&
        !(node->max_nics_per_processor > 0))
        printf("Assumes that one processor can keep all %zu NICs busy; with short messages\n"
               "it usually cannot (--max-nics-per-processor).\n",
               node->nics);
}

static void print_verdict(const answer *a)
{
    char text[VERDICT_SIZE];
    printf("\nThe Clump takes %s", result_verdict(a->prediction.slowdown, text));
    if (a->prediction.slowest > a->prediction.slowdown * 1.0005)
        printf(";\nprocessor %zu, the slowest, takes %s", a->prediction.slowest_processor + 1,
               result_verdict(a->prediction.slowest, text));
    fputs(".\n", stdout);
}

/* One result as a list, which is easier to read than a table of one row. */
static void print_list(const answer *a)
{
    const clump_result *r = &a->results[0];
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(r->demand, r->gang_size, demand);
    printf("%-24s%zu\n", "Processors", r->processors);
    printf("%-24s%zu, %s\n", "NICs", r->nics, clump_mapping_name(r->mapping));
    if (r->max_nics_per_processor > 0)
        print_line("NICs per processor", r->max_nics_per_processor, "at most %.4g");
    print_line("Utilization", r->utilization, "%.4g");
    printf("%-24s%s\n", "Demand", demand);
    print_line("Remote fraction", r->remote_fraction, "%.4g");
    print_line("Cost ratio", r->cost_ratio, "%.4g");
    print_line("Waiting fraction", r->waiting_fraction, "%.4g");
    print_line("Memory penalty", r->memory_penalty, "%.4g");
    if (r->phase_cycles > 0)
        print_line("Phase", r->phase_cycles, "%.4g cycles");
    putchar('\n');
    print_slowdowns("Slowdown", &a->prediction);
    print_line("Mean communicating", r->mean_active, "%.4g");
    print_line("NIC utilization", 100 * r->nic_utilization, "%.1f%%");
}

static void print_distribution(const double *distribution, size_t processors)
{
    puts("\nCommunicating  Probability");
    for (size_t q = 0; q <= processors && !ferror(stdout); q++)
        printf("%13zu  %.4g\n", q, distribution[q]);
}

static int print_for_eyes(const answer *a, const clump_node *node)
{
    if (a->count > 1) {
        const table_rows rows = result_rows(a->results, a->count);
        const int status = table_print(&rows);
        if (status != EXIT_DONE)
            return status;
        putchar('\n');
        print_slowdowns("Mean slowdown", &a->prediction);
        print_line("Mean communicating", a->prediction.mean_active, "%.4g");
        print_line("NIC utilization", 100 * a->prediction.nic_utilization, "%.1f%%");
    } else {
        print_list(a);
    }
    if (a->distribution != NULL)
        print_distribution(a->distribution, node->processors);
    print_verdict(a);
    print_assumption(node);
    return EXIT_DONE;
}

static int print(const command_invocation *invocation, const answer *a, const clump_node *node)
{
    const table_rows rows = result_rows(a->results, a->count);
    output_field fields[3];
    size_t count = 0;
    if (a->count > 1) {
        fields[0] = (output_field){.key = "mean_slowdown"};
        cell_real(&fields[0].value, a->prediction.slowdown);
        fields[1] = (output_field){.key = "slowest_slowdown"};
        cell_real(&fields[1].value, a->prediction.slowest);
        count = 2;
    }
    if (a->distribution != NULL)
        fields[count++] = (output_field){.key = "distribution",
                                         .numbers = a->distribution,
                                         .number_count = node->processors + 1};
    if (invocation->format == FORMAT_TABLE)
        return print_for_eyes(a, node);
    return output_print(invocation->format, &rows, fields, count);
}

static int run(const command_invocation *invocation)
{
    slowdown_question question;
    answer a = {.results = NULL};
    int status = slowdown_question_read(&invocation->arguments, &question);
    if (status == EXIT_DONE && question.distribution && invocation->format == FORMAT_CSV)
        status = error_usage(invocation->arguments.command,
                             "--distribution: found --format csv, expected table or json");
    if (status == EXIT_DONE)
        status = solve(&question, &invocation->arguments, &a);
    if (status == EXIT_DONE)
        status = print(invocation, &a, &question.node);
    free(a.slowdowns);
    free(a.distribution);
    free(a.results);
    slowdown_question_free(&question);
    return status;
}

const command_entry command_slowdown = {
    .name = "slowdown",
    .summary = "Predict the slowdown of one node, without a scenario",
    .text = "P processors that share N NICs, against a NOW where each has its own. The slowdown X\n"
            "is execution time on the Clump over execution time on the NOW: below 1 the Clump is\n"
            "the faster. How many NICs a node needs, 'clumpmodel predict nics-per-node' tells: a\n"
            "scenario to start from.",
    .examples = "clumpmodel slowdown --processors 8 --nics 4 --utilization 0.48\n"
                "clumpmodel slowdown -P 8 -N 3 -U 0.3 --group-sizes 3,3,2 --demand gang:2\n"
                "clumpmodel slowdown -P 4 -N 2 -U 0.1,0.2,0.3,0.4 --format json",
    .options = slowdown_options,
    .option_count = SLOWDOWN_OPTION_COUNT,
    .run = run,
};
