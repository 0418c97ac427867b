/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/recommend_question.h"

#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "model/demand.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

const option_entry clump_recommend_options[RECOMMEND_OPTION_COUNT] = {
    [RECOMMEND_PROCESSORS] = {.name = "processors",
                              .letter = 'P',
                              .argument = "P",
                              .help = "processors (cores, GPUs) of a node",
                              .required = true},
    [RECOMMEND_UTILIZATION] = {.name = "utilization",
                               .letter = 'U',
                               .argument = "U",
                               .help = "share of its time that a processor communicates where it\n"
                                       "has a NIC of its own, 0 to 1",
                               .required = true},
    [RECOMMEND_NICS] = {.name = "nics",
                        .letter = 'N',
                        .argument = "A,B,...",
                        .help = "numbers of NICs to compare (default: 1, 2, 4, ... P)"},
    [RECOMMEND_MAX_SLOWDOWN] = {.name = "max-slowdown",
                                .argument = "X",
                                .help = "enough is what keeps the slowdown within this\n"
                                        "(default: 1, as fast as with a NIC each)"},
    [RECOMMEND_DEMAND] = {.name = "demand",
                          .argument = "DEMAND",
                          .help = "independent (default), correlated, scheduled or\n"
                                  "gang:S; the others are shown beside it"},
    [RECOMMEND_MAX_NICS] = {.name = "max-nics-per-processor",
                            .argument = "M",
                            .help = "NICs that one processor can keep busy; given, it\n"
                                    "decides what is enough (default: 1, for comparison)"},
    [RECOMMEND_REMOTE_FRACTION] = {.name = "remote-fraction",
                                   .argument = "F",
                                   .help =
                                       "share of the communication that leaves the node, 0 to 1;\n"
                                       "needs --cost-ratio"},
    [RECOMMEND_COST_RATIO] = {.name = "cost-ratio",
                              .argument = "V",
                              .help = "cost of communication within the node over that\n"
                                      "of remote communication"},
    [RECOMMEND_DOMAINS] = {.name = "domains",
                           .argument = "D",
                           .help = "sockets or PCIe switches, over which processors and\n"
                                   "NICs are spread evenly (default: 1)"},
    [RECOMMEND_NEAR] = {.name = "near",
                        .argument = "FRACTION",
                        .help = "of its speed at which a NIC serves its own domain\n"
                                "(default: 1)"},
    [RECOMMEND_FAR] = {.name = "far",
                       .argument = "FRACTION",
                       .help = "of its speed at which it serves others (default: 1)"},
    [RECOMMEND_PORTS] = {.name = "ports-per-slot",
                         .argument = "K",
                         .help = "NICs (ports) that share the bandwidth of one slot\n"
                                 "(default: 1)"},
    [RECOMMEND_SLOT_BANDWIDTH] = {.name = "slot-bandwidth",
                                  .argument = "B",
                                  .help =
                                      "what a slot carries, in NICs: two rails of one card that\n"
                                      "reach 13.1 GB/s where one reaches 11.8 have 1.11"},
    [RECOMMEND_PACKED] = {.name = "packed",
                          .help = "while not all NICs are in use, those of one slot are\n"
                                  "used first (default: those of different slots)"},
    [RECOMMEND_NODE_PRICE] = {.name = "node-price",
                              .argument = "PRICE",
                              .help = "of a node without NICs, in any currency"},
    [RECOMMEND_NIC_PRICE] = {.name = "nic-price", .argument = "PRICE", .help = "of a NIC"},
    [RECOMMEND_PORT_PRICE] = {.name = "port-price",
                              .argument = "PRICE",
                              .help = "of the switch port and cable of a NIC"},
};

static int compare_counts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* 1, 2, 4, ... up to P. */
static int take_usual_counts(const command_line *arguments, clump_recommend_question *question)
{
    size_t count = 0;
    question->nics = calloc(66, sizeof *question->nics);
    if (question->nics == NULL)
        return error_memory(arguments->command);
    for (size_t n = 1; n < question->processors; n *= 2)
        question->nics[count++] = n;
    question->nics[count++] = question->processors;
    question->nic_counts = count;
    return EXIT_DONE;
}

static int read_counts(const command_line *arguments, clump_recommend_question *question)
{
    const char *text = option_value(arguments, RECOMMEND_NICS);
    if (text == NULL)
        return take_usual_counts(arguments, question);
    const size_t length = list_length(text);
    question->nics = calloc(length, sizeof *question->nics);
    if (question->nics == NULL)
        return error_memory(arguments->command);
    for (size_t i = 0; i < length; i++) {
        char item[ITEM_SIZE];
        uint64_t count;
        text = list_next(text, item, sizeof item);
        if (!whole_parse(item, 1, CLUMP_MAX_PROCESSORS, &count))
            return option_refuse(arguments, RECOMMEND_NICS, item,
                                 "whole numbers of NICs, such as 1,2,4,8");
        question->nics[i] = (size_t)count;
    }
    qsort(question->nics, length, sizeof *question->nics, compare_counts);
    for (size_t i = 0; i < length; i++)
        if (i == 0 || question->nics[i] != question->nics[i - 1])
            question->nics[question->nic_counts++] = question->nics[i];
    return EXIT_DONE;
}

static int read_numbers(const command_line *arguments, clump_recommend_question *question)
{
    static const number_range share = {0, 1, false, "a number from 0 to 1"};
    static const number_range fraction = {1e-6, 1, false, "a fraction, 1e-6 to 1"};
    static const number_range many = {1, DBL_MAX, false, "a number of NICs, at least 1"};
    static const number_range positive = {0, DBL_MAX, true, "a number above 0"};
    static const number_range ratio = {0, 1e9, false, "a number, 0 or more"};
    static const number_range price = {0, 1e15, false, "a price, 0 to 1e15"};
    double port_price = 0;
    const struct {
        size_t option;
        const number_range *range;
        double *value;
    } numbers[] = {
        {RECOMMEND_UTILIZATION, &share, &question->utilization},
        {RECOMMEND_MAX_SLOWDOWN, &positive, &question->limit},
        {RECOMMEND_MAX_NICS, &many, &question->max_nics_per_processor},
        {RECOMMEND_REMOTE_FRACTION, &share, &question->coupling.remote_fraction},
        {RECOMMEND_COST_RATIO, &ratio, &question->coupling.cost_ratio},
        {RECOMMEND_NEAR, &fraction, &question->placement.near},
        {RECOMMEND_FAR, &fraction, &question->placement.far},
        {RECOMMEND_SLOT_BANDWIDTH, &positive, &question->placement.slots.bandwidth},
        {RECOMMEND_NODE_PRICE, &price, &question->node_price},
        {RECOMMEND_NIC_PRICE, &price, &question->nic_price},
        {RECOMMEND_PORT_PRICE, &price, &port_price},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int status =
            option_real(arguments, numbers[i].option, numbers[i].range, numbers[i].value);
        if (status != EXIT_DONE)
            return status;
        question->priced |=
            numbers[i].range == &price && option_given(arguments, numbers[i].option);
    }
    question->nic_price += port_price;
    question->limited = option_given(arguments, RECOMMEND_MAX_NICS);
    return EXIT_DONE;
}

static int read_sizes(const command_line *arguments, clump_recommend_question *question)
{
    uint64_t processors = 0, domains = 0, ports = 0;
    int status = option_whole(arguments, RECOMMEND_PROCESSORS, 1, CLUMP_MAX_PROCESSORS,
                              "a whole number of processors, 1 to 100000000", &processors);
    if (status == EXIT_DONE)
        status = option_whole(arguments, RECOMMEND_DOMAINS, 1, CLUMP_MOST_DOMAINS,
                              "a whole number, 1 to 1024", &domains);
    if (status == EXIT_DONE)
        status = option_whole(arguments, RECOMMEND_PORTS, 1, 1024,
                              "a whole number of NICs, 1 to 1024", &ports);
    question->processors = (size_t)processors;
    question->placement.domains = (size_t)domains;
    question->placement.slots.ports = (size_t)ports;
    question->placement.slots.packed = option_given(arguments, RECOMMEND_PACKED);
    return status;
}

static int read_demand(const command_line *arguments, clump_recommend_question *question)
{
    const char *text = option_value(arguments, RECOMMEND_DEMAND);
    if (text == NULL)
        return EXIT_DONE;
    if (!clump_demand_parse(text, &question->demand, &question->gang_size) ||
        !(question->gang_size >= 1 && question->gang_size <= (double)question->processors))
        return option_refuse(
            arguments, RECOMMEND_DEMAND, text,
            "independent, correlated, scheduled, or gang:S with S from 1 to the processors");
    return EXIT_DONE;
}

/* What fits together only. */
static int check(const command_line *arguments, const clump_recommend_question *question)
{
    const bool fraction = option_given(arguments, RECOMMEND_REMOTE_FRACTION);
    clump_error error = {CLUMP_OK, ""};
    if (fraction != option_given(arguments, RECOMMEND_COST_RATIO))
        return error_usage(arguments->command, "%s is missing, expected it beside %s",
                           fraction ? "--cost-ratio" : "--remote-fraction",
                           fraction ? "--remote-fraction" : "--cost-ratio");
    if (option_given(arguments, RECOMMEND_FAR) && question->placement.domains <= 1)
        return error_usage(arguments->command,
                           "--domains is missing, expected 2 or more beside --far");
    if (option_given(arguments, RECOMMEND_SLOT_BANDWIDTH) && question->placement.slots.ports <= 1)
        return error_usage(
            arguments->command,
            "--ports-per-slot is missing, expected 2 or more beside --slot-bandwidth");
    if (question->placement.slots.packed && question->placement.slots.ports <= 1)
        return error_usage(arguments->command,
                           "--ports-per-slot is missing, expected 2 or more beside --packed");
    if (clump_placement_check(&question->placement, &error) != CLUMP_OK)
        return error_usage(arguments->command, "%s", error.message);
    return EXIT_DONE;
}

int clump_recommend_question_read(const command_line *arguments, clump_recommend_question *question)
{
    *question = (clump_recommend_question){
        .limit = 1,
        .demand = CLUMP_DEMAND_INDEPENDENT,
        .gang_size = 1,
        .coupling = CLUMP_COUPLING_NONE,
        .max_nics_per_processor = 1,
    };
    int status = read_sizes(arguments, question);
    if (status == EXIT_DONE)
        status = read_numbers(arguments, question);
    if (status == EXIT_DONE)
        status = read_counts(arguments, question);
    if (status == EXIT_DONE)
        status = read_demand(arguments, question);
    return status == EXIT_DONE ? check(arguments, question) : status;
}

void clump_recommend_question_free(clump_recommend_question *question)
{
    free(question->nics);
    question->nics = NULL;
}

clump_node clump_recommend_node(const clump_recommend_question *question, size_t arrangement,
                                size_t nics)
{
    return (clump_node){
        .processors = question->processors,
        .nics = nics,
        .mapping =
            arrangement == CLUMP_RECOMMEND_TIED ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED,
        .max_nics_per_processor =
            arrangement == CLUMP_RECOMMEND_LIMITED ? question->max_nics_per_processor : 0,
        .placement = question->placement,
    };
}

clump_load clump_recommend_load(const clump_recommend_question *question)
{
    return (clump_load){
        .utilizations = &question->utilization,
        .utilization_count = 1,
        .demand = question->demand,
        .gang_size = question->gang_size,
        .coupling = question->coupling,
    };
}
