/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/slowdown_question.h"

#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "model/prediction.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool given(const command_line *arguments, size_t option)
{
    return option_given(arguments, option);
}

static int read_sizes(const command_line *arguments, clump_node *node)
{
    static const struct {
        size_t option;
        const char *expected;
    } sizes[] = {
        {SLOWDOWN_PROCESSORS, "a whole number of processors, 1 to 100000000"},
        {SLOWDOWN_NICS, "a whole number of NICs, 1 to 100000000"},
    };
    uint64_t read[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        const int status = option_whole(arguments, sizes[i].option, 1, CLUMP_MAX_PROCESSORS,
                                        sizes[i].expected, &read[i]);
        if (status != EXIT_DONE)
            return status;
    }
    node->processors = (size_t)read[0];
    node->nics = (size_t)read[1];
    return EXIT_DONE;
}

static int read_utilizations(const command_line *arguments, slowdown_question *question)
{
    static const number_range share = {0, 1, false, "numbers from 0 to 1"};
    size_t count = 0;
    const int status =
        option_real_list(arguments, SLOWDOWN_UTILIZATION, &share, &question->utilizations, &count);
    if (status != EXIT_DONE)
        return status;
    if (count != 1 && count != question->node.processors) {
        char hint[OPTION_HINT_SIZE];
        const char *text = option_value(arguments, SLOWDOWN_UTILIZATION);
        return error_usage(
            arguments->command,
            "--utilization: found %zu values, expected 1 or one for each of the %zu processors%s",
            count, question->node.processors,
            option_meant(&(option_entry){.most = 1}, text, "", hint));
    }
    question->load.utilizations = question->utilizations;
    question->load.utilization_count = count;
    return EXIT_DONE;
}

static int read_demand(const command_line *arguments, const clump_node *node, clump_load *load)
{
    static const char expected[] = "independent, correlated, scheduled or gang:S, such as gang:2.5";
    const char *text = option_value(arguments, SLOWDOWN_DEMAND);
    load->demand = CLUMP_DEMAND_INDEPENDENT;
    load->gang_size = 1;
    if (text == NULL)
        return EXIT_DONE;
    if (strncmp(text, "gang:", 5) == 0) {
        const double most = (double)node->processors;
        char range[96];
        snprintf(range, sizeof range, "gang:S with S from 1 to the %zu processors of a node",
                 node->processors);
        if (!real_parse(text + 5, &load->gang_size) || load->gang_size < 1 ||
            load->gang_size > most)
            return option_refuse(arguments, SLOWDOWN_DEMAND, text, range);
        load->demand = CLUMP_DEMAND_GANG;
    } else if (!clump_demand_parse(text, &load->demand, &load->gang_size) ||
               load->demand == CLUMP_DEMAND_GANG) {
        return option_refuse(arguments, SLOWDOWN_DEMAND, text, expected);
    }
    if (load->demand == CLUMP_DEMAND_GANG && load->utilization_count > 1)
        return error_usage(
            arguments->command,
            "--demand: found '%.40s' and %zu utilizations, expected one utilization for gangs",
            text, load->utilization_count);
    return EXIT_DONE;
}

static int read_mapping(const command_line *arguments, clump_node *node)
{
    const char *text = option_value(arguments, SLOWDOWN_MAPPING);
    const bool groups = given(arguments, SLOWDOWN_GROUP_SIZES);
    node->mapping = groups ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    if (text != NULL && !clump_mapping_parse(text, &node->mapping))
        return option_refuse(arguments, SLOWDOWN_MAPPING, text, "pooled or static");
    if (groups && node->mapping != CLUMP_MAPPING_STATIC)
        return error_usage(arguments->command, "--group-sizes: found --mapping %s, expected static",
                           text);
    return EXIT_DONE;
}

static int read_group_sizes(const command_line *arguments, slowdown_question *question)
{
    const char *text = option_value(arguments, SLOWDOWN_GROUP_SIZES);
    const clump_node *node = &question->node;
    if (text == NULL)
        return EXIT_DONE;
    const size_t count = list_length(text);
    if (count != node->nics)
        return error_usage(arguments->command,
                           "--group-sizes: found %zu, expected one for each of the %zu "
                           "NICs",
                           count, node->nics);
    question->group_sizes = calloc(count, sizeof *question->group_sizes);
    if (question->group_sizes == NULL)
        return error_memory(arguments->command);
    uint64_t sum = 0; /* at most count times the limit: no overflow */
    for (size_t i = 0; i < count; i++) {
        char item[ITEM_SIZE];
        uint64_t size;
        text = list_next(text, item, sizeof item);
        if (!whole_parse(item, 0, CLUMP_MAX_PROCESSORS, &size))
            return option_refuse(arguments, SLOWDOWN_GROUP_SIZES, item,
                                 "whole numbers of processors, such as 3,3,2");
        question->group_sizes[i] = (size_t)size;
        sum += size;
    }
    if (sum != node->processors)
        return error_usage(arguments->command,
                           "--group-sizes: found a sum of %llu, expected the %zu "
                           "processors of the node",
                           (unsigned long long)sum, node->processors);
    question->node.group_sizes = question->group_sizes;
    return EXIT_DONE;
}

static int read_station(const command_line *arguments, slowdown_question *question)
{
    static const number_range many = {1, DBL_MAX, false, "a number of NICs, at least 1"};
    static const number_range factor = {1e-50, 1e50, false, "numbers above 0 (1e-50 to 1e50)"};
    clump_node *node = &question->node;
    int status = option_real(arguments, SLOWDOWN_MAX_NICS, &many, &node->max_nics_per_processor);
    if (status != EXIT_DONE)
        return status;
    if (node->max_nics_per_processor > 0 && node->mapping == CLUMP_MAPPING_STATIC)
        return error_usage(arguments->command,
                           "--max-nics-per-processor: found a static mapping, expected "
                           "a pooled one");
    size_t count = 0;
    status =
        option_real_list(arguments, SLOWDOWN_EFFICIENCY, &factor, &question->efficiency, &count);
    if (status != EXIT_DONE || count == 0)
        return status;
    if (question->efficiency[0] < 1 || question->efficiency[0] > 1)
        return error_usage(arguments->command,
                           "--efficiency: found %g for one processor, expected 1",
                           question->efficiency[0]);
    node->efficiency.table = question->efficiency;
    node->efficiency.table_length = count;
    return EXIT_DONE;
}

static int read_coupling(const command_line *arguments, clump_coupling *coupling)
{
    static const number_range share = {0, 1, false, "a number from 0 to 1"};
    static const number_range ratio = {0, DBL_MAX, false, "a number, 0 or more"};
    static const number_range positive = {0, DBL_MAX, true, "a number above 0"};
    const bool fraction = given(arguments, SLOWDOWN_REMOTE_FRACTION);
    *coupling = CLUMP_COUPLING_NONE;
    const struct {
        size_t option;
        const number_range *range;
        double *value;
    } options[] = {
        {SLOWDOWN_REMOTE_FRACTION, &share, &coupling->remote_fraction},
        {SLOWDOWN_COST_RATIO, &ratio, &coupling->cost_ratio},
        {SLOWDOWN_WAITING_FRACTION, &share, &coupling->waiting_fraction},
        {SLOWDOWN_MEMORY_PENALTY, &positive, &coupling->memory_penalty},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const int status =
            option_real(arguments, options[i].option, options[i].range, options[i].value);
        if (status != EXIT_DONE)
            return status;
    }
    if (fraction != given(arguments, SLOWDOWN_COST_RATIO))
        return error_usage(arguments->command, "%s is missing, expected it beside %s",
                           fraction ? "--cost-ratio" : "--remote-fraction",
                           fraction ? "--remote-fraction" : "--cost-ratio");
    return EXIT_DONE;
}

/* What only independent demand has. */
static int read_details(const command_line *arguments, slowdown_question *question)
{
    static const number_range positive = {0, DBL_MAX, true, "a number of cycles above 0"};
    clump_load *load = &question->load;
    const int status =
        option_real(arguments, SLOWDOWN_PHASE_CYCLES, &positive, &load->phase_cycles);
    if (status != EXIT_DONE)
        return status;
    if (load->phase_cycles > 0 &&
        (load->demand != CLUMP_DEMAND_INDEPENDENT || load->utilization_count > 1))
        return error_usage(arguments->command, "--phase-cycles: found %s, expected %s",
                           load->utilization_count > 1 ? "several utilizations" : "another demand",
                           load->utilization_count > 1 ? "one for all processors"
                                                       : "independent demand");
    question->distribution = given(arguments, SLOWDOWN_DISTRIBUTION);
    if (question->distribution &&
        (load->demand != CLUMP_DEMAND_INDEPENDENT || load->phase_cycles > 0))
        return error_usage(arguments->command,
                           "--distribution: found %s, expected independent demand in "
                           "equilibrium",
                           load->phase_cycles > 0 ? "--phase-cycles" : "another demand");
    return EXIT_DONE;
}

int slowdown_question_read(const command_line *arguments, slowdown_question *question)
{
    *question = (slowdown_question){.utilizations = NULL};
    int status = read_sizes(arguments, &question->node);
    if (status == EXIT_DONE)
        status = read_utilizations(arguments, question);
    if (status == EXIT_DONE)
        status = read_demand(arguments, &question->node, &question->load);
    if (status == EXIT_DONE)
        status = read_mapping(arguments, &question->node);
    if (status == EXIT_DONE)
        status = read_group_sizes(arguments, question);
    if (status == EXIT_DONE)
        status = read_station(arguments, question);
    if (status == EXIT_DONE)
        status = read_coupling(arguments, &question->load.coupling);
    if (status == EXIT_DONE)
        status = read_details(arguments, question);
    return status;
}

void slowdown_question_free(slowdown_question *question)
{
    free(question->utilizations);
    free(question->group_sizes);
    free(question->efficiency);
    *question = (slowdown_question){.utilizations = NULL};
}
