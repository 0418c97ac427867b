/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scenario { ... }: what to compute. Its fields are described in clumpmodel-scenario(5). */
#include "scenarios/plan.h"

#include "scenarios/field.h"
#include "scenarios/kind.h"

#include <lauxlib.h>

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char type_name[] = "scenario";

static const char keys[] =
    "title application platform processors nics mapping utilization utilizations "
    "demand remote_fraction cost_ratio waiting_fraction memory_penalty phase_cycles "
    "max_nics_per_processor efficiency group_sizes placement weights prices start "
    "messages computation_times communication_times protocol loss compare_with "
    "communication_ratio memory_share memory_feeds";

/* Raise an error if these are more rows than allowed. */
static void check_rows(lua_State *L, double rows)
{
    const size_t limit = scenario_sandbox_of(L)->result_limit;
    char text[160];
    if (rows <= (double)limit)
        return;
    snprintf(text, sizeof text, "%.14g rows, more than the %zu allowed", rows, limit);
    scenario_fail(L, "scenario: asks for %s; ask for fewer, or raise the limit with --max-rows",
                  text);
}

/* ---- what the caller replaces */

/* Fields of scenario { ... } that the caller replaces: as if the script had said so itself. */

static void push_override(lua_State *L, const clump_scenario_override *o, size_t i)
{
    lua_CFunction make = strcmp(o->field, "platform") == 0       ? scenario_platform_new
                         : strcmp(o->field, "compare_with") == 0 ? scenario_platform_new
                         : strcmp(o->field, "application") == 0  ? scenario_application_new
                                                                 : NULL;
    if (make != NULL) {
        lua_pushcfunction(L, make);
        lua_pushstring(L, o->values[i]);
        lua_call(L, 1, 1);
    } else if (lua_stringtonumber(L, o->values[i]) == 0) {
        lua_pushstring(L, o->values[i]);
    }
}

static void apply_overrides(lua_State *L, int index)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    if (!lua_istable(L, index))
        return; /* whoever reads it complains */
    for (size_t k = 0; k < options->override_count; k++) {
        const clump_scenario_override *o = &options->overrides[k];
        lua_pushstring(L, o->field);
        if (o->count == 1) {
            push_override(L, o, 0);
        } else {
            lua_createtable(L, o->count < INT_MAX ? (int)o->count : 0, 0);
            for (size_t i = 0; i < o->count; i++) {
                push_override(L, o, i);
                lua_rawseti(L, -2, (lua_Integer)i + 1);
            }
        }
        lua_rawset(L, index);
    }
}

/* ---- what a scenario says */

/* One application of a list, or NULL; copies outlive the script's objects. */
static const scenario_application *application_item(scenario_list list, size_t i)
{
    lua_State *L = list.L;
    if (list.count == 0)
        return NULL;
    scenario_item(list, i);
    const scenario_application *found = scenario_application_at(L, -1);
    if (found == NULL)
        scenario_fail(L,
                      "scenario: application is %s, expected application \"NAME\" or "
                      "application { ... }",
                      scenario_describe(L, -1));
    scenario_application *copy = scenario_allocate(L, 1, sizeof *copy);
    *copy = *found;
    lua_pop(L, 1);
    return copy;
}

/* Platform by platform, and of each the variants that lose more or less. */
static const scenario_platform *platform_item(scenario_list list, const char *key, size_t i,
                                              double processors,
                                              const scenario_reliabilities *wanted)
{
    lua_State *L = list.L;
    const size_t variants = scenario_reliability_count(wanted);
    if (list.count == 0)
        return NULL;
    scenario_item(list, i / variants);
    const scenario_platform *found = scenario_platform_at(L, -1);
    if (found == NULL)
        scenario_fail(L, "scenario: %s is %s, expected platform \"NAME\" or platform { ... }", key,
                      scenario_describe(L, -1));
    scenario_platform *copy = scenario_allocate(L, 1, sizeof *copy);
    *copy = *found;
    scenario_reliability_apply(L, wanted, i % variants, copy);
    if (copy->efficiency_function) {
        lua_getiuservalue(L, -1, 1);
        const double most = processors > 0 ? processors : (double)copy->processors;
        copy->efficiency = scenario_efficiency_call(L, "platform", most);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return copy;
}

/* Whether its time on a platform follows from what is known of it alone: not from a time elsewhere. */
static bool stands_alone(const scenario_application *a)
{
    return a != NULL && a->kind->tells_times && isnan(a->now_time) && a->measured_count == 0;
}

/* A simulation is of one platform: the basis of a comparison is left out if no number of the application is from it. */
static void read_profile(lua_State *L, const scenario_application *application,
                         const scenario_platform *platform, const scenario_platform *basis,
                         scenario_wanted wanted, scenario_profile *profile)
{
    const bool simulated = scenario_sandbox_of(L)->options->simulation != NULL;
    if (basis == NULL || (simulated && stands_alone(application))) {
        scenario_profile_make(L, application, platform, wanted, profile);
        return;
    }
    scenario_profile *other = scenario_allocate(L, 1, sizeof *other);
    scenario_profile_compare(L, application, platform, basis, wanted, profile, other);
}

/* memory_feeds of what wants no memory would only repeat rows. */
static void check_feeds(lua_State *L, const scenario_plan *plan, const scenario_profile *profiles,
                        size_t count)
{
    bool wanted = plan->values[SCENARIO_MEMORY_FEEDS].values == NULL ||
                  plan->values[SCENARIO_MEMORY_SHARE].values != NULL;
    for (size_t i = 0; i < count && !wanted; i++)
        wanted =
            profiles[i].invalid != NULL || !isnan(profiles[i].memory_demand.share) ||
            !isnan(profiles[i].memory_demand.traffic) ||
            (profiles[i].memory.known && profiles[i].memory.memory.law == CLUMP_MEMORY_MEASURED);
    if (!wanted)
        scenario_fail(
            L, "scenario: found memory_feeds, but nothing says how much of memory is wanted: "
               "expected memory_share beside it, or memory_share, memory_traffic or "
               "cache_misses of an application");
}

/* Every application on every platform, compared with every other. */
static void read_profiles(scenario_table table, scenario_plan *plan, double processors)
{
    lua_State *L = table.L;
    const scenario_list applications = scenario_list_open(table, "application", "an application");
    const scenario_list platforms = scenario_list_open(table, "platform", "a platform");
    const size_t rows = applications.count > 0 ? applications.count : 1;
    const scenario_reliabilities networks = scenario_reliabilities_read(table);
    const size_t variants = scenario_reliability_count(&networks);
    const size_t columns = (platforms.count > 0 ? platforms.count : 1) * variants;
    if (platforms.count == 0 && (networks.protocol_count > 0 || networks.losses.count > 0))
        scenario_fail(L,
                      "scenario: found %s, expected a platform with it, whose network has LogGP "
                      "parameters",
                      networks.losses.count > 0 ? "loss" : "protocol");
    const bool scheduled = scenario_sandbox_of(L)->options->schedule != NULL;
    const scenario_wanted wanted = {
        .utilization =
            scheduled || plan->values[SCENARIO_UTILIZATION].values != NULL || plan->mix.count > 0,
        .memory = plan->values[SCENARIO_MEMORY_SHARE].values != NULL,
    };
    check_rows(L, (double)rows * (double)columns);
    const scenario_platform **columns_read =
        scenario_allocate(L, columns, sizeof(const scenario_platform *));
    for (size_t j = 0; j < columns; j++)
        columns_read[j] = platform_item(platforms, "platform", j, processors, &networks);
    const scenario_list others = scenario_list_open(table, "compare_with", "a platform");
    const size_t bases = others.count > 0 ? others.count : 1;
    if (others.count > 0 && platforms.count == 0)
        scenario_fail(L, "scenario: found compare_with, expected platform beside it");
    check_rows(L, (double)rows * (double)columns * (double)bases);
    const scenario_platform **bases_read = /* of each the variants */
        scenario_allocate(L, bases * variants, sizeof(const scenario_platform *));
    for (size_t k = 0; k < bases * variants; k++)
        bases_read[k] = platform_item(others, "compare_with", k, processors, &networks);
    scenario_profile *profiles = scenario_allocate(L, rows * columns * bases, sizeof *profiles);
    for (size_t i = 0; i < rows; i++) {
        const scenario_application *application =
            scheduled ? NULL : application_item(applications, i);
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < bases; k++)
                read_profile(L, application, columns_read[j],
                             bases_read[k * variants + j % variants], wanted,
                             &profiles[(i * columns + j) * bases + k]);
    }
    check_feeds(L, plan, profiles, rows * columns * bases);
    scenario_list_close(others);
    scenario_list_close(platforms);
    scenario_list_close(applications);
    plan->application_count = rows;
    plan->profiles = profiles;
    plan->values[SCENARIO_PROFILES] = (scenario_numbers){NULL, rows * columns * bases};
}

/* The plan for the basis of a comparison: its NICs are those of its platform, whatever the scenario says of NICs. */
static void make_basis(scenario_table table, scenario_plan *plan)
{
    if (!scenario_has(table, "compare_with")) {
        if (plan->values[SCENARIO_COMMUNICATION_RATIO].values != NULL)
            scenario_fail(table.L,
                          "scenario: found communication_ratio, expected compare_with beside it");
        return;
    }
    scenario_plan *basis = scenario_allocate(table.L, 1, sizeof *basis);
    *basis = *plan;
    basis->group_sizes = NULL;
    basis->group_count = 0;
    basis->efficiency = (scenario_efficiency){NULL, 0};
    basis->has_placement = false;
    plan->basis = basis;
}

static scenario_numbers or_one(scenario_numbers numbers)
{
    return numbers.count > 0 ? numbers : (scenario_numbers){NULL, 1};
}

static const scenario_range feeds_range = {1, 1e9, false, false, NULL};
static const scenario_range most_nics_range = {1, HUGE_VAL, false, false, "auto"};

static const struct {
    scenario_dimension dimension;
    const char *key;
    const scenario_range *range;
} number_fields[] = {
    {SCENARIO_MAX_NICS, "max_nics_per_processor", &most_nics_range},
    {SCENARIO_MEMORY_PENALTY, "memory_penalty", &scenario_positive},
    {SCENARIO_PHASE_CYCLES, "phase_cycles", &scenario_positive},
    {SCENARIO_REMOTE_FRACTION, "remote_fraction", &scenario_share},
    {SCENARIO_COST_RATIO, "cost_ratio", &scenario_not_negative},
    {SCENARIO_WAITING_FRACTION, "waiting_fraction", &scenario_share},
    {SCENARIO_COMMUNICATION_RATIO, "communication_ratio", &scenario_positive},
    {SCENARIO_MEMORY_SHARE, "memory_share", &scenario_share},
    {SCENARIO_MEMORY_FEEDS, "memory_feeds", &feeds_range},
    {SCENARIO_PROCESSORS, "processors", &scenario_processor_count},
    {SCENARIO_NICS, "nics", &scenario_nic_count},
    {SCENARIO_UTILIZATION, "utilization", &scenario_share},
};
enum { NUMBER_FIELDS = sizeof number_fields / sizeof *number_fields };

static void read_lists(scenario_table table, scenario_plan *plan)
{
    static const scenario_demand independent = {CLUMP_DEMAND_INDEPENDENT, 1, true};
    for (size_t i = 0; i < NUMBER_FIELDS; i++)
        plan->values[number_fields[i].dimension] =
            or_one(scenario_number_list(table, number_fields[i].key, number_fields[i].range));
    plan->values[SCENARIO_MAPPING] = or_one(scenario_mapping_list(table, "mapping"));
    const scenario_demands demands = scenario_demand_list(table, "demand");
    plan->demands = demands.count > 0 ? demands.values : &independent;
    /* Who communicates when is a schedule's, if there is one: one demand stands for all. */
    const bool scheduled = scenario_sandbox_of(table.L)->options->schedule != NULL;
    plan->values[SCENARIO_DEMAND] =
        (scenario_numbers){NULL, demands.count > 0 && !scheduled ? demands.count : 1};
    const scenario_service_times computations =
        scenario_service_time_list(table, "computation_times");
    const scenario_service_times communications =
        scenario_service_time_list(table, "communication_times");
    plan->has_communication_times = scenario_has(table, "communication_times");
    plan->computations = computations.values;
    plan->communications = communications.values;
    plan->values[SCENARIO_COMPUTATION_TIMES] = (scenario_numbers){NULL, computations.count};
    plan->values[SCENARIO_COMMUNICATION_TIMES] = (scenario_numbers){NULL, communications.count};
    plan->spread_start = scenario_choice(table, "start", "barrier spread", 0) == 1;
    plan->messages = scenario_message_options_read(table);
    plan->mix = scenario_number_list(table, "utilizations", &scenario_share);
    if (plan->mix.count > 0 && plan->values[SCENARIO_UTILIZATION].values != NULL)
        scenario_fail(table.L,
                      "scenario: found utilization and utilizations, expected one of them");
}

static void read_groups(scenario_table table, scenario_plan *plan)
{
    const scenario_numbers sizes = scenario_number_list(table, "group_sizes", &scenario_nic_count);
    if (sizes.count == 0)
        return;
    size_t *groups = scenario_allocate(table.L, sizes.count, sizeof *groups);
    for (size_t i = 0; i < sizes.count; i++)
        groups[i] = (size_t)sizes.values[i];
    plan->group_sizes = groups;
    plan->group_count = sizes.count;
}

/* Where neither the scenario nor a platform tells, it must follow or be given. */
static void complete_counts(scenario_table table, scenario_plan *plan)
{
    lua_State *L = table.L;
    if (scenario_has(table, "platform"))
        return;
    const scenario_numbers mix = scenario_plan_mix(plan, &plan->profiles[0]);
    if (plan->values[SCENARIO_PROCESSORS].values == NULL && mix.count > 0) {
        double *count = scenario_allocate(L, 1, sizeof *count);
        *count = (double)mix.count;
        plan->values[SCENARIO_PROCESSORS] = (scenario_numbers){count, 1};
    }
    if (plan->values[SCENARIO_PROCESSORS].values == NULL)
        scenario_fail(L, "scenario: found neither processors nor platform, expected one of them");
    if (plan->values[SCENARIO_NICS].values == NULL)
        scenario_fail(L, "scenario: found neither nics nor platform, expected one of them");
}

static void read_weights(scenario_table table, scenario_plan *plan)
{
    lua_State *L = table.L;
    const scenario_numbers given = scenario_number_list(table, "weights", &scenario_not_negative);
    const size_t count = plan->application_count;
    if (given.count > 0 && given.count != count)
        scenario_fail(L,
                      "scenario: weights has %d entries, expected one for each of the %d "
                      "applications",
                      (int)given.count, (int)count);
    double *weights = scenario_allocate(L, count, sizeof *weights), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i] = given.count > 0 ? given.values[i] : 1;
    if (!(sum > 0) || !isfinite(sum))
        scenario_fail(L, "scenario: weights add up to 0 or are too large, expected a sum above 0");
    for (size_t i = 0; i < count; i++)
        weights[i] /= sum;
    plan->weights = weights;
}

static void read_prices(scenario_table outer, scenario_plan *plan)
{
    scenario_table table;
    plan->prices = (clump_prices){NAN, NAN, NAN};
    if (!scenario_table_open(outer, "prices", "node nic port", &table))
        return;
    plan->prices = (clump_prices){
        .node = scenario_number(table, "node", &scenario_not_negative, NAN),
        .nic = scenario_number(table, "nic", &scenario_not_negative, NAN),
        .port = scenario_number(table, "port", &scenario_not_negative, NAN),
    };
    lua_pop(outer.L, 2);
}

/* What an application has of its own cannot be given beside it. */
static void check_own(lua_State *L, const scenario_plan *plan, const scenario_application *a)
{
    for (size_t i = 0; i < NUMBER_FIELDS; i++) {
        const scenario_dimension d = number_fields[i].dimension;
        if (!(a->kind->own & SCENARIO_OWN(d)) ||
            (plan->values[d].values == NULL && plan->mix.count == 0))
            continue;
        const char *why = lua_pushfstring(L, a->kind->own_words, scenario_name_of(a->name));
        scenario_fail(L, "scenario: found %s, but %s",
                      plan->mix.count > 0 ? "utilizations" : number_fields[i].key, why);
    }
}

static void complete_profiles(lua_State *L, const scenario_plan *plan)
{
    scenario_profile *profiles = (scenario_profile *)plan->profiles;
    for (size_t i = 0; i < plan->values[SCENARIO_PROFILES].count; i++) {
        const scenario_application *a = profiles[i].application;
        if (a == NULL)
            continue;
        check_own(L, plan, a);
        if (a->kind->complete != NULL)
            a->kind->complete(L, plan, &profiles[i]);
    }
}

int scenario_plan_new(lua_State *L)
{
    lua_settop(L, 1);
    apply_overrides(L, 1);
    const scenario_table table = scenario_table_check(L, 1, type_name, keys);
    scenario_plan *plan = scenario_allocate(L, 1, sizeof *plan);
    plan->title = scenario_text(table, "title");
    scenario_push_where(L);
    plan->where = scenario_copy_quietly(L, lua_tostring(L, -1));
    if (plan->where == NULL)
        scenario_fail_memory(L);
    lua_pop(L, 1);
    read_lists(table, plan);
    read_groups(table, plan);
    read_profiles(table, plan, scenario_greatest(plan->values[SCENARIO_PROCESSORS]));
    complete_counts(table, plan);
    complete_profiles(L, plan);
    read_weights(table, plan);
    read_prices(table, plan);
    plan->has_placement = scenario_placement_field(table, "placement", &plan->placement);
    double processors = scenario_greatest(plan->values[SCENARIO_PROCESSORS]);
    for (size_t i = 0; processors == 0 && i < plan->values[SCENARIO_PROFILES].count; i++)
        processors = fmax(processors, (double)plan->profiles[i].platform->processors);
    plan->efficiency = scenario_efficiency_field(table, "efficiency", processors);
    make_basis(table, plan);
    check_rows(L, scenario_plan_rows(plan));
    const scenario_plan **object = scenario_userdata_new(L, sizeof(void *), 0, type_name);
    *object = plan;
    return 1;
}

/* The plan of the object at `index`, or NULL if it is something else. */
static const scenario_plan *plan_at(lua_State *L, int index)
{
    const scenario_plan *const *object = luaL_testudata(L, index, type_name);
    return object != NULL ? *object : NULL;
}

void scenario_plan_register(lua_State *L)
{
    scenario_userdata_register(L, type_name, NULL);
}

/* ---- what a script returned */

/* Link a copy to the end: a script may return the same scenario twice. */
static void append_plan(lua_State *L, scenario_plan **last)
{
    const scenario_plan *found = plan_at(L, -1);
    if (found == NULL)
        scenario_fail(L, "the script returned %s, expected scenario { ... } or a list of them",
                      scenario_describe(L, -1));
    scenario_plan *copy = scenario_allocate(L, 1, sizeof *copy);
    *copy = *found;
    copy->next = NULL;
    if (*last == NULL)
        scenario_sandbox_of(L)->first_plan = copy;
    else
        (*last)->next = copy;
    *last = copy;
}

void scenario_plan_collect(lua_State *L, int index)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    scenario_plan *last = NULL;
    double rows = 0;
    luaL_checkstack(L, 10, NULL);
    if (lua_istable(L, index)) {
        const size_t count = lua_rawlen(L, index);
        for (size_t i = 1; i <= count; i++) {
            lua_rawgeti(L, index, (lua_Integer)i);
            append_plan(L, &last);
            lua_pop(L, 1);
        }
        if (count == 0)
            scenario_fail(L, "the script returned a table without scenarios, expected "
                             "scenario { ... } or a list of them");
    } else {
        lua_pushvalue(L, index);
        append_plan(L, &last);
        lua_pop(L, 1);
    }
    for (const scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next)
        rows += scenario_plan_rows(plan);
    check_rows(L, rows);
}
