/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collective { ... }, whose fields are described in clumpmodel-scenario(5), and how long these take. */
#include "scenarios/collective_calls.h"

#include <lauxlib.h>

#include <math.h>
#include <stdlib.h>

static const char type_name[] = "collective";

/* More than all memory of a machine, of calls, of ranks. */
static const scenario_range bytes_range = {0, 1e15, false, false, NULL};
static const scenario_range count_range = {0, 1e12, false, false, NULL};
static const scenario_range rank_range = {1, 0x1p30, false, true, NULL};

static void read_kind(scenario_table table, scenario_collective *c)
{
    static const char names[] = "allreduce reduce-scatter allgather broadcast alltoall send";
    static const char *const words[] = {"allreduce", "reduce-scatter", "allgather",
                                        "broadcast", "alltoall",       "send"};
    static const clump_collective_kind kinds[] = {
        CLUMP_COLLECTIVE_ALLREDUCE, CLUMP_COLLECTIVE_REDUCE_SCATTER, CLUMP_COLLECTIVE_ALLGATHER,
        CLUMP_COLLECTIVE_BROADCAST, CLUMP_COLLECTIVE_ALLTOALL,       CLUMP_COLLECTIVE_ALLGATHER};
    if (!scenario_has(table, "kind"))
        scenario_fail(table.L,
                      "%s: found no kind, expected one of allreduce, reduce-scatter, allgather, "
                      "broadcast, alltoall and send",
                      table.what);
    enum { SENDS = 5 };
    scenario_get(table, "kind");
    size_t i = 0;
    const char *name = scenario_name_at(table.L, -1);
    while (i <= SENDS && !(name != NULL && clump_collective_word_is(name, words[i])))
        i++;
    if (i > SENDS)
        scenario_fail_name(table, "kind", NULL, names);
    lua_pop(table.L, 1);
    c->kind = kinds[i];
    c->sends = i == SENDS;
}

/* Names of the algorithms that the kind has, for a message. */
static const char *push_algorithms(lua_State *L, clump_collective_kind kind)
{
    luaL_Buffer names;
    luaL_buffinit(L, &names);
    luaL_addstring(&names, "\"fastest\", \"open-mpi\", \"mpich\"");
    if (kind != CLUMP_COLLECTIVE_ALLTOALL)
        luaL_addstring(&names, ", \"nccl\"");
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++)
        if (clump_collective_is_timed(kind, (clump_collective_algorithm)a)) {
            luaL_addstring(&names, ", \"");
            luaL_addstring(&names, clump_collective_algorithm_name((clump_collective_algorithm)a));
            luaL_addstring(&names, "\"");
        }
    const char *word;
    for (size_t i = 0; (word = clump_collective_word_at(kind, i)) != NULL; i++) {
        luaL_addstring(&names, ", \"");
        luaL_addstring(&names, word);
        luaL_addstring(&names, "\"");
    }
    luaL_pushresult(&names);
    return lua_tostring(L, -1);
}

static void read_algorithm(scenario_table table, scenario_collective *c)
{
    lua_State *L = table.L;
    const bool any = scenario_get(table, "algorithm") != LUA_TNIL;
    const char *name = scenario_name_at(L, -1);
    if (any && c->sends)
        scenario_fail(L, "%s: found algorithm, expected none of a \"send\"", table.what);
    if (c->sends) {
        c->chosen = SCENARIO_ALGORITHM_NAMED;
        c->algorithm = CLUMP_COLLECTIVE_RING;
    } else if (!any || (name != NULL && clump_collective_word_is(name, "fastest"))) {
        c->chosen = SCENARIO_ALGORITHM_FASTEST;
    } else if (name != NULL && clump_collective_word_is(name, "open-mpi")) {
        c->chosen = SCENARIO_ALGORITHM_OPEN_MPI;
    } else if (name != NULL && clump_collective_word_is(name, "mpich")) {
        c->chosen = SCENARIO_ALGORITHM_MPICH;
    } else if (name != NULL && clump_collective_word_is(name, "nccl") &&
               c->kind != CLUMP_COLLECTIVE_ALLTOALL) {
        c->chosen = SCENARIO_ALGORITHM_NCCL;
    } else {
        c->chosen = SCENARIO_ALGORITHM_NAMED;
        c->algorithm = name != NULL ? clump_collective_algorithm_meant(c->kind, name)
                                    : CLUMP_COLLECTIVE_ALGORITHMS;
        if (!clump_collective_is_timed(c->kind, c->algorithm)) {
            const char *found = scenario_describe(L, -1);
            scenario_fail(L, "%s: algorithm of %s is %s, expected one of %s", table.what,
                          clump_collective_kind_name(c->kind), found, push_algorithms(L, c->kind));
        }
    }
    lua_pop(L, 1);
}

int scenario_collective_new(lua_State *L)
{
    static const char keys[] = "kind bytes count algorithm size stride overlap";
    lua_settop(L, 1);
    const scenario_table table = scenario_table_check(L, 1, type_name, keys);
    scenario_collective *c = scenario_userdata_new(L, sizeof *c, 0, type_name, NULL);
    read_kind(table, c);
    read_algorithm(table, c);
    c->bytes = scenario_number_needed(table, "bytes", &bytes_range);
    c->count = scenario_number(table, "count", &count_range, 1);
    c->size = scenario_number(table, "size", &rank_range, 0);
    c->stride = scenario_number(table, "stride", &rank_range, 1);
    c->overlap = scenario_number(table, "overlap", &scenario_share, NAN);
    if (c->stride > 1 && c->size == 0)
        scenario_fail(L, "%s: found stride, expected size with it, the ranks of a communicator",
                      type_name);
    return 1;
}

scenario_collectives scenario_collectives_read(scenario_table table)
{
    lua_State *L = table.L;
    const double overlap = scenario_number(table, "overlap", &scenario_share, 0);
    const scenario_list list =
        scenario_list_open(table, "collectives", "a collective { ... } or a list of them");
    if (list.count == 0)
        scenario_fail(L, "%s: found no collectives, expected collective { ... } or a list of them",
                      table.what);
    scenario_collective *items = scenario_allocate(L, list.count, sizeof *items);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        const scenario_collective *c = luaL_testudata(L, -1, type_name);
        if (c == NULL)
            scenario_fail(L, "%s: collectives has %s, expected collective { ... }", table.what,
                          scenario_describe(L, -1));
        items[i] = *c;
        if (isnan(items[i].overlap))
            items[i].overlap = overlap;
        lua_pop(L, 1);
    }
    scenario_list_close(list);
    return (scenario_collectives){items, list.count,
                                  scenario_number(table, "ranks", &rank_range, 0)};
}

/* ---- times */

double scenario_collectives_ranks(const scenario_collectives *all, size_t nodes, size_t processors)
{
    return all->ranks > 0 ? all->ranks : (double)nodes * (double)processors;
}

/* What MPICH takes depends on who shares a node. */
static clump_status choose_library(clump_mpi_library library, const clump_collective_clump *clump,
                                   clump_collective_request *r, clump_error *error)
{
    clump_collective_operation o = {
        .kind = r->kind, .ranks = r->size, .bytes = (uint64_t)fmin(r->bytes, 0x1p53 / r->size)};
    clump_collective_places *places = NULL;
    if (library == CLUMP_MPI_MPICH) {
        if (r->size > 1 << 20)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%lu ranks: what MPICH takes is known for 2^20 at most",
                              (unsigned long)r->size);
        uint32_t *node = malloc(r->size * sizeof *node);
        if (node == NULL)
            return clump_fail_memory(error, "the places of ranks");
        for (uint32_t i = 0; i < r->size; i++)
            node[i] = (uint32_t)((uint64_t)i * r->stride / clump->node->processors);
        const clump_status status = clump_collective_places_make(r->size, node, &places, error);
        free(node);
        if (status != CLUMP_OK)
            return status;
    }
    o.places = places;
    r->algorithm = clump_collective_choose(library, &o);
    clump_collective_places_free(places);
    return CLUMP_OK;
}

clump_status scenario_collective_choose(const scenario_collective *c,
                                        const clump_collective_clump *clump, double ranks,
                                        clump_collective_request *request, clump_error *error)
{
    clump_collective_cost cost;
    if (!(ranks >= 1 && ranks <= 0x1p30) || c->size > ranks || c->stride > ranks)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "%s: communicators of %g ranks, %g apart, found %g ranks in all, expected "
            "as many at least, and 2^30 at most",
            clump_collective_kind_name(c->kind), c->size, c->stride, ranks);
    *request = (clump_collective_request){.kind = c->kind,
                                          .algorithm = c->algorithm,
                                          .bytes = c->bytes,
                                          .ranks = (uint32_t)ranks,
                                          .size = (uint32_t)(c->size > 0 ? c->size : ranks),
                                          .stride = (uint32_t)c->stride};
    switch (c->chosen) {
    case SCENARIO_ALGORITHM_FASTEST:
        return clump_collective_fastest(request, clump, &request->algorithm, &cost, error);
    case SCENARIO_ALGORITHM_OPEN_MPI:
        return choose_library(CLUMP_MPI_OPEN_MPI, clump, request, error);
    case SCENARIO_ALGORITHM_MPICH:
        return choose_library(CLUMP_MPI_MPICH, clump, request, error);
    case SCENARIO_ALGORITHM_NCCL:
        return clump_collective_nccl(request, clump, &request->algorithm, &cost, error);
    default:
        return CLUMP_OK;
    }
}

clump_status scenario_collective_time(const scenario_collective *c,
                                      const clump_collective_clump *clump,
                                      const clump_collective_request *request,
                                      clump_collective_cost *cost, clump_error *error)
{
    clump_collective_algorithm algorithm;
    return c->chosen == SCENARIO_ALGORITHM_NCCL
               ? clump_collective_nccl(request, clump, &algorithm, cost, error)
               : clump_collective_time(request, clump, cost, error);
}

clump_status scenario_collectives_time_of(const scenario_collectives *all,
                                          const clump_collective_clump *clump, double ranks,
                                          scenario_collectives_time *time, clump_error *error)
{
    *time = (scenario_collectives_time){0, 0, 0};
    for (size_t i = 0; i < all->count; i++) {
        const scenario_collective *c = &all->items[i];
        clump_collective_request request;
        clump_collective_cost cost;
        clump_status status = scenario_collective_choose(c, clump, ranks, &request, error);
        if (status == CLUMP_OK)
            status = scenario_collective_time(c, clump, &request, &cost, error);
        if (status != CLUMP_OK)
            return status;
        /* a message to the next one is a step of a ring */
        const double count =
            c->sends && request.size > 1 ? c->count / (request.size - 1) : c->count;
        time->us += count * cost.us;
        time->hidden_us += c->overlap * count * cost.us;
        time->nic_us += count * cost.nic_us;
    }
    if (!(time->us <= 1e30))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "its collectives take %g us, expected 1e30 at most", time->us);
    return CLUMP_OK;
}

double scenario_collectives_total_us(const scenario_collectives_time *time, double computation_us)
{
    return computation_us + time->us - fmin(time->hidden_us, computation_us);
}
