/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel recommend`: its options, and the answer as a table and for programs. exploring/recommend.c finds it. */
#include "exploring/recommend.h"

#include "cli/command.h"
#include "cli/node_options.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/recommend_gradients.h"
#include "cli/recommend_parts.h"
#include "cli/recommend_share.h"
#include "cli/recommend_workload.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the question */

enum { MOST_COUNTS = 100000 }; /* of a list; each has a row */

typedef struct recommend_options {
    node_settings asked;
    clump_recommend_question question; /* of them */
    double utilization;
    option_wholes nics;
    double port_price;
    const char *recording, *platform;
    size_t stripe_bytes; /* 0: as the MPI library is known for */
    uint64_t most_played;
    recommend_recording recorded;
    const char *application_name;
    recommend_application application;
    recommend_share share;
    recommend_gradients gradients;
    const char *workload, *page;
} recommend_options;

static const recommend_options initial = {.asked = NODE_SETTINGS_INITIAL};

#define PRICE_ENTRY(key, field, what)                                                              \
    {                                                                                              \
        .name = key, .argument = "PRICE", .help = what, OPTION_OF(recommend_options, field),       \
        .most = 1e15, .expected = "a price, 0 to 1e15, such as 1500"                               \
    }

static const option_entry entries[] = {
    {.name = "processors",
     .letter = 'P',
     .argument = "P",
     .help = "processors (cores, GPUs) of a node (with --recording\n"
             "or --application default: those of the platform)",
     OPTION_OF(recommend_options, asked.node.processors),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .product = true,
     .expected = "a whole number of processors, 1 to 100000000, or 2x64"},
    {.name = "cores",
     .argument = "SxC",
     .help = "the same: 128, or 2x64 for 2 sockets of 64 cores",
     OPTION_OF(recommend_options, asked.node.processors),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .product = true,
     .expected = "a whole number of cores, 1 to 100000000, or 2x64"},
    {.name = "utilization",
     .letter = 'U',
     .argument = "U",
     .help = "share of its time that a processor communicates where it\n"
             "has a NIC of its own, 0.48 or 48%; or --recording\n"
             "or --application",
     OPTION_OF(recommend_options, utilization),
     .most = 1,
     .expected = "a number from 0 to 1"},
    {.name = "mpi-share",
     .argument = "S",
     .help = "share of its time in MPI (or NCCL), 35%, as a profile of\n"
             "today's nodes tells it: in place of -U",
     OPTION_AS(SHARE, recommend_options, share.share),
     .most = 0.999999,
     .above = true,
     .expected = "a share above 0 and below 1, such as 0.35 or 35%"},
    {.name = "workload",
     .argument = "FILE",
     .help = "CSV of the programs of a machine, with program, share\n"
             "(of node hours) and mpi_share, and as far as known\n"
             "waiting, nic_busy or bytes_per_second, source: what the\n"
             "year's work takes and costs",
     OPTION_OF(recommend_options, workload)},
    {.name = "html",
     .argument = "FILE",
     .help = "beside --workload: one page to print",
     OPTION_AS(OUTPUT, recommend_options, page),
     .expected = "the name of a file"},
    {.name = "measured-nics",
     .argument = "N",
     .help = "beside --mpi-share: NICs of the nodes that were measured",
     OPTION_OF(recommend_options, share.measured_nics),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "a whole number of NICs, at least 1"},
    {.name = "waiting",
     .argument = "S",
     .help = "beside --mpi-share: the part of it in which processes wait\n"
             "for partners that are late, as a share of the time",
     OPTION_AS(SHARE, recommend_options, share.waiting),
     .most = 1,
     .expected = "a share from 0 to 1, such as 0.1 or 10%"},
    {.name = "nic-busy",
     .argument = "B",
     .help = "beside --mpi-share: share of their line rate that the NICs\n"
             "use, 40%: tells whether all communicate at once",
     OPTION_AS(SHARE, recommend_options, share.busy),
     .most = 1,
     .above = true,
     .expected = "a share above 0, up to 1, such as 0.4 or 40%"},
    {.name = "bytes-per-second",
     .argument = "BYTES",
     .help = "the same as what a node's NICs send or receive, the\n"
             "greater, 18GB; needs --nic-speed",
     OPTION_OF(recommend_options, share.bytes_per_us),
     .unit = "B/us",
     .bare = "B/s",
     .most = DBL_MAX,
     .above = true,
     .expected = "a number above 0 of bytes, such as 18GB or 18e9"},
    {.name = "nic-speed",
     .argument = "SPEED",
     .help = "line rate of a NIC, 200Gb/s or 25GB/s; 200 is 200Gb/s",
     OPTION_OF(recommend_options, share.nic_speed),
     .unit = "B/us",
     .bare = "Gb/s",
     .most = 1.25e7, /* 200e9 is no number of Gb/s */
     .above = true,
     .expected = "a speed above 0, up to 100Tb/s, such as 200Gb/s or 25GB/s"},
    {.name = "gpus",
     .argument = "G",
     .help = "the same as --processors",
     OPTION_OF(recommend_options, asked.node.processors),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "a whole number of GPUs, at least 1"},
    {.name = "gradients",
     .argument = "BYTES",
     .help = "bytes that all GPUs add up in a step of training, 1.2GB;\n"
             "with --step, --nodes and --nic-speed: in place of -U",
     OPTION_OF(recommend_options, gradients.bytes),
     .unit = "B",
     .bare = "B",
     .least = 1e3, /* "7B" means parameters */
     .most = 1e18,
     .expected = "a number of bytes, 1kB to 1e18, such as 1.2GB"},
    {.name = "step",
     .argument = "TIME",
     .help = "beside --gradients: a step, measured on --measured-nics\n"
             "(default: the most of --nics), 350ms",
     OPTION_OF(recommend_options, gradients.step_s),
     .unit = "s",
     .bare = "s",
     .most = 1e9,
     .above = true,
     .expected = "a time above 0, such as 350ms or 0.35"},
    {.name = "step-alone",
     .argument = "TIME",
     .help = "beside --gradients: the same step on one node, which tells\n"
             "how much of the exchange is hidden",
     OPTION_OF(recommend_options, gradients.alone_s),
     .unit = "s",
     .bare = "s",
     .most = 1e9,
     .above = true,
     .expected = "a time above 0, such as 340ms"},
    {.name = "overlap",
     .argument = "S",
     .help = "beside --gradients: share of the exchange that computation\n"
             "hides",
     OPTION_AS(SHARE, recommend_options, gradients.overlap),
     .most = 1,
     .expected = "a share from 0 to 1, such as 0.9"},
    {.name = "nodes",
     .argument = "N",
     .help = "beside --gradients: nodes of the job",
     OPTION_OF(recommend_options, gradients.nodes),
     .from = 2, /* on one node nothing passes its NICs */
     .to = 10000000,
     .expected = "a whole number of nodes, 2 to 10000000"},
    {.name = "recording",
     .help = "a folder of 'clumpmodel record', or an application whose\n"
             "recording was imported: what its ranks do, in place of -U",
     OPTION_OF(recommend_options, recording)},
    {.name = "application",
     .help = "an application of the database whose messages were counted,\n"
             "such as by 'clumpmodel run --predict --name', on --platform:\n"
             "in place of -U",
     .values = "@applications",
     OPTION_OF(recommend_options, application_name)},
    {.name = "platform",
     .help = "beside --recording: whose network carries its messages;\n"
             "beside --application: where they were counted",
     OPTION_OF(recommend_options, platform)},
    {.name = "stripe-bytes",
     .help = "beside --recording: messages of up to so many bytes take any\n"
             "free NIC, and there are none that are longer\n"
             "(default: what Open MPI does over TCP)",
     OPTION_AS(BYTES, recommend_options, stripe_bytes),
     .from = 1,
     .to = UINT64_C(1) << 50,
     .expected = "a number of bytes, with K, M, G for powers of 1024"},
    {.name = "most-played",
     .argument = "OPERATIONS",
     .help = "beside --recording: its calls are played again on each\n"
             "number of NICs, so many messages and computations in all\n"
             "at most, or a sample of them (default: {})",
     OPTION_OF(recommend_options, most_played),
     .preset = "5e7",
     .from = 1,
     .to = UINT64_C(1000000000000),
     .power = true,
     .expected = "a whole number of operations, 1 to 1e12"},
    {.name = "nics",
     .letter = 'N',
     .argument = "A,B,...",
     .help = "numbers of NICs that are possible, 1,2,4,8 or 1:8\n"
             "(default: all)",
     OPTION_OF(recommend_options, nics),
     .from = 1,
     .to = CLUMP_MAX_PROCESSORS,
     .expected = "whole numbers of NICs, such as 1,2,4,8 or 1:8"},
    {.name = "max-slowdown",
     .argument = "X",
     .help = "slowdown allowed (default: {}, as fast as with a NIC for\n"
             "each processor)",
     OPTION_OF(recommend_options, question.limit),
     .preset = "1",
     .most = DBL_MAX,
     .above = true,
     .expected = "a number above 0, such as 1.1 for 10% more time"},
    {.name = "max-nics-per-processor",
     .argument = "M",
     .help = "NICs that one processor can keep busy; if given, the\n"
             "answer is for this limit (default: {}, for comparison)",
     OPTION_OF(recommend_options, asked.node.max_nics_per_processor),
     .preset = "1",
     .least = 1,
     .most = DBL_MAX,
     .expected = "a number of NICs, at least 1"},
    {.name = "domains",
     .argument = "D",
     .help = "sockets or PCIe switches over which processors and NICs\n"
             "are spread evenly (default: {})",
     OPTION_OF(recommend_options, asked.node.placement.domains),
     .preset = "1",
     .from = 1,
     .to = CLUMP_MOST_DOMAINS,
     .expected = "a whole number, 1 to 1024"},
    {.name = "far",
     .argument = "FRACTION",
     .help = "fraction of its speed at which a NIC serves processors of\n"
             "other domains (default: {})",
     OPTION_OF(recommend_options, asked.node.placement.far),
     .preset = "1",
     .least = 1e-6,
     .most = 1,
     .expected = "a fraction, 1e-6 to 1"},
    {.name = "ports-per-slot",
     .argument = "K",
     .help = "NICs (ports) that share the bandwidth of one slot\n"
             "(default: {})",
     OPTION_OF(recommend_options, asked.node.placement.slots.ports),
     .preset = "1",
     .from = 1,
     .to = 1024,
     .expected = "a whole number of NICs, 1 to 1024"},
    {.name = "slot-bandwidth",
     .argument = "B",
     .help = "what a slot carries, in units of one NIC; 1.11 if two\n"
             "ports together reach 13.1 GB/s and one alone 11.8",
     OPTION_OF(recommend_options, asked.node.placement.slots.bandwidth),
     .most = DBL_MAX,
     .above = true,
     .expected = "a number above 0"},
    PRICE_ENTRY("node-price", question.node_price, "price of a node without NICs, in any currency"),
    PRICE_ENTRY("nic-price", question.nic_price, "price of a NIC"),
    PRICE_ENTRY("port-price", port_price, "price of the switch port and cable of a NIC"),
    {0},
};

static const option_table tables[] = {
    {entries, 0}, {node_options, offsetof(recommend_options, asked)}, {0}};

/* ---- the ways to say what the program does, and which options are of which */

enum { SAID = 1, RECORDED = 2, COUNTED = 4, MEASURED = 8, WORKLOAD = 16, TRAINED = 32 };

/* The option that decides; without any it is SAID. */
static const struct {
    int way;
    const char *option;
} ways[] = {{COUNTED, "application"}, {RECORDED, "recording"}, {MEASURED, "mpi-share"},
            {WORKLOAD, "workload"},   {TRAINED, "gradients"},  {SAID, "utilization"}};
enum { WAYS = sizeof ways / sizeof *ways };

static const struct {
    const char *option;
    int of;
} program_options[] = {{"half-width", SAID},
                       {"remote-fraction", SAID},
                       {"cost-ratio", SAID},
                       {"demand", SAID | COUNTED},
                       {"platform", RECORDED | COUNTED},
                       {"stripe-bytes", RECORDED},
                       {"most-played", RECORDED},
                       {"measured-nics", MEASURED | WORKLOAD | TRAINED},
                       {"step", TRAINED},
                       {"step-alone", TRAINED},
                       {"overlap", TRAINED},
                       {"nodes", TRAINED},
                       {"html", WORKLOAD},
                       {"waiting", MEASURED},
                       {"nic-busy", MEASURED},
                       {"bytes-per-second", MEASURED},
                       {"nic-speed", MEASURED | WORKLOAD | TRAINED | SAID},
                       {"max-nics-per-processor", SAID | RECORDED | COUNTED | MEASURED | WORKLOAD},
                       {"max-slowdown", SAID | RECORDED | COUNTED},
                       {"domains", SAID | RECORDED | COUNTED},
                       {"ports-per-slot", SAID | RECORDED | COUNTED},
                       {"memory-share", SAID | RECORDED | COUNTED}};

/* "recording or --application": the ways that an option belongs to, but for the one without an option of its own. */
static const char *way_options(int of, char text[80])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = WAYS - 1; i-- > 0;)
        if ((of & ways[i].way) != 0 && used < 80)
            used += (size_t)snprintf(text + used, 80 - used, "%s%s", used > 0 ? " or --" : "",
                                     ways[i].option);
    return text;
}

static int find_way(const command_line *line, int *way)
{
    const char *given = NULL;
    *way = SAID;
    for (size_t i = 0; i < WAYS; i++) {
        if (!option_is_given(line, ways[i].option))
            continue;
        if (given != NULL)
            return error_usage(line->command, "found --%s and --%s, expected one of them", given,
                               ways[i].option);
        given = ways[i].option;
        *way = ways[i].way;
    }
    for (size_t i = 0; i < sizeof program_options / sizeof *program_options; i++) {
        const char *option = program_options[i].option;
        const int of = program_options[i].of;
        if ((of & *way) != 0 || !option_is_given(line, option))
            continue;
        char expected[80];
        if (given != NULL && (of & SAID) != 0)
            return error_usage(line->command, "found --%s and --%s, expected one of them", given,
                               option);
        if (given != NULL)
            return error_usage(line->command, "found --%s and --%s, expected --%s beside it", given,
                               option, way_options(of, expected));
        return error_usage(line->command, "--%s is missing, expected it beside --%s",
                           way_options(of, expected), option);
    }
    return EXIT_DONE;
}

/* What fits together only. */
static int check(const command_line *line, const recommend_options *o)
{
    int way;
    const clump_placement *placement = &o->asked.node.placement;
    clump_error error = {CLUMP_OK, ""};
    const int status = find_way(line, &way);
    if (status != EXIT_DONE)
        return status;
    if ((way & (RECORDED | COUNTED)) != 0 && o->platform == NULL)
        return error_usage(line->command, "--platform is missing, expected it beside --%s: %s",
                           way == RECORDED ? "recording" : "application",
                           way == RECORDED ? "whose network carries its messages"
                                           : "where its messages were counted");
    if ((way & (SAID | MEASURED | WORKLOAD | TRAINED)) != 0 && o->asked.node.processors == 0)
        return error_usage(line->command,
                           "--processors is missing, expected --processors P or --cores 2x64");
    if (option_is_given(line, "processors") + option_is_given(line, "cores") +
            option_is_given(line, "gpus") >
        1)
        return error_usage(line->command,
                           "found two of --processors, --cores and --gpus, expected one of them");
    if (way == SAID && !option_is_given(line, "utilization"))
        return error_usage(line->command,
                           "--utilization is missing, expected --utilization U, or --mpi-share S "
                           "of nodes that were measured, --recording NAME or --application NAME");
    if (o->nics.count > MOST_COUNTS)
        return error_usage(line->command, "--nics: found %zu numbers, expected at most %d",
                           o->nics.count, (int)MOST_COUNTS);
    if (option_is_given(line, "far") && placement->domains <= 1)
        return error_usage(line->command, "--domains is missing, expected 2 or more beside --far");
    if (option_is_given(line, "slot-bandwidth") && placement->slots.ports <= 1)
        return error_usage(line->command, "--ports-per-slot is missing, expected 2 or more beside "
                                          "--slot-bandwidth");
    if (clump_placement_check(placement, &error) != CLUMP_OK)
        return error_usage(line->command, "%s", error.message);
    return EXIT_DONE;
}

/* The program instead of a utilization and a demand. */
static int read_recording(const command_invocation *invocation, recommend_options *o)
{
    const size_t counts = o->nics.count > 0 ? o->nics.count : CLUMP_RECOMMEND_ALL_UP_TO + 8;
    const recommend_recording_question asked = {.name = o->recording,
                                                .platform = o->platform,
                                                .stripe_bytes = (double)o->stripe_bytes,
                                                .processors = o->asked.node.processors,
                                                .most_operations =
                                                    o->most_played / (1 + 2 * counts)};
    const int status = recommend_recording_open(invocation, &asked, &o->recorded);
    o->question.recorded = &o->recorded.placed;
    o->asked.node.processors = o->recorded.placed.processors;
    o->asked.load.coupling.remote_fraction = o->recorded.placed.remote_fraction;
    return status;
}

/* The messages that were counted. */
static int read_application(const command_invocation *invocation, recommend_options *o)
{
    recommend_application *a = &o->application;
    const int status = recommend_application_read(invocation, o->application_name, o->platform,
                                                  o->asked.node.processors, a);
    o->asked.node.processors = a->processors;
    o->utilization = a->utilization;
    o->asked.load.coupling =
        (clump_coupling){a->remote_fraction, a->cost_ratio, a->memory_penalty, a->waiting_fraction};
    if (o->asked.demand == NULL)
        o->asked.load.demand = CLUMP_DEMAND_CORRELATED;
    return status;
}

static int read_question(const command_invocation *invocation, recommend_options *o)
{
    const command_line *line = &invocation->arguments;
    static const char *const prices[] = {"node-price", "nic-price", "port-price"};
    clump_recommend_question *question = &o->question;
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++)
        question->priced |= option_is_given(line, prices[i]);
    int status = check(line, o);
    if (status == EXIT_DONE)
        status = node_options_check(line, &o->asked);
    if (status == EXIT_DONE && o->recording != NULL)
        status = read_recording(invocation, o);
    if (status == EXIT_DONE && o->application_name != NULL)
        status = read_application(invocation, o);
    question->node = o->asked.node;
    question->load = o->asked.load;
    question->load.utilizations = &o->utilization;
    question->utilization_half_width = o->asked.half_width;
    question->nic_price += o->port_price;
    question->limited = option_is_given(line, "max-nics-per-processor");
    question->nics = o->nics.values;
    question->nic_counts = o->nics.count;
    if (!question->limited && (o->share.share > 0 || o->workload != NULL))
        question->node.max_nics_per_processor = 0;
    o->gradients.overlap_known = option_is_given(line, "overlap");
    for (size_t i = 0;
         o->gradients.bytes > 0 && !option_is_given(line, "measured-nics") && i < o->nics.count;
         i++)
        if (o->nics.values[i] > o->share.measured_nics)
            o->share.measured_nics = o->nics.values[i];
    o->share.nics = question->nics;
    o->share.nic_counts = question->nic_counts;
    o->share.priced = question->priced;
    o->share.node_price = question->node_price;
    o->share.nic_price = question->nic_price;
    return status;
}

static const char *const arrangement_names[CLUMP_RECOMMEND_ARRANGEMENTS] = {"pooled", "limited",
                                                                            "static"};

/* ---- for programs: one row an option */

static void make_arrangement(const void *option, table_cell *cell)
{
    cell_text(cell, arrangement_names[((const clump_recommend_option *)option)->arrangement]);
}

#define OPTION(member) FIELD(clump_recommend_option, member)

static const table_column columns[] = {
    {"nics", NULL, OPTION(nics)},
    {"arrangement", NULL, .make = make_arrangement},
    {"max_nics_per_processor", NULL, OPTION(most_nics)},
    {"slowdown", NULL, OPTION(slowdown)},
    {"enough", NULL, OPTION(enough)},
    {"saved_by_each_nic", NULL, OPTION(saved)},
    {"independent", NULL, OPTION(independent)},
    {"correlated", NULL, OPTION(correlated)},
    {"scheduled", NULL, OPTION(scheduled)},
    {"nic_utilization", NULL, OPTION(nic_utilization)},
    {"lower_bound", NULL, OPTION(lower_bound)},
    {"upper_bound", NULL, OPTION(upper_bound)},
    {"interval_low", NULL, OPTION(low)},
    {"interval_high", NULL, OPTION(high)},
    {"input_low", NULL, OPTION(input_low)},
    {"input_high", NULL, OPTION(input_high)},
    {"price", NULL, OPTION(price)},
    {"price_per_now_machine", NULL, OPTION(work_price)},
};

/* 0 is none. */
static output_field field_count(const char *key, size_t count)
{
    return count > 0 ? field_size(key, count) : field_text(key, NULL);
}

static int print_for_programs(const command_invocation *invocation, const recommend_report *r)
{
    static const char *const enough[] = {"enough_pooled", "enough_limited", "enough_static"};
    static const char *const least[] = {"least_pooled", "least_limited", "least_static"};
    static const char *const but_not[] = {"pooled_but_not", "limited_but_not", "static_but_not"};
    const clump_recommend_answer *a = r->answer;
    output_field fields[44];
    char ranges[RECOMMEND_RANGES];
    size_t n = 0;
    const clump_recorded_placed *recorded = r->question->recorded;
    fields[n++] = field_count("recommended_nics",
                              a->options[a->chosen].enough ? a->options[a->chosen].nics : 0);
    fields[n++] = field_count("cautious_nics", a->cautious_enough);
    fields[n++] = field_real("max_slowdown", r->question->limit);
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
        fields[n++] = field_count(enough[k], a->enough[k]);
        fields[n++] = field_count(least[k], a->least[k].nics);
        fields[n++] = field_count(but_not[k], a->least[k].but_not);
    }
    fields[n++] = field_real("least_pooled_real", a->least[CLUMP_RECOMMEND_POOLED].real);
    fields[n++] = field_count("least_correlated", a->least_correlated);
    fields[n++] = field_count("least_cautious", a->cautious);
    fields[n++] = field_real("holds_up_to_utilization", a->holds_up_to);
    if (a->ranges > 0 && a->within[2 * (a->ranges - 1)] > 0) /* more than from 0 up */
        fields[n++] = field_text("enough_at_utilizations", recommend_ranges(a, ranges));
    fields[n++] = field_real("slowdown_with_0.01_less", a->slowdown_less);
    fields[n++] = field_real("slowdown_with_0.01_more", a->slowdown_more);
    if (r->question->priced)
        fields[n++] = field_count("cheapest_nics", a->options[a->cheapest].nics);
    if (a->tied_refused.message[0] != 0)
        fields[n++] = field_text("static_refused", a->tied_refused.message);
    if (r->application != NULL) {
        fields[n++] = field_real("utilization", r->application->utilization);
        fields[n++] = field_real("remote_fraction", r->application->remote_fraction);
        fields[n++] = field_real("cost_ratio", r->application->cost_ratio);
        fields[n++] = field_real("waiting_fraction", r->application->waiting_fraction);
        fields[n++] = field_real("memory_penalty", r->application->memory_penalty);
        fields[n++] = field_real("now_time_s", r->application->now_s);
    }
    if (recorded != NULL) {
        const clump_recorded *program = recorded->program;
        fields[n++] = field_real("remote_fraction", recorded->remote_fraction);
        fields[n++] = field_real("now_time_s", clump_recorded_now_s(program));
        fields[n++] = field_real("played_operations", program->operations);
        fields[n++] = field_real("played_share", clump_recorded_share(program));
        fields[n++] = field_real("played_now_time_s", program->now_us / 1e6);
    }
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(a->options, a->count)};
    return output_print(invocation->format, &rows, fields, n);
}

/* ---- for eyes: one row a number of NICs, the record being its options, one an arrangement */

/* "1.0019 *" where it is enough. */
static void make_slowdown(const table_column *column, const void *options, table_cell *cell)
{
    const clump_recommend_option *o = (const clump_recommend_option *)options + column->offset;
    if (isfinite(o->slowdown))
        cell_print(cell, "%.4f %c", o->slowdown, o->enough ? '*' : ' ');
    else
        cell_real(cell, NAN);
}

static void make_price(const table_column *column, const void *options, table_cell *cell)
{
    double price;
    memcpy(&price, (const char *)options + column->offset, sizeof price);
    cell_print(cell, "%.2f", price);
}

static int print_table(const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    enum { HEADING = sizeof "At most 1 each" - 1 }; /* with a wider one the table has 81 columns */
    char limited[48];
    if (snprintf(limited, sizeof limited, "At most %.3g each",
                 r->question->node.max_nics_per_processor) > HEADING)
        snprintf(limited, sizeof limited, "Max %.3g each",
                 r->question->node.max_nics_per_processor);
    const size_t verdict = a->verdict * sizeof *a->options; /* where its option stands */
#define OF_VERDICT(member) .offset = verdict + offsetof(clump_recommend_option, member)
    const table_column all[] = {
        {NULL, "NICs", OPTION(nics)},
        {NULL, "Pooled", .offset = CLUMP_RECOMMEND_POOLED, .make_with = make_slowdown},
        {NULL, limited, .offset = CLUMP_RECOMMEND_LIMITED, .make_with = make_slowdown},
        {NULL, "Static", .offset = CLUMP_RECOMMEND_TIED, .make_with = make_slowdown},
        {NULL, "Best timing", NUMBER_RATIO, .type = FIELD_REAL, OF_VERDICT(scheduled)},
        {NULL, "All at once", NUMBER_RATIO, .type = FIELD_REAL, OF_VERDICT(correlated)},
        {NULL, "Each saves", NUMBER_PERCENT, .type = FIELD_REAL, OF_VERDICT(saved)},
        {NULL, "Node price", .make_with = make_price, OF_VERDICT(price)},
        {NULL, "Per NOW machine", .make_with = make_price, OF_VERDICT(work_price)},
    };
    enum { COUNT = sizeof all / sizeof *all };
    const bool played = r->question->recorded != NULL;
    const bool left_out[COUNT] = {[2] = played && !r->question->limited,
                                  [4] = played,
                                  [5] = played,
                                  [7] = !r->question->priced,
                                  [8] = !r->question->priced};
    table_column shown[COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (!left_out[i])
            shown[count++] = all[i];
    const table_rows rows = {.columns = shown,
                             .column_count = count,
                             .records = a->options,
                             .record_size = CLUMP_RECOMMEND_ARRANGEMENTS * sizeof *a->options,
                             .row_count = a->nic_counts};
    return table_print(&rows);
}

/* After ^C: the slowdowns that are computed. What is enough is known when all are. */
static int answer_stopped(const command_invocation *invocation, const recommend_report *r)
{
    const clump_recommend_answer *a = r->answer;
    int status = EXIT_DONE;
    if (a->nic_counts == 0)
        return interrupt_told(invocation->command->name,
                              "the search for the least number of NICs was not over");
    if (invocation->format == FORMAT_TABLE) {
        status = print_table(r);
        if (status == EXIT_DONE)
            interrupt_mark_table("rows", a->nic_counts, a->nics_asked);
    } else {
        const output_field fields[] = {
            field_text("incomplete", "interrupted"),
            field_size("rows_expected", CLUMP_RECOMMEND_ARRANGEMENTS * a->nics_asked)};
        const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(a->options, a->count)};
        status = output_print(invocation->format, &rows, fields, 2);
    }
    return status == EXIT_DONE ? interrupt_told_part(invocation->command->name, "rows",
                                                     a->nic_counts, a->nics_asked)
                               : status;
}

/* With progress, and until ^C. */
static clump_status compute(const command_invocation *invocation,
                            const clump_recommend_question *question, clump_recommend_answer *found,
                            clump_error *error)
{
    clump_recommend_question watched = *question;
    progress_bar bar;
    progress_start(&bar, invocation->quiet);
    const clump_watch guard = progress_watch(&bar);
    watched.node.watch = &guard;
    interrupt_catch();
    const clump_status status = clump_recommend(&watched, found, error);
    interrupt_release();
    progress_clear(&bar);
    return status;
}

static int answer(const command_invocation *invocation, const recommend_options *options)
{
    const clump_recommend_question *question = &options->question;
    clump_recommend_answer found;
    clump_error error = {CLUMP_OK, ""};
    const recommend_report r = {question, &found,
                                options->application_name != NULL ? &options->application : NULL,
                                options->share.nic_speed};
    const clump_status computed = compute(invocation, question, &found, &error);
    int status = EXIT_DONE;
    if (computed == CLUMP_BAD_ARGUMENT)
        status = error_usage(invocation->command->name, "%s", error.message);
    else if (computed == CLUMP_STOPPED)
        status = answer_stopped(invocation, &r);
    else if (computed != CLUMP_OK)
        status = error_failed(invocation->command->name, "%s", error.message);
    else if (invocation->format != FORMAT_TABLE)
        status = print_for_programs(invocation, &r);
    else {
        recommend_print_verdict(&r);
        status = print_table(&r);
        if (status == EXIT_DONE) {
            recommend_print_beside(&r);
            if (question->recorded != NULL)
                recommend_recording_print(&options->recorded);
            if (options->application_name != NULL)
                recommend_application_print(&options->application, options->asked.demand != NULL);
            recommend_print_trust(&r);
        }
    }
    clump_recommend_answer_release(&found);
    return status;
}

static int run(const command_invocation *invocation)
{
    recommend_options *o = invocation->settings;
    const clump_node *node = &o->question.node;
    int status = read_question(invocation, o);
    if (status == EXIT_DONE && o->workload != NULL)
        status = recommend_workload_answer(invocation, &o->share, node, o->workload, o->page);
    else if (status == EXIT_DONE && o->gradients.bytes > 0)
        status = recommend_gradients_answer(invocation, &o->gradients, &o->share, node->processors);
    else if (status == EXIT_DONE && o->share.share > 0)
        status = recommend_share_answer(invocation, &o->share, node);
    else if (status == EXIT_DONE)
        status = answer(invocation, o);
    recommend_recording_close(&o->recorded);
    return status;
}

const command_entry command_recommend = {
    .name = "recommend",
    .summary = "Say how many NICs a node needs, and what each further one gains",
    .text =
        "Compares NICs that all processors share (pooled), the same where one processor keeps at\n"
        "most M busy, and processors tied to one NIC each (static). Says which number is enough,\n"
        "what each further NIC saves, and how far the answer can be trusted. The slowdown is the\n"
        "execution time over that with a NIC for each processor (the NOW).",
    .examples = "clumpmodel recommend --cores 2x64 --mpi-share 35% --measured-nics 2\n"
                "clumpmodel recommend -P8 -N4 --nic-speed 50 --gradients 1G --step 1s --nodes 9\n"
                "clumpmodel recommend --application SAMPLE --platform e5000-clump",
    .tables = tables,
    .settings_size = sizeof(recommend_options),
    .initial = &initial,
    .run = run,
};
