/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel topology`: what the links of a node allow, and which processor should use which NIC. */
#include "cli/command.h"
#include "cli/output/errors.h"
#include "cli/topology/topology_file.h"
#include "cli/topology/topology_tables.h"
#include "topology/pcie.h"
#include "topology/read_topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = CLUMP_TOPOLOGY_MOST_NICS };

typedef struct name_list {
    const char *names[MOST_NAMES];
    char text[MOST_NAMES][CLUMP_PART_NAME];
    size_t count;
} name_list;

typedef struct settings {
    name_list nics;
    bool cores, through_memory;
    double nic_speed, between_sockets, utilization;
    double slot;
    size_t max_payload, packet;
    option_wholes given;
    const char *picture;
} settings;

static int read_names(command_line *line, const option_entry *option, const char *text, void *field)
{
    name_list *list = field;
    char item[ITEM_SIZE];
    for (const char *next = text; next != NULL;) {
        next = list_next(next, item, sizeof item);
        if (*item == '\0' || strlen(item) >= CLUMP_PART_NAME || list->count == MOST_NAMES)
            return option_wrong(line, option->name, text, "names of NICs with commas between");
        strcpy(list->text[list->count++], item);
    }
    return EXIT_DONE;
}

static int read_pcie(command_line *line, const option_entry *option, const char *text, void *field)
{
    uint64_t generation, width;
    char item[ITEM_SIZE];
    const char *x = strchr(text, 'x');
    const size_t n = x != NULL ? (size_t)(x - text) : 0;
    if (x == NULL || n >= sizeof item)
        return option_wrong(line, option->name, text, "generation and lanes, such as 4x16");
    memcpy(item, text, n);
    item[n] = '\0';
    if (!whole_parse(item, 1, 7, &generation) || !whole_parse(x + 1, 1, 32, &width))
        return option_wrong(line, option->name, text,
                            "generation 1 to 7 and lanes 1 to 32, such as 4x16");
    *(double *)field = clump_pcie_rate(clump_pcie_generation((unsigned)generation), (double)width);
    return EXIT_DONE;
}

static const option_entry options[] = {
    {.name = "utilization",
     .letter = 'U',
     .argument = "U",
     .help = "share of its time that a processor sends where it has links\n"
             "and a NIC to itself: adds what each assignment costs in time",
     OPTION_OF(settings, utilization),
     .most = 0.999,
     .expected = "a number from 0 to 0.999"},
    {.name = "assign",
     .argument = "A,B,...",
     .help = "an assignment of your own to be compared: for each processor\n"
             "the number of its NIC, from 0, in the order of their names",
     OPTION_OF(settings, given),
     .from = 0,
     .to = CLUMP_TOPOLOGY_MOST_NICS,
     .expected = "numbers of NICs from 0, such as 0,0,1,1"},
    {.name = "nic",
     .argument = "NAME,...",
     .help = "NICs that are used (default: RDMA if there is some,\n"
             "and none that is four times slower than the fastest)",
     OPTION_READ(read_names, settings, nics)},
    {.name = "cores", .help = "cores send, although there are GPUs", OPTION_OF(settings, cores)},
    {.name = "nic-speed",
     .argument = "GBITS",
     .help = "speed of NICs that the file has none of, in 1e9 bits a\n"
             "second, such as 100",
     OPTION_OF(settings, nic_speed),
     .most = 1e6,
     .above = true,
     .expected = "1e9 bits a second, such as 100"},
    {.name = "pcie",
     .argument = "GENxLANES",
     .help = "PCIe links that the file has no speed of, such as 4x16",
     OPTION_READ(read_pcie, settings, slot)},
    {.name = "between-sockets",
     .argument = "GBYTES",
     .help = "what goes from a socket to the others, in 1e9 bytes a second\n"
             "(default: no limit; no file has it)",
     OPTION_OF(settings, between_sockets),
     .most = 1e6,
     .above = true,
     .expected = "1e9 bytes a second, such as 40"},
    {.name = "through-memory",
     .help = "GPUs send by the memory of their socket, not directly to\n"
             "the NIC (without GPUDirect RDMA)",
     OPTION_OF(settings, through_memory)},
    {.name = "max-payload",
     .argument = "BYTES",
     .help = "data in a PCIe packet, as lspci -vv tells (default: {})",
     OPTION_OF(settings, max_payload),
     .preset = "256",
     .from = 64,
     .to = 4096},
    {.name = "packet",
     .argument = "BYTES",
     .help = "data in a packet of the network (default: {})",
     OPTION_OF(settings, packet),
     .preset = "4096",
     .from = 64,
     .to = 65536},
    {.name = "picture",
     .argument = "FILE.svg",
     .help = "draw the tree, with what its links carry",
     OPTION_AS(OUTPUT, settings, picture)},
    {0},
};

static const option_table tables[] = {{options, 0}, {0}};

static const settings initial = {.utilization = NAN};

static int read_topology(const command_invocation *invocation, const settings *s,
                         topology_answer *answer)
{
    const char *path =
        invocation->arguments.operand_count > 0 ? invocation->arguments.operands[0] : NULL;
    const char *names[MOST_NAMES];
    for (size_t i = 0; i < s->nics.count; i++)
        names[i] = s->nics.text[i];
    const clump_topology_choice choice = {s->cores, names, s->nics.count};
    return topology_file_read("topology", path, &answer->rules, &choice, &answer->topology);
}

static int assign(const settings *s, topology_answer *a)
{
    clump_error error = {CLUMP_OK, ""};
    clump_status status = CLUMP_OK;
    const clump_topology *t = &a->topology;
    for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS && status == CLUMP_OK; k++) {
        clump_assignment *own = &a->assignments[k];
        if (k == TOPOLOGY_GIVEN && s->given.count == 0)
            continue;
        if (k == TOPOLOGY_GIVEN && s->given.count != t->processor_count)
            return error_usage("topology",
                               "--assign: found %zu numbers, expected one for each of %zu %s",
                               s->given.count, t->processor_count, t->gpus ? "GPUs" : "cores");
        status = k == TOPOLOGY_GIVEN
                     ? clump_assign_given(t, &a->rules, s->given.values, own, &error)
                     : clump_assign(t, &a->rules, (clump_assignment_way)k, own, &error);
        a->there[k] = status == CLUMP_OK;
        if (status == CLUMP_OK && !isnan(s->utilization))
            status = clump_topology_time(t, &a->rules, own, s->utilization, &a->times[k], &error);
    }
    if (status == CLUMP_OK && t->nic_count > 1 && t->nic_count <= CLUMP_MOST_COUNTED_NICS) {
        status = clump_count_nics(t, &a->rules, s->utilization, a->counts, &error);
        a->count_rows = status == CLUMP_OK ? t->nic_count : 0;
    }
    if (status == CLUMP_OK)
        return EXIT_DONE;
    if (status == CLUMP_NO_MEMORY)
        return error_memory("topology");
    return status == CLUMP_BAD_ARGUMENT ? error_input("topology", "%s", error.message)
                                        : error_failed("topology", "%s", error.message);
}

/* What sizes of packets that nobody told would make of it: those that are usual. */
static int find_range(const command_line *line, topology_answer *a)
{
    const bool payload = !option_is_given(line, "max-payload");
    const bool packet = !option_is_given(line, "packet");
    clump_topology *t = &a->topology;
    clump_error error;
    snprintf(a->range, sizeof a->range, "%s%s%s", payload ? "PCIe packets of 128 to 512 bytes" : "",
             payload && packet ? " and " : "",
             packet ? "network packets of 1024 to 4096 bytes" : "");
    clump_status status = CLUMP_OK;
    for (int high = 0; high < 2; high++) {
        clump_topology_rules rules = a->rules;
        if (payload)
            rules.max_payload = high ? 512 : 128;
        if (packet)
            rules.packet = high ? 4096 : 1024;
        clump_topology_rate(t, &rules);
        for (size_t k = 0; k < TOPOLOGY_ASSIGNMENTS && status == CLUMP_OK; k++) {
            clump_assignment own;
            if (!a->there[k])
                continue;
            status = clump_assign_given(t, &rules, a->assignments[k].nics, &own, &error);
            if (status != CLUMP_OK)
                break;
            (high ? a->least_high : a->least_low)[k] = own.least;
            (high ? a->total_high : a->total_low)[k] = own.total;
            clump_assignment_free(&own);
        }
    }
    clump_topology_rate(t, &a->rules);
    return status == CLUMP_OK ? EXIT_DONE : error_memory("topology");
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    topology_answer answer = {.utilization = s->utilization};
    answer.rules = (clump_topology_rules){.max_payload = (double)s->max_payload,
                                          .packet = (double)s->packet,
                                          .nic_speed = s->nic_speed * 1e9,
                                          .slot = s->slot,
                                          .between_sockets = s->between_sockets * 1e9,
                                          .through_memory = s->through_memory};
    int status = read_topology(invocation, s, &answer);
    if (status == EXIT_DONE)
        status = assign(s, &answer);
    if (status == EXIT_DONE)
        status = find_range(&invocation->arguments, &answer);
    if (status == EXIT_DONE)
        status = topology_print(&answer, invocation->format);
    if (status == EXIT_DONE && *answer.topology.notes != '\0' && !invocation->quiet)
        note_lines("topology", NULL, answer.topology.notes);
    if (status == EXIT_DONE && s->picture != NULL)
        status = topology_draw("topology", s->picture, &answer);
    topology_answer_free(&answer);
    return status;
}

const command_entry command_topology = {
    .name = "topology",
    .operands = "[FILE]",
    .summary = "Read what is in a node, and say which processor should use which NIC",
    .text =
        "Reads hwloc's XML (lstopo node.xml), a topology of NCCL or RCCL (NCCL_TOPO_DUMP_FILE), "
        "or\n"
        "what 'nvidia-smi topo -m' prints; without FILE the machine that it runs on. Shows the\n"
        "node as a tree, the bandwidth to the network that each GPU or core has alone and\n"
        "when all send over shared links, and what assignments of processors to NICs lose\n"
        "against the best one.",
    .examples = "clumpmodel topology node.xml\n"
                "clumpmodel topology node.xml --utilization 0.2 --picture node.svg\n"
                "nvidia-smi topo -m | clumpmodel topology - --nic-speed 200 --pcie 4x16",
    .tables = tables,
    .settings_size = sizeof(settings),
    .initial = &initial,
    .most_operands = 1,
    .run = run,
};
