/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/objects.h"

#include "data/file.h"
#include "data/provenance.h"
#include "topology/assignment.h"
#include "topology/nccl_node.h"
#include "topology/read_topology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 16 << 20, MOST_NAMES = 64, PATH_SIZE = 4096, REASON = 400 };

/* What is asked for. Names point into Lua. */
typedef struct node_request {
    const char *file;
    const char *nics[MOST_NAMES];
    size_t nic_count;
    bool cores;
    double nic_speed;
    const char *gpu; /* or NULL */
} node_request;

static void read_names(scenario_table table, node_request *w)
{
    lua_State *L = table.L;
    const scenario_list list = scenario_list_open(table, "nics", "a name");
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        const char *name = scenario_name_at(L, -1);
        if (name == NULL || w->nic_count == MOST_NAMES)
            scenario_fail(L, "%s: nics has %s, expected at most %d names of NICs", table.what,
                          scenario_describe(L, -1), MOST_NAMES);
        w->nics[w->nic_count++] = scenario_copy_quietly(L, name);
        if (w->nics[w->nic_count - 1] == NULL)
            scenario_fail_memory(L);
        lua_pop(L, 1);
    }
    scenario_list_close(list);
}

/* The field at the top of the stack. */
static node_request read_request(scenario_table outer, const char *key)
{
    static const char keys[] = "file nics cores nic_speed gpu";
    static const char *const gpus[] = {"volta", "ampere"};
    static const scenario_range speed = {0, 1e6, true, false, NULL};
    lua_State *L = outer.L;
    node_request w = {.file = scenario_name_at(L, -1)};
    if (w.file != NULL)
        return w;
    if (lua_type(L, -1) != LUA_TTABLE)
        scenario_fail(L, "%s: %s is %s, expected the name of a file, or { file = ... }", outer.what,
                      key, scenario_describe(L, -1));
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    const scenario_table table = scenario_table_check(L, -2, what, keys);
    w.file = scenario_text(table, "file");
    if (w.file == NULL)
        scenario_fail(L, "%s: expected file, the name of a file", what);
    w.nic_speed = scenario_number(table, "nic_speed", &speed, 0) * 1e9;
    if (scenario_has(table, "gpu"))
        w.gpu = gpus[scenario_choice(table, "gpu", "volta ampere", 0)];
    w.cores = scenario_truth(table, "cores");
    read_names(table, &w);
    lua_pop(L, 1);
    return w;
}

/* From the folder of the script, as the one who wrote it sees it. */
static bool find_file(lua_State *L, const char *file, char path[PATH_SIZE])
{
    const char *script = scenario_sandbox_of(L)->options->path;
    const char *slash = script != NULL ? strrchr(script, '/') : NULL;
    const int folder = *file != '/' && slash != NULL ? (int)(slash - script) + 1 : 0;
    return snprintf(path, PATH_SIZE, "%.*s%s", folder, script != NULL ? script : "", file) <
           PATH_SIZE;
}

/* No pipe, which would wait, and no device, which never ends. */
static const char *load_file(const char *path, char **bytes, size_t *size,
                             char words[CLUMP_FILE_WORDS])
{
    struct stat found;
    if (stat(path, &found) != 0)
        return strerror(errno);
    if (!S_ISREG(found.st_mode))
        return "it is no file";
    const clump_file_status status = clump_file_read(path, MOST_BYTES, bytes, size);
    return status == CLUMP_FILE_OK ? NULL
                                   : clump_file_words(status, MOST_BYTES, "a node's file", words);
}

/* ---- what the engine can take */

typedef struct taken {
    size_t processors, nics;
    double each; /* NICs that the link of a processor carries; 0: no limit */
    clump_slots slots;
    double said,
        links; /* bytes a second of all NICs: as the engine takes them, and with the limits of all links */
    double nic,
        inside; /* bytes a second of one NIC, and from one GPU to the others; 0: not known */
    bool has_nccl;
    clump_nccl_node nccl;
} taken;

/* NICs of one card share its link. The engine knows slots of one kind: cards that differ are not taken. */
static void take_slots(const clump_topology *t, double unit, taken *n)
{
    size_t ports = 0;
    double bandwidth = INFINITY;
    for (size_t k = 0; k < t->nic_count; k++) {
        const size_t card = t->parts[t->nics[k]].parent;
        size_t count = 0;
        if (card == CLUMP_NO_PART || t->parts[card].kind != CLUMP_PART_CARD)
            return;
        for (size_t i = 0; i < t->nic_count; i++)
            count += t->parts[t->nics[i]].parent == card;
        if ((ports > 0 && count != ports) ||
            (k > 0 && fabs(t->parts[card].link - bandwidth) > 1e-9 * bandwidth))
            return;
        ports = count;
        bandwidth = t->parts[card].link;
    }
    if (ports > 1 && bandwidth < (double)ports * unit)
        n->slots = (clump_slots){.ports = ports, .bandwidth = fmax(bandwidth / unit, 1e-6)};
}

/* Of the GPU that has least: its links to others, or to PCIe. */
static double inside_rate(const clump_topology *t)
{
    double least = INFINITY;
    for (size_t i = 0; i < t->processor_count; i++) {
        double rate = 0;
        for (size_t k = 0; k < t->inside_count; k++)
            if (t->inside[k].from == t->processors[i])
                rate += t->inside[k].rate;
        least = fmin(least, rate > 0 ? rate : t->parts[t->processors[i]].link);
    }
    return t->gpus && isfinite(least) ? least : 0;
}

static clump_status take_node(const clump_topology *t, const clump_topology_rules *rules,
                              const char *gpu, taken *n, clump_error *error)
{
    clump_assignment best;
    double unit = INFINITY, each = INFINITY;
    *n = (taken){.processors = t->processor_count, .nics = t->nic_count};
    for (size_t k = 0; k < t->nic_count; k++) {
        const clump_part *nic = &t->parts[t->nics[k]];
        unit = fmin(unit, fmin(nic->port, nic->link));
    }
    for (size_t p = 0; p < t->processor_count; p++)
        each = fmin(each, t->parts[t->processors[p]].link);
    n->inside = inside_rate(t);
    n->has_nccl = clump_topology_nccl(t, 1, gpu, &n->nccl, NULL) == CLUMP_OK;
    if (!isfinite(unit))
        return CLUMP_OK;
    n->nic = unit;
    n->each = isfinite(each) ? fmax(1, each / unit) : 0;
    take_slots(t, unit, n);
    const clump_status status = clump_assign(t, rules, CLUMP_ASSIGN_BEST, &best, error);
    if (status != CLUMP_OK)
        return status;
    const double used = fmin((double)t->nic_count, (double)t->processor_count);
    n->said = unit * clump_slots_capacity(&n->slots, (double)t->nic_count, used);
    n->links = best.total;
    clump_assignment_free(&best);
    return CLUMP_OK;
}

static void tell_taken(lua_State *L, const char *file, const taken *n)
{
    char line[600];
    if (n->said > 0 && fabs(n->links / n->said - 1) > 0.01) {
        snprintf(line, sizeof line,
                 "platform: %.200s: NICs are taken as alike, %.4g GB/s together, but links and "
                 "NICs make it %.4g "
                 "with each processor by one NIC: 'clumpmodel topology' has the links",
                 file, n->said / 1e9, n->links / 1e9);
        scenario_tell(L, line);
    }
}

void scenario_node_file_field(scenario_table table, const char *key, scenario_platform *p)
{
    lua_State *L = table.L;
    char path[PATH_SIZE], reason[REASON] = "";
    if (scenario_get(table, key) == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    const node_request w = read_request(table, key);
    const char *const *names = w.nics;
    if (!find_file(L, w.file, path))
        scenario_fail(L, "%s: %s: the name of the file is too long", table.what, key);
    /* From here to the end nothing may raise an error: memory is ours. */
    char *bytes = NULL;
    size_t size = 0;
    clump_error error = {CLUMP_OK, ""};
    taken n = {.processors = 0};
    char words[CLUMP_FILE_WORDS];
    const char *wrong = load_file(path, &bytes, &size, words);
    if (wrong != NULL)
        snprintf(reason, sizeof reason, "%s", wrong);
    else {
        char name[CLUMP_PROVENANCE_NAME];
        snprintf(name, sizeof name, "file '%s'", w.file);
        clump_provenance_add(scenario_sandbox_of(L)->options->provenance, name, bytes, size);
        clump_topology t;
        clump_topology_rules rules = CLUMP_TOPOLOGY_RULES;
        rules.nic_speed = w.nic_speed;
        const clump_topology_choice choice = {w.cores, names, w.nic_count};
        clump_status status = clump_topology_read(bytes, size, &rules, &choice, &t, &error);
        if (status == CLUMP_OK) {
            status = take_node(&t, &rules, w.gpu, &n, &error);
            clump_topology_free(&t);
        }
        if (status != CLUMP_OK)
            snprintf(reason, sizeof reason, "%s", error.message);
        free(bytes);
    }
    if (*reason != '\0')
        scenario_fail(L, "%s: %s: '%s': %s", table.what, key, w.file, reason);
    p->processors = n.processors;
    p->nics = n.nics;
    p->max_nics_per_processor = n.each;
    p->placement.slots = n.slots;
    if (!p->network.known && n.nic > 0)
        p->network.loggp.gap_us_per_byte = 1e6 / n.nic;
    if (!p->shared_memory.known && n.inside > 0)
        p->shared_memory.loggp.gap_us_per_byte = 1e6 / n.inside;
    if (n.has_nccl) {
        clump_nccl_node *nccl = scenario_allocate(L, 1, sizeof *nccl);
        *nccl = n.nccl;
        p->nccl = nccl;
    }
    tell_taken(L, w.file, &n);
    lua_pop(L, 1);
}
