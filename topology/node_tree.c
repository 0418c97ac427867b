/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/node_tree.h"

#include "topology/pcie.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *clump_part_kind_name(clump_part_kind kind)
{
    static const char *const names[] = {"machine", "socket", "bridge", "switch",
                                        "card",    "GPU",    "core",   "NIC"};
    return names[kind];
}

void clump_topology_free(clump_topology *t)
{
    free(t->parts);
    free(t->processors);
    free(t->nics);
    free(t->inside);
    *t = (clump_topology){.format = t->format};
}

void clump_topology_note(clump_topology *t, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t used = strlen(t->notes);
    if (used + strlen(line) + 2 <= sizeof t->notes)
        snprintf(t->notes + used, sizeof t->notes - used, "%s%s", used > 0 ? "\n" : "", line);
}

static void copy_clean(char *to, size_t room, const char *from)
{
    size_t n = 0;
    for (; from != NULL && *from != '\0' && n + 1 < room; from++)
        to[n++] = *from > ' ' && *from < 0x7f ? *from : *from == ' ' ? ' ' : '?';
    to[n] = '\0';
}

void clump_part_set_name(clump_part *part, const char *name)
{
    copy_clean(part->name, sizeof part->name, name);
}

/* Room for one more of `count` items. */
static bool grow(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    const size_t more = *room > 0 ? 2 * *room : 64;
    void *larger = realloc(*items, more * size);
    if (larger == NULL)
        return false;
    *items = larger;
    *room = more;
    return true;
}

static size_t depth_of(const clump_topology *t, size_t part)
{
    size_t depth = 0;
    for (; t->parts[part].parent != CLUMP_NO_PART; depth++)
        part = t->parts[part].parent;
    return depth;
}

clump_status clump_topology_add(clump_topology *t, clump_part_kind kind, size_t parent,
                                const char *name, const char *address, size_t *part,
                                clump_error *error)
{
    if (t->part_count >= CLUMP_TOPOLOGY_MOST_PARTS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found more than %d parts of a node, expected a single node",
                          CLUMP_TOPOLOGY_MOST_PARTS);
    if (parent != CLUMP_NO_PART && depth_of(t, parent) >= CLUMP_TOPOLOGY_MOST_DEPTH)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "parts are nested more than %d deep",
                          CLUMP_TOPOLOGY_MOST_DEPTH);
    void *parts = t->parts;
    if (!grow(&parts, t->part_count, &t->part_room, sizeof *t->parts))
        return clump_fail_memory(error, "a topology");
    t->parts = parts;
    clump_part *p = &t->parts[t->part_count];
    *p = (clump_part){.kind = kind, .parent = parent, .link = INFINITY, .port = INFINITY};
    clump_part_set_name(p, name);
    copy_clean(p->address, sizeof p->address, address);
    if (part != NULL)
        *part = t->part_count;
    t->part_count++;
    return CLUMP_OK;
}

clump_status clump_topology_add_inside(clump_topology *t, clump_inside_link link,
                                       clump_error *error)
{
    if (t->inside_count >= CLUMP_TOPOLOGY_MOST_INSIDE)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found more than %d links between GPUs, expected a single node",
                          CLUMP_TOPOLOGY_MOST_INSIDE);
    void *items = t->inside;
    if (!grow(&items, t->inside_count, &t->inside_room, sizeof *t->inside))
        return clump_fail_memory(error, "a topology");
    t->inside = items;
    t->inside[t->inside_count++] = link;
    return CLUMP_OK;
}

/* ---- finding one's way */

size_t clump_topology_meet(const clump_topology *t, size_t a, size_t b)
{
    size_t da = depth_of(t, a), db = depth_of(t, b);
    for (; da > db; da--)
        a = t->parts[a].parent;
    for (; db > da; db--)
        b = t->parts[b].parent;
    while (a != b) {
        a = t->parts[a].parent;
        b = t->parts[b].parent;
    }
    return a;
}

bool clump_topology_is_above(const clump_topology *t, size_t p, size_t q)
{
    return clump_topology_meet(t, p, q) == p;
}

size_t clump_topology_socket(const clump_topology *t, size_t part)
{
    while (t->parts[part].kind != CLUMP_PART_SOCKET && t->parts[part].parent != CLUMP_NO_PART)
        part = t->parts[part].parent;
    return part;
}

size_t clump_topology_hops(const clump_topology *t, size_t a, size_t b)
{
    return depth_of(t, a) + depth_of(t, b) - 2 * depth_of(t, clump_topology_meet(t, a, b));
}

/* ---- finishing */

static bool is_leaf(clump_part_kind kind)
{
    return kind == CLUMP_PART_GPU || kind == CLUMP_PART_CORE || kind == CLUMP_PART_NIC;
}

/* "0000:3b:00.1" without its function. */
static size_t device_length(const char *address)
{
    const char *dot = strrchr(address, '.');
    return dot != NULL ? (size_t)(dot - address) : 0;
}

static bool same_device(const clump_part *a, const clump_part *b)
{
    const size_t n = device_length(a->address);
    return n > 0 && n == device_length(b->address) && a->parent == b->parent &&
           memcmp(a->address, b->address, n) == 0;
}

static void hang_below(clump_part *nic, size_t card)
{
    nic->parent = card;
    nic->said = 0;
    nic->slot = false;
}

/* Functions of one device are ports of one card, and have its link together. */
static clump_status join_cards(clump_topology *t, clump_error *error)
{
    const size_t count = t->part_count;
    for (size_t i = 0; i < count; i++) {
        const clump_part first = t->parts[i]; /* as it is before it moves */
        size_t card = CLUMP_NO_PART;
        for (size_t k = i + 1; k < count; k++) {
            char address[CLUMP_PART_ADDRESS];
            if (first.kind != CLUMP_PART_NIC || t->parts[k].kind != CLUMP_PART_NIC ||
                !same_device(&first, &t->parts[k]))
                continue;
            snprintf(address, sizeof address, "%.*s", (int)device_length(first.address),
                     first.address);
            if (card == CLUMP_NO_PART) {
                const clump_status status =
                    clump_topology_add(t, CLUMP_PART_CARD, first.parent, "", address, &card, error);
                if (status != CLUMP_OK)
                    return status;
                t->parts[card].said = first.said;
                t->parts[card].slot = first.slot;
                hang_below(&t->parts[i], card);
            }
            hang_below(&t->parts[k], card);
        }
    }
    return CLUMP_OK;
}

/* Keep what leads somewhere, in the order of a walk from the root. */
typedef struct walk {
    const clump_topology *from;
    clump_part *parts;
    size_t *place; /* where a part of before is now */
    const bool *wanted;
    size_t count;
} walk;

/* As deep as parts are nested. */
static void walk_down(walk *w, size_t at, size_t parent)
{
    const size_t here = w->count++;
    w->parts[here] = w->from->parts[at];
    w->parts[here].parent = parent;
    w->place[at] = here;
    for (size_t i = 0; i < w->from->part_count; i++)
        if (w->wanted[i] && w->from->parts[i].parent == at)
            walk_down(w, i, here);
}

static clump_status prune(clump_topology *t, clump_error *error)
{
    const size_t n = t->part_count;
    clump_part *parts = malloc(n * sizeof *parts);
    bool *wanted = calloc(n, sizeof *wanted);
    size_t *place = malloc(n * sizeof *place), kept = 0;
    if (parts == NULL || wanted == NULL || place == NULL) {
        free(parts);
        free(wanted);
        free(place);
        return clump_fail_memory(error, "a topology");
    }
    for (size_t i = 0; i < n; i++) {
        place[i] = CLUMP_NO_PART;
        if (is_leaf(t->parts[i].kind) || i == 0)
            for (size_t p = i; p != CLUMP_NO_PART && !wanted[p]; p = t->parts[p].parent)
                wanted[p] = true;
    }
    walk w = {t, parts, place, wanted, 0};
    walk_down(&w, 0, CLUMP_NO_PART);
    for (size_t i = 0; i < t->inside_count; i++) {
        clump_inside_link link = t->inside[i];
        link.from = place[link.from];
        link.to = link.to == CLUMP_NO_PART ? CLUMP_NO_PART : place[link.to];
        if (link.from != CLUMP_NO_PART)
            t->inside[kept++] = link;
    }
    t->inside_count = kept;
    free(t->parts);
    t->parts = parts;
    t->part_count = w.count;
    t->part_room = n;
    free(wanted);
    free(place);
    return CLUMP_OK;
}

/* "GPU2" before "GPU10"; alike: in the order of the tree. */
static int compare_names(const char *a, const char *b)
{
    for (;; a++, b++) {
        const size_t digits_a = strspn(a, "0123456789"), digits_b = strspn(b, "0123456789");
        if (digits_a > 0 && digits_b > 0 && digits_a != digits_b)
            return digits_a < digits_b ? -1 : 1;
        if (*a != *b || *a == '\0')
            return *a < *b ? -1 : *a > *b;
    }
}

static void sort_by_name(const clump_topology *t, size_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t k = i;
             k > 0 && compare_names(t->parts[list[k]].name, t->parts[list[k - 1]].name) < 0; k--) {
            const size_t other = list[k];
            list[k] = list[k - 1];
            list[k - 1] = other;
        }
}

static clump_status list_parts(const clump_topology *t, clump_part_kind kind, size_t most,
                               size_t **list, size_t *count, clump_error *error)
{
    *count = 0;
    *list = malloc((t->part_count + 1) * sizeof **list);
    if (*list == NULL)
        return clump_fail_memory(error, "a topology");
    for (size_t i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == kind && !t->parts[i].unused)
            (*list)[(*count)++] = i;
    if (*count > most)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found %zu %ss, expected %zu at most in a node", *count,
                          clump_part_kind_name(kind), most);
    sort_by_name(t, *list, *count);
    return CLUMP_OK;
}

/* ---- which NICs */

static void add_name(char *names, size_t room, const char *name)
{
    if (strlen(names) + strlen(name) + 3 < room)
        strcat(strcat(names, *names != '\0' ? ", " : ""), name);
}

static clump_status take_named(clump_topology *t, const clump_topology_choice *choice,
                               clump_error *error)
{
    char names[160] = "";
    for (size_t i = 0; i < t->part_count; i++) {
        t->parts[i].unused = t->parts[i].kind == CLUMP_PART_NIC;
        if (t->parts[i].unused)
            add_name(names, sizeof names, t->parts[i].name);
    }
    for (size_t k = 0; k < choice->count; k++) {
        bool found = false;
        for (size_t i = 0; i < t->part_count; i++)
            if (t->parts[i].kind == CLUMP_PART_NIC &&
                strcmp(t->parts[i].name, choice->nics[k]) == 0) {
                t->parts[i].unused = false;
                found = true;
            }
        if (!found)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "there is no NIC '%.40s', expected some of: %s", choice->nics[k],
                              names);
    }
    return CLUMP_OK;
}

/* What a NIC could move at most. */
static double reach(const clump_part *p)
{
    return fmin(p->port, p->link);
}

/* Those that a program would take: RDMA if there is some, and none that are far slower than the
 * fastest (a port for management). */
static void take_usual(clump_topology *t)
{
    double most = 0;
    size_t left_out = 0, rdma = 0;
    char names[120] = "";
    for (size_t i = 0; i < t->part_count; i++)
        rdma += t->parts[i].kind == CLUMP_PART_NIC && t->parts[i].rdma;
    for (size_t i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == CLUMP_PART_NIC && (rdma == 0 || t->parts[i].rdma) &&
            isfinite(reach(&t->parts[i])))
            most = fmax(most, reach(&t->parts[i]));
    for (size_t i = 0; i < t->part_count; i++) {
        clump_part *p = &t->parts[i];
        if (p->kind != CLUMP_PART_NIC)
            continue;
        p->unused = (rdma > 0 && !p->rdma) || 4 * reach(p) < most;
        if (!p->unused)
            continue;
        left_out++;
        add_name(names, sizeof names, p->name);
    }
    if (left_out > 0)
        clump_topology_note(t,
                            "left out %zu slow or other %s: %s; --nic NAME,... says which to use",
                            left_out, left_out == 1 ? "NIC" : "NICs", names);
}

/* ---- rates */

static clump_status check_rules(const clump_topology_rules *r, clump_error *error)
{
    if (!(r->max_payload >= 64 && r->max_payload <= 4096))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "max_payload is %g, expected 64 to 4096 bytes",
                          r->max_payload);
    if (!(r->packet >= 64 && r->packet <= 1e6))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "packet is %g, expected 64 to 1e6 bytes",
                          r->packet);
    if (!(r->nic_speed >= 0 && r->slot >= 0 && r->between_sockets >= 0 && r->nic_speed <= 1e18 &&
          r->slot <= 1e18 && r->between_sockets <= 1e18))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "a speed is not between 0 and 1e18");
    return CLUMP_OK;
}

void clump_topology_rate(clump_topology *t, const clump_topology_rules *r)
{
    size_t sockets = 0;
    for (size_t i = 0; i < t->part_count; i++)
        sockets += t->parts[i].kind == CLUMP_PART_SOCKET;
    for (size_t i = 0; i < t->part_count; i++) {
        clump_part *p = &t->parts[i];
        const double said = p->slot && p->said == 0 ? r->slot : p->said;
        const double speed = p->speed > 0 ? p->speed : r->nic_speed;
        p->link = said > 0 ? said * clump_pcie_efficiency(r->max_payload) : INFINITY;
        if (p->kind == CLUMP_PART_SOCKET && sockets > 1 && r->between_sockets > 0)
            p->link = r->between_sockets;
        p->port = p->kind == CLUMP_PART_NIC && speed > 0
                      ? speed / 8 * clump_wire_efficiency(r->packet, p->infiniband)
                      : INFINITY;
    }
}

static void note_unknown(clump_topology *t, const clump_topology_rules *r)
{
    size_t without_slot = 0, without_speed = 0, sockets = 0;
    for (size_t i = 0; i < t->part_count; i++) {
        const clump_part *p = &t->parts[i];
        without_slot += p->slot && p->said == 0 && r->slot == 0;
        without_speed += p->kind == CLUMP_PART_NIC && p->speed == 0 && r->nic_speed == 0;
        sockets += p->kind == CLUMP_PART_SOCKET;
    }
    if (without_slot > 0)
        clump_topology_note(t,
                            "the file has no speed for %zu PCIe link%s: no limit, or --pcie 4x16",
                            without_slot, without_slot == 1 ? "" : "s");
    if (without_speed > 0)
        clump_topology_note(
            t, "the file has no speed for %zu NIC%s: the slot is the limit, or --nic-speed 100",
            without_speed, without_speed == 1 ? "" : "s");
    if (sockets > 1 && r->between_sockets == 0)
        clump_topology_note(t, "between sockets there is no limit, or --between-sockets 40");
}

static clump_status fill_lists(clump_topology *t, const clump_topology_choice *choice,
                               clump_error *error)
{
    size_t gpus = 0;
    for (size_t i = 0; i < t->part_count; i++)
        gpus += t->parts[i].kind == CLUMP_PART_GPU;
    t->gpus = gpus > 0 && !choice->cores;
    clump_status status =
        list_parts(t, t->gpus ? CLUMP_PART_GPU : CLUMP_PART_CORE, CLUMP_TOPOLOGY_MOST_PROCESSORS,
                   &t->processors, &t->processor_count, error);
    if (status == CLUMP_OK)
        status =
            list_parts(t, CLUMP_PART_NIC, CLUMP_TOPOLOGY_MOST_NICS, &t->nics, &t->nic_count, error);
    if (status == CLUMP_OK && t->processor_count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "there is no %s in it, expected %s",
                          choice->cores ? "core" : "GPU and no core", "what sends");
    return status;
}

clump_status clump_topology_finish(clump_topology *t, const clump_topology_rules *rules,
                                   const clump_topology_choice *choice, clump_error *error)
{
    clump_status status = check_rules(rules, error);
    size_t nics = 0;
    for (size_t i = 0; i < t->part_count; i++)
        nics += t->parts[i].kind == CLUMP_PART_NIC;
    if (status == CLUMP_OK && nics == 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "there is no NIC in it: expected one at least, of PCI class 02");
    if (status == CLUMP_OK)
        status = join_cards(t, error);
    if (status == CLUMP_OK)
        status = prune(t, error);
    if (status != CLUMP_OK)
        return status;
    clump_topology_rate(t, rules);
    note_unknown(t, rules);
    if (choice->count > 0)
        status = take_named(t, choice, error);
    else
        take_usual(t);
    return status == CLUMP_OK ? fill_lists(t, choice, error) : status;
}
