/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were recorded while they ran, on any platform with LogGP parameters. */
#include "scenarios/kind.h"

#include "scenarios/compare.h"
#include "scenarios/stored.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- as the store has it */

/* Kept with the answer, or else by the sandbox: a script names an application in many places. */
void scenario_recording_find(lua_State *L, const char *name, scenario_application *application)
{
    scenario_answer *answer = scenario_answer_of(L, "recording", name, "");
    clump_recorded_kept *found = answer->recording;
    for (clump_recorded_kept *k = scenario_sandbox_of(L)->recordings; k != NULL; k = k->next)
        if (strcmp(k->run->application, name) == 0)
            found = k;
    if (found == NULL && !answer->known) {
        clump_recorded_run *run = NULL;
        const clump_store_status status = clump_store_find_run(scenario_store_of(L), name, &run);
        if (status != CLUMP_STORE_OK)
            scenario_store_fail(L, status, "application");
        answer->known = run == NULL;
        if (run != NULL)
            found = clump_recorded_kept_add(
                scenario_answer_recordings(L, answer, clump_recorded_kept_bytes(run)), run);
        if (run != NULL && found == NULL)
            scenario_fail_memory(L);
    }
    application->recording = found;
    if (found != NULL)
        application->kind = &scenario_by_recording;
}

static void find_named(lua_State *L, const char *recording, scenario_application *a)
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
    a->rank_order = (clump_rank_order)scenario_choice(table, "rank_order", "blocks round-robin", 0);
    a->stripe_bytes = scenario_number(table, "stripe_bytes", &sizes, 0);
    find_named(table.L, name, a);
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
        .half_duplex = p->platform->half_duplex,
        .stripe_bytes = a->stripe_bytes,
        .order = a->rank_order,
        .watch = &scenario_sandbox_of(L)->deadline.watch,
    };
    clump_recorded *program = scenario_allocate(L, 1, sizeof *program);
    clump_error error;
    const clump_status status =
        clump_recorded_make(a->recording, &options, scenario_sandbox_of(L)->arena, program, &error);
    scenario_check_time(L);
    if (status == CLUMP_NO_MEMORY)
        scenario_fail_memory(L);
    if (status != CLUMP_OK) {
        scenario_application_invalid(L, p, "%s", error.message);
        return;
    }
    p->program = program;
    if (a->recording->run->nodes <
        a->recording->run->ranks) /* what memory costs ranks beside each other is in the times */
        p->misses.now_us = NAN;
    tell_notes(L, p);
}

/* ---- in a row */

/* Its calls say who communicates, and when. */
static clump_status set_up_recorded(const scenario_point *point, scenario_setup *setup,
                                    clump_error *error)
{
    const clump_status placed = clump_recorded_place(
        point->profile->program, setup->node.processors, &setup->recorded, error);
    if (placed != CLUMP_OK)
        return placed;
    if (point->values[SCENARIO_MAX_NICS] == SCENARIO_AUTOMATIC)
        setup->node.max_nics_per_processor = 0; /* its calls tell how many it keeps busy */
    setup->load.coupling.remote_fraction = setup->recorded.remote_fraction;
    setup->now_time = clump_recorded_now_s(setup->recorded.program);
    setup->utilization = CLUMP_RESULT_NONE;
    if (point->demand.absent)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "demand: expected none where recorded calls are played, which say themselves "
                      "who communicates together");
}

static clump_status predict_recorded(const scenario_setup *setup, const scenario_point *point,
                                     clump_prediction *prediction, clump_error *error)
{
    (void)point;
    return clump_recorded_predict(&setup->recorded, &setup->node,
                                  setup->load.coupling.memory_penalty, prediction, error);
}

static void describe_recorded(const scenario_setup *setup, const scenario_point *point,
                              clump_result *row)
{
    (void)point;
    if (setup->recorded.schedule == NULL)
        return;
    row->cost_ratio = row->waiting_fraction = CLUMP_RESULT_NONE;
    row->by_schedule = true;
}

/* ---- compared with another platform */

/* Both follow from what was recorded: nothing has to be carried over. */
static clump_status compare_recorded(const scenario_point *point, scenario_basis *b,
                                     clump_error *error)
{
    scenario_setup setup;
    clump_status status = scenario_setup_make(point, &setup, error);
    if (status == CLUMP_OK)
        status = scenario_basis_predict(b, error);
    if (status != CLUMP_OK)
        return status;
    scenario_compare_both(b, &setup);
    return CLUMP_OK;
}

const scenario_kind scenario_by_recording = {
    .fields = "recording stripe_bytes rank_order",
    .own = SCENARIO_OWN_ALL,
    .own_words = "that of application \"%s\" follows from what was recorded of it",
    .is_of_messages = true,
    .losses = SCENARIO_LOSSES_OF_KIND,
    .read = read_recording,
    .profile = use_recording,
    .set_up = set_up_recorded,
    .predict = predict_recorded,
    .describe = describe_recorded,
    .compare = compare_recorded,
};
