/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were recorded while they ran, on any platform with LogGP parameters. */
#include "scenarios/kind.h"

#include "scenarios/compare.h"
#include "scenarios/recorded/recorded_calls.h"
#include "scenarios/store_cache.h"
#include "scenarios/stored_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- as the store has it */

/* One that the store has is kept in the cache, or else by the sandbox: a script names an application in many places. */
static clump_recorded_kept *read_kept(lua_State *L, const scenario_cache_key *key, const char *name)
{
    clump_facts *facts = NULL;
    const clump_store_status status = clump_store_find_facts(scenario_store_of(L), name, &facts);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    if (facts == NULL)
        return NULL;
    clump_recorded_kept *kept = clump_recorded_kept_add(&scenario_sandbox_of(L)->recordings, facts);
    if (kept == NULL)
        scenario_fail_memory(L);
    scenario_cache_take_recording(key, &scenario_sandbox_of(L)->recordings);
    return kept;
}

/* What was recorded of it, if anything. */
void scenario_recording_find(lua_State *L, const char *name, scenario_application *application)
{
    const scenario_cache_key key = scenario_cache_key_of(L, "recording", name, "");
    const scenario_cached *known = scenario_cache_find(&key);
    clump_recorded_kept *found = known != NULL ? known->recording : NULL;
    for (clump_recorded_kept *k = scenario_sandbox_of(L)->recordings; k != NULL; k = k->next)
        if (strcmp(k->facts->application, name) == 0)
            found = k;
    if (found == NULL)
        found = read_kept(L, &key, name);
    application->recording = found;
    if (found != NULL)
        application->kind = &scenario_by_recording;
}

static void read_facts(lua_State *L, const char *recording, scenario_application *a)
{
    clump_store_application *record = NULL;
    const clump_store_status status =
        clump_store_find_application(scenario_store_of(L), recording, &record);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application: recording");
    const char *name = scenario_copy_quietly(L, record->name);
    clump_store_free(record);
    if (name == NULL)
        scenario_fail_memory(L);
    scenario_recording_find(L, name, a);
    if (a->recording == NULL)
        scenario_fail(L,
                      "application: recording is \"%s\", of which nothing was recorded; expected a "
                      "program of 'clumpmodel import recording'",
                      name);
}

/* ---- application { ... } */

static void read_recording(scenario_table table, scenario_application *a)
{
    static const scenario_range sizes = {1, HUGE_VAL, false, false, NULL};
    const char *name = scenario_text(table, "recording");
    if (name == NULL)
        scenario_fail(table.L,
                      "%s: found no recording, expected the name of an application that was "
                      "recorded",
                      table.what);
    a->clock = (clump_recorded_clock)scenario_choice(table, "clock", "auto wall processor", 0);
    a->recorded_here = scenario_truth(table, "recorded_here");
    a->rank_order = (clump_rank_order)scenario_choice(table, "rank_order", "blocks round-robin", 0);
    a->stripe_bytes = scenario_number(table, "stripe_bytes", &sizes, 0);
    read_facts(table.L, name, a);
    if (a->name == NULL)
        a->name = name;
}

/* ---- on a platform */

/* What is not known, or assumed, told once each. */
static void tell_notes(lua_State *L, const scenario_profile *p)
{
    for (size_t i = 0; i < p->program->note_count; i++) {
        char line[600];
        snprintf(line, sizeof line, "application \"%.100s\": %s",
                 scenario_name_of(p->application->name), p->program->notes[i]);
        scenario_tell(L, line);
    }
}

static void use_recording(lua_State *L, scenario_profile *p)
{
    const scenario_application *a = p->application;
    if (p->platform == NULL)
        scenario_fail(L,
                      "application \"%s\" was recorded, which tells its messages: expected a "
                      "platform with it that carries them",
                      scenario_name_of(a->name));
    if (!scenario_profile_has(L, p, &p->platform->network, "network"))
        return;
    if (scenario_is_lossy(p->platform)) {
        scenario_profile_invalid(
            L, p,
            "application \"%s\" was recorded: networks that lose packets are not known "
            "for recordings; expected a platform without loss",
            scenario_name_of(a->name));
        return;
    }
    const clump_recorded_options options = {
        .network = &p->platform->network.loggp,
        .shared_memory =
            p->platform->shared_memory.known ? &p->platform->shared_memory.loggp : NULL,
        .clock = a->clock,
        .half_duplex = p->platform->half_duplex,
        .recorded_here = a->recorded_here,
        .stripe_bytes = a->stripe_bytes,
        .order = a->rank_order,
        .kept = a->recording,
    };
    const clump_facts *facts = a->recording->facts;
    clump_recorded *program = scenario_allocate(L, 1, sizeof *program);
    clump_error error;
    const clump_status status =
        clump_recorded_make(facts, &options, scenario_sandbox_of(L)->arena, program, &error);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        scenario_profile_invalid(L, p, "application \"%s\": %s", scenario_name_of(a->name),
                                 error.message);
        return;
    }
    p->program = program;
    if (!program->alone) /* what memory costs ranks beside each other is in the times */
        p->misses.now_us = NAN;
    tell_notes(L, p);
}

/* Its ranks on nodes of so many processors each. */
static void place_ranks(lua_State *L, scenario_profile *p, scenario_numbers processors)
{
    const double own = p->platform != NULL ? (double)p->platform->processors : 1;
    const size_t count = processors.values != NULL ? processors.count : 1;
    if (p->program == NULL || p->invalid != NULL)
        return;
    clump_recorded_placed *placed = scenario_allocate(L, count, sizeof *placed);
    const char **misplaced = scenario_allocate(L, count, sizeof *misplaced);
    for (size_t i = 0; i < count; i++) {
        const size_t P = (size_t)(processors.values != NULL ? processors.values[i] : own);
        const clump_recorded *program = p->program;
        clump_error error;
        scenario_check_time(L);
        const clump_status status =
            clump_recorded_place(program, P, scenario_sandbox_of(L)->arena, &placed[i], &error);
        if (status == CLUMP_NO_MEMORY)
            scenario_fail_memory(L);
        if (status == CLUMP_OK)
            continue;
        placed[i].processors = P;
        misplaced[i] = scenario_copy_quietly(L, error.message);
        if (misplaced[i] == NULL)
            scenario_fail_memory(L);
    }
    p->placed = placed;
    p->misplaced = misplaced;
    p->placed_count = count;
}

static void place_both(lua_State *L, const scenario_plan *plan, scenario_profile *p)
{
    const scenario_numbers processors = plan->values[SCENARIO_PROCESSORS];
    place_ranks(L, p, processors);
    if (p->other != NULL) { /* of which compare.c says how many processors it has */
        const bool now = p->other->platform->processors == 1;
        place_ranks(L, (scenario_profile *)p->other,
                    now ? (scenario_numbers){NULL, 1} : processors);
    }
}

/* ---- in a row */

static clump_status find_placed(const scenario_point *point, scenario_setup *setup,
                                clump_error *error)
{
    const scenario_profile *profile = point->profile;
    const double own = profile->platform != NULL ? (double)profile->platform->processors : 1;
    const size_t P =
        (size_t)(isnan(point->values[SCENARIO_PROCESSORS]) ? own
                                                           : point->values[SCENARIO_PROCESSORS]);
    for (size_t i = 0; i < profile->placed_count; i++) {
        if (profile->placed[i].processors != P)
            continue;
        if (profile->misplaced[i] != NULL)
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", profile->misplaced[i]);
        setup->recorded = &profile->placed[i];
    }
    return CLUMP_OK;
}

/* Its calls say when it communicates, unless somebody asks what would be. */
static bool are_calls_played(const scenario_setup *setup, const scenario_point *point)
{
    return setup->recorded != NULL && isnan(point->values[SCENARIO_UTILIZATION]) &&
           point->demand.absent && clump_recorded_calls_are_for(setup->recorded, &setup->node);
}

/* What is known of its ranks, in the terms of chapter 8. A utilization that somebody tries is that of equal
 * processors. */
static clump_status play_calls(const scenario_setup *setup, clump_prediction *prediction,
                               clump_error *error)
{
    clump_node node = setup->node;
    if (setup->nics_as_recorded)
        node.max_nics_per_processor = 0;
    return clump_recorded_calls_predict(setup->recorded, &node, setup->load.coupling.memory_penalty,
                                        prediction, error);
}

/* A processor keeps as many NICs busy as was recorded, where nobody says more. */
static void set_most_nics(const scenario_point *point, scenario_setup *s)
{
    const double said = point->values[SCENARIO_MAX_NICS];
    const double most = isnan(said) ? point->profile->platform->max_nics_per_processor : said;
    if (most != SCENARIO_AUTOMATIC && most != 0)
        return;
    s->nics_as_recorded = true;
    s->node.max_nics_per_processor = 0;
    if (s->node.mapping == CLUMP_MAPPING_POOLED && isfinite(s->recorded->most_nics))
        s->node.max_nics_per_processor = s->recorded->most_nics;
}

static clump_status set_up_recorded(const scenario_point *point, scenario_setup *setup,
                                    clump_error *error)
{
    const clump_status placed = find_placed(point, setup, error);
    if (placed != CLUMP_OK || setup->recorded == NULL)
        return placed;
    set_most_nics(point, setup);
    const clump_recorded_placed *r = setup->recorded;
    clump_coupling *c = &setup->load.coupling;
    c->remote_fraction = r->remote_fraction;
    c->cost_ratio = r->cost_ratio;
    c->waiting_fraction = r->waiting_fraction;
    const bool played = are_calls_played(setup, point);
    setup->now_time = played ? clump_recorded_calls_now_s(r->calls) : r->now_s;
    if (isnan(point->values[SCENARIO_UTILIZATION]))
        setup->utilization = r->utilization;
    if (point->demand.absent)
        setup->load.demand = clump_recorded_demand(r, &setup->load.gang_size);
    return CLUMP_OK;
}

static clump_status predict_recorded(const scenario_setup *setup, const scenario_point *point,
                                     clump_prediction *prediction, clump_error *error)
{
    if (are_calls_played(setup, point))
        return play_calls(setup, prediction, error);
    if (setup->recorded == NULL || !isnan(point->values[SCENARIO_UTILIZATION]))
        return clump_predict(&setup->node, &setup->load, prediction, NULL, error);
    return clump_recorded_predict(setup->recorded, &setup->node, setup->load.demand,
                                  setup->load.gang_size, setup->load.coupling.memory_penalty,
                                  prediction, error);
}

/* The slowdown at both ends of the interval of the gang size; false: there is none, or another demand was asked for. */
static bool find_gang_interval(const scenario_setup *setup, const scenario_point *point,
                               double gangs[2], double slowdowns[2])
{
    const clump_recorded_placed *r = setup->recorded;
    if (r == NULL || !point->demand.absent || isnan(r->gangs.low) || setup->node.processors < 2 ||
        !isnan(point->values[SCENARIO_UTILIZATION]) || are_calls_played(setup, point))
        return false;
    gangs[0] = r->gangs.low;
    gangs[1] = r->gangs.high;
    for (size_t i = 0; i < 2; i++) {
        clump_prediction prediction;
        if (clump_recorded_predict(r, &setup->node, CLUMP_DEMAND_GANG, gangs[i],
                                   setup->load.coupling.memory_penalty, &prediction,
                                   NULL) != CLUMP_OK)
            return false;
        slowdowns[i] = prediction.slowest;
    }
    return true;
}

/* What the interval of the gangs' size makes of it. */
static void describe_gangs(const scenario_setup *setup, const scenario_point *point,
                           clump_result *row)
{
    double gangs[2], slowdowns[2];
    if (!find_gang_interval(setup, point, gangs, slowdowns))
        return;
    row->gang_low = gangs[0];
    row->gang_high = gangs[1];
    row->coupled_low = fmin(slowdowns[0], slowdowns[1]);
    row->coupled_high = fmax(slowdowns[0], slowdowns[1]);
}

/* ---- compared with another platform */

/* Both follow from what was recorded: nothing has to be carried over. */
static clump_status compare_recorded(const scenario_point *point, scenario_basis *b,
                                     clump_error *error)
{
    scenario_comparison *c = b->c;
    scenario_setup setup;
    if (c->profile.application->recorded_here && !scenario_has_same_network(&c->profile, &c->other))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "recorded_here: its transfers cannot take what they took there on two "
                          "networks that differ; expected none beside compare_with");
    clump_status status = scenario_setup_make(point, &setup, error);
    if (status == CLUMP_OK)
        status = scenario_basis_predict(b, error);
    if (status != CLUMP_OK)
        return status;
    scenario_compare_both(b, &setup);
    return CLUMP_OK;
}

const scenario_kind scenario_by_recording = {
    .fields = "recording clock stripe_bytes rank_order recorded_here",
    .own = SCENARIO_OWN_ALL,
    .own_words = "that of application \"%s\" follows from what was recorded of it",
    .is_of_messages = true,
    .losses = SCENARIO_LOSSES_OF_KIND,
    .read = read_recording,
    .profile = use_recording,
    .complete = place_both,
    .set_up = set_up_recorded,
    .predict = predict_recorded,
    .describe = describe_gangs,
    .compare = compare_recorded,
};
