/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/otf2/otf2_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables */

static char *text_of(const otf2_definitions *d, uint64_t reference)
{
    const uint32_t at = clump_table_get(&d->strings, reference, 0);
    return at != CLUMP_TABLE_NONE ? ((char **)d->texts.items)[at] : NULL;
}

/* A place for something that a number stands for; NULL without memory. */
static void *place_of(otf2_definitions *d, clump_table *table, clump_pool *pool, size_t size,
                      uint64_t reference)
{
    pool->size = size;
    const uint32_t at = clump_pool_take(pool);
    if (at == CLUMP_TABLE_NONE || !clump_table_put(table, reference, 0, at)) {
        d->no_memory = true;
        return NULL;
    }
    return (char *)pool->items + at * size;
}

static const void *find(const clump_table *table, const clump_pool *pool, uint64_t reference)
{
    const uint32_t at = clump_table_get(table, reference, 0);
    return at != CLUMP_TABLE_NONE ? (const char *)pool->items + at * pool->size : NULL;
}

static OTF2_CallbackCode go_on(const otf2_definitions *d)
{
    return d->no_memory ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* ---- which call a region is */

/* By its name, where no event of the archive tells: without "MPI_", between blanks. */
static const struct {
    clump_call_kind kind;
    const char *names;
} kinds[] = {
    {CLUMP_CALL_WAIT, " Wait Waitall Waitany Waitsome "},
    {CLUMP_CALL_TEST,
     " Test Testall Testany Testsome Probe Iprobe Mprobe Improbe Request_get_status "},
    {CLUMP_CALL_PUT, " Put Rput "},
    {CLUMP_CALL_GET, " Get Rget "},
    {CLUMP_CALL_ACCUMULATE, " Accumulate Raccumulate Get_accumulate Rget_accumulate Fetch_and_op "
                            "Compare_and_swap "},
    {CLUMP_CALL_SYNCHRONIZE,
     " Win_fence Win_lock Win_lock_all Win_unlock Win_unlock_all Win_flush Win_flush_all "
     "Win_flush_local Win_flush_local_all Win_post Win_start Win_complete Win_wait Win_test "
     "Win_sync "},
    {CLUMP_CALL_INIT, " Init Init_thread "},
    {CLUMP_CALL_FINALIZE, " Finalize "},
    {CLUMP_CALL_MARK, " Pcontrol "},
};

static otf2_region region_of_name(const char *name)
{
    otf2_region region = {.kind = CLUMP_CALL_OTHER};
    char word[60];
    if (name == NULL || strncmp(name, "MPI_", 4) != 0)
        return region;
    region.is_mpi = true;
    if (strchr(name, ' ') != NULL || snprintf(word, sizeof word, " %s ", name + 4) >= 60)
        return region;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(kinds[i].names, word) != NULL)
            region.kind = kinds[i].kind;
    return region;
}

/* ---- callbacks: `user` is the definitions */

static OTF2_CallbackCode take_clock(void *user, uint64_t resolution, uint64_t offset,
                                    uint64_t length, uint64_t realtime)
{
    otf2_definitions *d = user;
    (void)length;
    d->seconds_per_tick = resolution > 0 ? 1 / (double)resolution : 0;
    d->first_tick = offset;
    d->start_ns = realtime != UINT64_MAX && realtime < INT64_MAX ? realtime : 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_string(void *user, OTF2_StringRef self, const char *text)
{
    otf2_definitions *d = user;
    char **to = place_of(d, &d->strings, &d->texts, sizeof *to, self);
    if (to != NULL) {
        *to = strdup(text != NULL ? text : "");
        d->no_memory = *to == NULL;
    }
    return go_on(d);
}

typedef struct tree_node {
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent;
} tree_node;

static OTF2_CallbackCode take_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                   OTF2_StringRef class_name, OTF2_SystemTreeNodeRef parent)
{
    otf2_definitions *d = user;
    tree_node *to = place_of(d, &d->nodes, &d->node_list, sizeof *to, self);
    if (to != NULL)
        *to = (tree_node){name, class_name, parent};
    return go_on(d);
}

typedef struct location_group {
    OTF2_SystemTreeNodeRef parent;
    uint32_t rank;
} location_group;

static OTF2_CallbackCode take_location_group(void *user, OTF2_LocationGroupRef self,
                                             OTF2_StringRef name, OTF2_LocationGroupType type,
                                             OTF2_SystemTreeNodeRef parent,
                                             OTF2_LocationGroupRef creator)
{
    otf2_definitions *d = user;
    (void)name, (void)type, (void)creator;
    location_group *to =
        place_of(d, &d->location_groups, &d->location_group_list, sizeof *to, self);
    if (to != NULL)
        *to = (location_group){parent, UINT32_MAX};
    return go_on(d);
}

static OTF2_CallbackCode take_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    otf2_definitions *d = user;
    (void)name;
    if (type != OTF2_LOCATION_TYPE_CPU_THREAD)
        return OTF2_CALLBACK_SUCCESS;
    otf2_location *locations =
        clump_list_grow(d->locations, d->location_count, &d->location_room, sizeof *locations);
    d->no_memory = locations == NULL;
    if (locations == NULL)
        return OTF2_CALLBACK_INTERRUPT;
    d->locations = locations;
    d->locations[d->location_count++] = (otf2_location){self, events, UINT32_MAX, group};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                     OTF2_StringRef canonical, OTF2_StringRef description,
                                     OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                     OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t from,
                                     uint32_t to_line)
{
    otf2_definitions *d = user;
    (void)canonical, (void)description, (void)role, (void)paradigm, (void)flags, (void)file;
    (void)from, (void)to_line;
    otf2_region *to = place_of(d, &d->regions, &d->region_list, sizeof *to, self);
    if (to != NULL)
        *to = region_of_name(text_of(d, name));
    return go_on(d);
}

static OTF2_CallbackCode take_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
                                    OTF2_GroupType type, OTF2_Paradigm paradigm,
                                    OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    otf2_definitions *d = user;
    (void)name, (void)flags;
    if (paradigm != OTF2_PARADIGM_MPI)
        return OTF2_CALLBACK_SUCCESS;
    otf2_group *to = place_of(d, &d->groups, &d->group_list, sizeof *to, self);
    if (to == NULL)
        return go_on(d);
    *to = (otf2_group){.type = type, .paradigm = paradigm, .count = count};
    to->members = malloc(((size_t)count + 1) * sizeof *to->members);
    d->no_memory = to->members == NULL;
    if (to->members != NULL && count > 0)
        memcpy(to->members, members, count * sizeof *members);
    return go_on(d);
}

static OTF2_CallbackCode take_communicator(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                           OTF2_GroupRef group, OTF2_CommRef parent,
                                           OTF2_CommFlag flags)
{
    otf2_definitions *d = user;
    (void)name, (void)parent, (void)flags;
    struct otf2_comm_definition *all =
        clump_list_grow(d->comm_definitions, d->comm_count, &d->comm_room, sizeof *all);
    d->no_memory = all == NULL;
    if (all == NULL)
        return OTF2_CALLBACK_INTERRUPT;
    d->comm_definitions = all;
    d->comm_definitions[d->comm_count++] = (struct otf2_comm_definition){self, group};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode take_window(void *user, OTF2_RmaWinRef self, OTF2_StringRef name,
                                     OTF2_CommRef comm, OTF2_RmaWinFlag flags)
{
    otf2_definitions *d = user;
    (void)name, (void)flags;
    d->no_memory = d->no_memory || !clump_table_put(&d->windows, self, 0, comm);
    return go_on(d);
}

/* ---- what follows from all of them */

static const otf2_group *group_of(const otf2_definitions *d, uint64_t reference)
{
    return find(&d->groups, &d->group_list, reference);
}

static const otf2_group *find_world(const otf2_definitions *d)
{
    for (uint32_t i = 0; i < d->group_list.count; i++) {
        const otf2_group *g = (const otf2_group *)d->group_list.items + i;
        if (g->type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            return g;
    }
    return NULL;
}

/* The node that a process is on: above it in the tree, of the class "node"; else what is next above. */
static const char *host_of(const otf2_definitions *d, const location_group *group)
{
    const tree_node *first = find(&d->nodes, &d->node_list, group->parent), *node = first;
    for (int level = 0; node != NULL && level < 100; level++) {
        const char *class_name = text_of(d, node->class_name);
        if (class_name != NULL && strcmp(class_name, "node") == 0)
            return text_of(d, node->name);
        node = find(&d->nodes, &d->node_list, node->parent);
    }
    return first != NULL ? text_of(d, first->name) : NULL;
}

static location_group *location_group_of(const otf2_definitions *d, uint64_t reference)
{
    const uint32_t at = clump_table_get(&d->location_groups, reference, 0);
    return at != CLUMP_TABLE_NONE ? (location_group *)d->location_group_list.items + at : NULL;
}

static const char *fail_memory(otf2_definitions *d)
{
    d->no_memory = true;
    return "out of memory";
}

/* A rank is a process: all locations of the group of the one that takes part in MPI. */
static const char *place_ranks(otf2_definitions *d, const otf2_group *world)
{
    clump_table by_reference = {.slots = NULL};
    const char *wrong = NULL;
    for (size_t i = 0; i < d->location_count && wrong == NULL; i++) {
        if (clump_table_get(&by_reference, d->locations[i].reference, 0) != CLUMP_TABLE_NONE)
            wrong = "a location is defined twice";
        d->no_memory = d->no_memory ||
                       !clump_table_put(&by_reference, d->locations[i].reference, 0, (uint32_t)i);
    }
    d->ranks = world->count;
    d->hosts = calloc((size_t)world->count + 1, sizeof *d->hosts);
    if (d->hosts == NULL || d->no_memory)
        wrong = fail_memory(d);
    for (uint32_t r = 0; r < world->count && wrong == NULL; r++) {
        const uint32_t at = clump_table_get(&by_reference, world->members[r], 0);
        location_group *group =
            at != CLUMP_TABLE_NONE ? location_group_of(d, d->locations[at].group) : NULL;
        if (group == NULL) {
            wrong = "a rank of MPI is at a location that is not defined";
        } else if (group->rank != UINT32_MAX) {
            wrong = "two ranks of MPI are one process";
        } else {
            const char *host = host_of(d, group);
            group->rank = r;
            d->hosts[r] = strdup(host != NULL && host[0] != '\0' ? host : "?");
            if (d->hosts[r] == NULL)
                wrong = fail_memory(d);
        }
    }
    clump_table_clear(&by_reference);
    for (size_t i = 0; i < d->location_count; i++) {
        const location_group *group = location_group_of(d, d->locations[i].group);
        if (group != NULL)
            d->locations[i].rank = group->rank;
    }
    return wrong;
}

static bool is_same(const otf2_communicator *a, const otf2_communicator *b)
{
    return a->count == b->count && a->self == b->self &&
           (a->count == 0 || memcmp(a->ranks, b->ranks, a->count * sizeof *a->ranks) == 0);
}

static uint64_t hash_of(const otf2_communicator *c)
{
    uint64_t h = c->count;
    for (uint32_t i = 0; i < c->count; i++)
        h = (h ^ c->ranks[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static const char *make_communicator(otf2_definitions *d, const struct otf2_comm_definition *from,
                                     otf2_communicator *to)
{
    const otf2_group *group = group_of(d, from->group);
    if (group == NULL ||
        (group->type != OTF2_GROUP_TYPE_COMM_GROUP && group->type != OTF2_GROUP_TYPE_COMM_SELF &&
         group->type != OTF2_GROUP_TYPE_COMM_LOCATIONS))
        return NULL; /* of another paradigm, or between groups */
    to->self = group->type == OTF2_GROUP_TYPE_COMM_SELF;
    to->count = to->self ? 0 : group->count;
    to->ranks = malloc(((size_t)to->count + 1) * sizeof *to->ranks);
    if (to->ranks == NULL)
        return fail_memory(d);
    for (uint32_t i = 0; i < to->count; i++) {
        const uint64_t member =
            group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? i : group->members[i];
        if (member >= d->ranks)
            return "a communicator has a member that is no rank";
        to->ranks[i] = (uint32_t)member;
    }
    to->known = true;
    return NULL;
}

static bool is_world(const otf2_definitions *d, const otf2_communicator *c)
{
    bool is = c->known && !c->self && c->count == d->ranks;
    for (uint32_t i = 0; i < c->count && is; i++)
        is = c->ranks[i] == i;
    return is;
}

/* The first one of all ranks in their order is the world, number 0; the others follow. */
static const char *make_communicators(otf2_definitions *d)
{
    clump_table seen = {.slots = NULL};
    const char *wrong = NULL;
    bool world = false;
    d->communicators = calloc(d->comm_count + 1, sizeof *d->communicators);
    if (d->communicators == NULL)
        return fail_memory(d);
    d->communicator_count = 1;
    for (size_t i = 0; i < d->comm_count && wrong == NULL; i++) {
        otf2_communicator made = {.ranks = NULL};
        wrong = make_communicator(d, &d->comm_definitions[i], &made);
        if (wrong != NULL || !made.known) {
            free(made.ranks);
            continue;
        }
        size_t at = 0;
        if (is_world(d, &made) && !world)
            world = true;
        else
            at = d->communicator_count++;
        const uint64_t hash = hash_of(&made);
        const uint32_t twin = clump_table_get(&seen, hash, made.self);
        made.ordinal = twin != CLUMP_TABLE_NONE && is_same(&d->communicators[twin], &made)
                           ? d->communicators[twin].ordinal + 1
                           : 0;
        d->communicators[at] = made;
        if (!clump_table_put(&seen, hash, made.self, (uint32_t)at) ||
            !clump_table_put(&d->communicator_index, d->comm_definitions[i].reference, 0,
                             (uint32_t)at))
            wrong = fail_memory(d);
    }
    clump_table_clear(&seen);
    return wrong;
}

static void set_callbacks(OTF2_GlobalDefReaderCallbacks *c)
{
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, take_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, take_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, take_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, take_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, take_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, take_communicator);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, take_window);
}

const char *otf2_definitions_read(OTF2_Reader *reader, otf2_definitions *d)
{
    *d = (otf2_definitions){.seconds_per_tick = 0};
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t read = 0;
    bool good = global != NULL && callbacks != NULL;
    if (good) {
        set_callbacks(callbacks);
        good =
            OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, d) == OTF2_SUCCESS &&
            OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read) == OTF2_SUCCESS;
    }
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    if (global != NULL)
        OTF2_Reader_CloseGlobalDefReader(reader, global);
    if (d->no_memory)
        return fail_memory(d);
    if (!good)
        return "its definitions cannot be read";
    if (!(d->seconds_per_tick > 0))
        return "it does not say how fast its clock ticks";
    const otf2_group *world = find_world(d);
    if (world == NULL || world->count == 0)
        return "it has no ranks of MPI: it is not of an MPI program";
    const char *wrong = place_ranks(d, world);
    return wrong != NULL ? wrong : make_communicators(d);
}

void otf2_definitions_free(otf2_definitions *d)
{
    for (uint32_t i = 0; i < d->texts.count; i++)
        free(((char **)d->texts.items)[i]);
    for (uint32_t i = 0; i < d->group_list.count; i++)
        free(((otf2_group *)d->group_list.items)[i].members);
    for (size_t i = 0; i < d->communicator_count; i++)
        free(d->communicators[i].ranks);
    for (uint32_t i = 0; i < d->ranks && d->hosts != NULL; i++)
        free(d->hosts[i]);
    clump_table *const tables[] = {&d->strings, &d->regions,         &d->groups,
                                   &d->nodes,   &d->location_groups, &d->communicator_index,
                                   &d->windows};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        clump_table_clear(tables[i]);
    clump_pool *const pools[] = {&d->texts, &d->region_list, &d->group_list, &d->node_list,
                                 &d->location_group_list};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        clump_pool_clear(pools[i]);
    free(d->hosts);
    free(d->locations);
    free(d->communicators);
    free(d->comm_definitions);
    *d = (otf2_definitions){.seconds_per_tick = 0};
}

const otf2_region *otf2_region_of(const otf2_definitions *d, OTF2_RegionRef region)
{
    return find(&d->regions, &d->region_list, region);
}

uint32_t otf2_communicator_of(const otf2_definitions *d, OTF2_CommRef communicator)
{
    const uint32_t at = clump_table_get(&d->communicator_index, communicator, 0);
    return at != CLUMP_TABLE_NONE ? at : CLUMP_COMMUNICATOR_UNKNOWN;
}

uint32_t otf2_window_of(const otf2_definitions *d, OTF2_RmaWinRef window)
{
    const uint32_t comm = clump_table_get(&d->windows, window, 0);
    return comm != CLUMP_TABLE_NONE ? otf2_communicator_of(d, comm) : CLUMP_COMMUNICATOR_UNKNOWN;
}

int otf2_world_rank(const otf2_definitions *d, uint32_t communicator, uint32_t rank,
                    uint64_t member)
{
    if (communicator >= d->communicator_count)
        return -1;
    const otf2_communicator *c = &d->communicators[communicator];
    if (c->self)
        return member == 0 ? (int)rank : -1;
    return member < c->count ? (int)c->ranks[member] : -1;
}
