/* SPDX-License-Identifier: GPL-3.0-or-later */
/* training_step { ... }, whose fields are described in clumpmodel-scenario(5): arithmetic, model/workload/training_step.h. */
#include "scenarios/objects.h"

#include "model/workload/collective_time.h"
#include "model/workload/training_step.h"
#include "scenarios/field.h"

#include <lauxlib.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char what[] = "training_step";
static const char *const parts[] = {"tensor", "pipeline", "expert", "data"};
enum { PARTS = sizeof parts / sizeof *parts };

static clump_training_step read_step(scenario_table t)
{
    static const scenario_range any = {-HUGE_VAL, HUGE_VAL, false, false, NULL};
    static const scenario_range stage = {0, 3, false, true, NULL};
    lua_State *L = t.L;
    clump_training_step s = {.recomputes = false};
    const struct {
        const char *key;
        double *value, absent;
    } numbers[] = {
        {"parameters", &s.parameters, NAN},
        {"expert_parameters", &s.expert_parameters, 0},
        {"active_parameters", &s.active_parameters, NAN},
        {"layers", &s.layers, NAN},
        {"hidden", &s.hidden, NAN},
        {"sequence", &s.sequence, NAN},
        {"batch", &s.batch, NAN},
        {"microbatches", &s.microbatches, 1},
        {"chunks", &s.chunks, 1},
        {"tensor", &s.tensor, 1},
        {"pipeline", &s.pipeline, 1},
        {"data", &s.data, 1},
        {"expert", &s.expert, 1},
        {"expert_layers", &s.expert_layers, 0},
        {"choices", &s.choices, 1},
        {"bytes", &s.gradient_bytes, 2},
        {"activation_bytes", &s.activation_bytes, 2},
        {"flops", &s.flops, NAN},
        {"computation", &s.computation_s, NAN},
        {"buckets", &s.buckets, 1},
        {"heads", &s.heads, 0},
        {"vocabulary", &s.vocabulary, 0},
        {"activation_rate", &s.activation_rate, 0},
        {"memory_rate", &s.memory_rate, 0},
        {"layer_time", &s.layer_s, 0},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i].value = scenario_number(t, numbers[i].key, &any, numbers[i].absent);
    if (!isnan(s.flops) && !isnan(s.computation_s))
        scenario_fail(
            L,
            "%s: found flops and computation, expected one of them: seconds of a step, or "
            "operations a second from which they follow",
            what);
    if (s.flops > 0 && s.flops < 1e6)
        scenario_fail(L,
                      "%s: flops is %f, expected operations a second that a processor reaches, "
                      "such as 4e14",
                      what, s.flops);
    s.sharded = (int)scenario_number(t, "sharded", &stage, 0);
    s.recomputes = scenario_truth(t, "recompute");
    return s;
}

/* Layers of a transformer have some 12 hidden^2 parameters (Narayanan and others, SC 2021, equation 2): who is far off has
 * often counted in millions or billions. Experts are not counted so. */
static void compare_sizes(lua_State *L, const clump_training_step *s)
{
    char line[400];
    const double usual = 12 * s->layers * s->hidden * s->hidden;
    if (s->expert_layers > 0 || !(usual > 0) || !isfinite(usual) ||
        (s->parameters > usual / 10 && s->parameters < usual * 10))
        return;
    snprintf(line, sizeof line,
             "%s: parameters is %.4g, but %.6g layers with hidden = %.6g usually have some %.2g "
             "(12 hidden^2 each): is it counted in ones?",
             what, s->parameters, s->layers, s->hidden, usual);
    scenario_tell(L, line);
}

/* A number is that of the gradients. */
static void read_overlaps(scenario_table t, double overlaps[PARTS])
{
    static const char keys[] = "tensor pipeline expert data";
    for (size_t i = 0; i < PARTS; i++)
        overlaps[i] = 0;
    if (scenario_get(t, "overlap") == LUA_TTABLE) {
        const scenario_table table =
            scenario_table_check(t.L, lua_gettop(t.L), "training_step: overlap", keys);
        for (size_t i = 0; i < PARTS; i++)
            overlaps[i] = scenario_number(table, parts[i], &scenario_share, 0);
    } else {
        overlaps[CLUMP_TRAINING_DATA] = scenario_number(t, "overlap", &scenario_share, 0);
    }
    lua_pop(t.L, 1);
}

/* By its own name; else what the word means for the kind. ALGORITHMS: the kind has none of that name. */
static clump_collective_algorithm algorithm_of(clump_collective_kind kind, const char *text)
{
    for (int a = 0; a < CLUMP_COLLECTIVE_ALGORITHMS; a++)
        if (clump_collective_word_is(
                text, clump_collective_algorithm_name((clump_collective_algorithm)a)))
            return (clump_collective_algorithm)a;
    return clump_collective_algorithm_meant(kind, text);
}

static bool is_library(const char *text)
{
    return clump_collective_word_is(text, "open-mpi") || clump_collective_word_is(text, "mpich") ||
           clump_collective_word_is(text, "nccl") || clump_collective_word_is(text, "fastest");
}

/* As the script has it; one that no kind has is invalid. */
static const char *read_algorithm(scenario_table t)
{
    lua_State *L = t.L;
    const bool any = scenario_get(t, "algorithm") != LUA_TNIL;
    const char *name = scenario_name_at(L, -1);
    bool known = name != NULL && is_library(name);
    for (int k = 0; k < CLUMP_COLLECTIVE_KINDS && name != NULL; k++)
        known = known || algorithm_of((clump_collective_kind)k, name) < CLUMP_COLLECTIVE_ALGORITHMS;
    if (any && !known)
        scenario_fail(
            L,
            "%s: algorithm is %s, expected \"fastest\", \"open-mpi\", \"mpich\", \"nccl\", or "
            "the name of one, such as \"ring\"",
            what, scenario_describe(L, -1));
    lua_pop(L, 1);
    return name; /* the table keeps it */
}

static void set_number(lua_State *L, const char *key, double value)
{
    lua_pushnumber(L, value);
    lua_setfield(L, -2, key);
}

/* The fields of collective { ... }, and of which part it is. */
static void push_collective(lua_State *L, const clump_training_collective *c, const char *algorithm,
                            const double overlaps[PARTS])
{
    lua_createtable(L, 0, 8);
    lua_pushstring(L, c->sends ? "send" : clump_collective_kind_name(c->kind));
    lua_setfield(L, -2, "kind");
    set_number(L, "bytes", c->bytes);
    set_number(L, "count", c->count);
    set_number(L, "size", c->size);
    set_number(L, "stride", c->stride);
    set_number(L, "overlap", overlaps[c->part]);
    lua_pushstring(L, parts[c->part]);
    lua_setfield(L, -2, "part");
    if (algorithm == NULL || c->sends)
        return;
    const bool nccl = clump_collective_word_is(algorithm, "nccl"); /* has no alltoall */
    const bool has = is_library(algorithm)
                         ? !nccl || c->kind != CLUMP_COLLECTIVE_ALLTOALL
                         : clump_collective_is_timed(c->kind, algorithm_of(c->kind, algorithm));
    lua_pushstring(L, has ? algorithm : "fastest");
    lua_setfield(L, -2, "algorithm");
}

int scenario_training_work(lua_State *L)
{
    static const char keys[] =
        "name title times memory_penalty parameters layers hidden sequence batch "
        "microbatches chunks tensor pipeline data expert bytes flops computation buckets "
        "expert_layers choices sharded recompute overlap expert_parameters algorithm "
        "active_parameters activation_bytes heads vocabulary activation_rate memory_rate "
        "layer_time";
    lua_settop(L, 1);
    const scenario_table table = scenario_table_check(L, 1, what, keys);
    const clump_training_step step = read_step(table);
    const char *algorithm = read_algorithm(table);
    double overlaps[PARTS];
    clump_training_work work;
    clump_error error;
    read_overlaps(table, overlaps);
    if (clump_training_step_work(&step, &work, &error) != CLUMP_OK)
        scenario_fail(L, "%s: %s", what, error.message);
    compare_sizes(L, &step);
    lua_createtable(L, 0, 4);
    set_number(L, "ranks", work.ranks);
    set_number(L, "computation", work.computation_s);
    set_number(L, "bubble", work.bubble);
    lua_createtable(L, (int)work.count, 0);
    for (size_t c = 0; c < work.count; c++) {
        push_collective(L, &work.collectives[c], algorithm, overlaps);
        lua_rawseti(L, -2, (lua_Integer)c + 1);
    }
    lua_setfield(L, -2, "collectives");
    return 1;
}
