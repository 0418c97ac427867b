/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario from file to rows.
 *
 * The script is read (source.c), put into a sandbox (sandbox.c) with what it may call (language.c), and
 * run. It returns plans (plan.c), which are all evaluated (evaluate.c), or configuration by
 * configuration. To read: clump_scenario_run, below.
 */
#include "data/suggest.h"
#include "data/text.h"
#include "model/least_nics.h"
#include "scenarios/compare.h"
#include "scenarios/evaluate.h"
#include "scenarios/language.h"
#include "scenarios/pace.h"
#include "scenarios/plan.h"
#include "scenarios/scenario.h"
#include "scenarios/setup.h"
#include "scenarios/source.h"

#include <lauxlib.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const clump_scenario_options *options;
    scenario_sandbox sandbox;
    scenario_source source;
    bool compiled;
    clump_arena *arena;
    locale_t caller_locale, plain_locale;
    char *message;
    size_t message_size;
} run;

/* Everything that can raise a Lua error happens in here. */
static int run_script(lua_State *L)
{
    run *r = lua_touserdata(L, 1);
    lua_Debug info;
    scenario_language_open(L);
    const char *name = lua_pushfstring(L, strcmp(r->options->path, "-") == 0 ? "=%s" : "@%s",
                                       scenario_source_name(r->options->path));
    scenario_sandbox_arm(&r->sandbox);
    scenario_sandbox_compile(L, r->source.bytes + r->source.start, r->source.size - r->source.start,
                             name);
    r->compiled = true;
    lua_pushvalue(L, -1);
    if (lua_getinfo(L, ">S", &info))
        snprintf(r->sandbox.chunk, sizeof r->sandbox.chunk, "%s", info.short_src);
    lua_call(L, 0, 1);
    scenario_plan_collect(L, lua_gettop(L));
    scenario_definitions_check(L);
    scenario_times_check(L);
    return 0;
}

/* Turns what was raised into text with a place. */
static int on_error(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING) {
        const char *text = lua_tostring(L, 1), *chunk = scenario_sandbox_of(L)->chunk;
        if (strncmp(text, chunk, strlen(chunk)) == 0)
            return 1;
        scenario_push_where(L);
        lua_pushvalue(L, 1);
        lua_concat(L, 2);
        return 1;
    }
    const char *found = scenario_describe(L, 1);
    if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL)
        found = luaL_tolstring(L, 1, NULL);
    scenario_push_where(L);
    lua_pushfstring(L, "%sthe script raised %s", lua_tostring(L, -1), found);
    return 1;
}

/* "attempt to call a nil value (global 'platfrom')": what was meant? */
static void add_suggestion(char *text, size_t size)
{
    static const char *const names[] = {"platform",  "application", "scenario",   "range",
                                        "uncertain", "clump",       "collective", "training_step",
                                        "ipairs",    "pairs",       "print",      "math",
                                        "table",     "string",      NULL};
    static const char *const removed[] = {
        "require", "dofile",  "load",   "loadfile",       "io", "os", "debug", "coroutine",
        "utf8",    "package", "xpcall", "collectgarbage", NULL};
    char name[64];
    const char *start = strstr(text, "(global '");
    const size_t used = strlen(text);
    if (start == NULL || sscanf(start, "(global '%63[A-Za-z0-9_]')", name) != 1)
        return;
    for (size_t i = 0; removed[i] != NULL; i++)
        if (strcmp(name, removed[i]) == 0) {
            snprintf(text + used, size - used, "; scenarios do not have it");
            return;
        }
    const char *near = clump_suggest_among(CLUMP_SUGGEST_FIELD, name, names);
    if (near != NULL && strcmp(near, name) != 0)
        snprintf(text + used, size - used, "; did you mean \"%s\"?", near);
}

/* Lua shortens long file names in messages: put the whole name there. */
static void write_message(const run *r, const char *text)
{
    const char *name = scenario_source_name(r->options->path), *chunk = r->sandbox.chunk;
    const size_t length = strlen(chunk);
    const char *rest = text;
    if (length > 0 && strncmp(text, chunk, length) == 0 && text[length] == ':')
        rest = text + length + 1;
    else if (strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':')
        rest = text + strlen(name) + 1;
    snprintf(r->message, r->message_size, "%s:%s%s", name, rest == text ? " " : "", rest);
    add_suggestion(r->message, r->message_size);
    clump_text_clean(r->message, strlen(r->message));
}

static void write_limit(const run *r, const char *what)
{
    const scenario_sandbox *s = &r->sandbox;
    char text[320];
    if (s->limit_line > 0)
        snprintf(text, sizeof text, "%s:%d: %s", s->chunk, s->limit_line, what);
    else
        snprintf(text, sizeof text, "%s", what);
    write_message(r, text);
}

/* Whether memory was wanting and the script ends for it. It may have caught the error and raised it
 * again as its own; but the words alone, which any script can say, are no want of memory. */
static bool is_out_of_memory(const scenario_sandbox *s, int status)
{
    static const char end[] = "not enough memory";
    size_t size;
    const char *text = lua_type(s->L, -1) == LUA_TSTRING ? lua_tolstring(s->L, -1, &size) : NULL;
    return status == LUA_ERRMEM ||
           ((s->failed || s->memory_refused) && text != NULL && size >= strlen(end) &&
            strcmp(text + size - strlen(end), end) == 0);
}

static clump_scenario_status explain(run *r, int status)
{
    scenario_sandbox *s = &r->sandbox;
    lua_State *L = s->L;
    char what[160];
    if (s->stopped) {
        snprintf(r->message, r->message_size, "the script was running");
        return CLUMP_SCENARIO_STOPPED;
    }
    if (s->steps_exhausted) {
        snprintf(what, sizeof what,
                 "%s more than the %llu steps allowed; make it %s, or raise the limit with "
                 "--max-steps",
                 r->compiled ? "the script needs" : "compiling the script takes",
                 (unsigned long long)s->step_limit, r->compiled ? "do less" : "simpler");
        write_limit(r, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(s, status) && !s->failed && s->memory_refused) {
        snprintf(what, sizeof what,
                 "the script needs more than the %zu bytes of memory allowed; make it need less, "
                 "or raise the limit with --max-memory",
                 s->memory_limit);
        write_limit(r, what);
        return CLUMP_SCENARIO_BAD_INPUT;
    }
    if (is_out_of_memory(s, status))
        write_message(r, "out of memory");
    else if (lua_type(L, -1) == LUA_TSTRING)
        write_message(r, lua_tostring(L, -1));
    else
        write_message(r, "the script raised an error that cannot be shown, expected a message");
    return s->no_memory || is_out_of_memory(s, status) ? CLUMP_SCENARIO_NO_MEMORY
           : s->failed                                 ? CLUMP_SCENARIO_FAILED
                                                       : CLUMP_SCENARIO_BAD_INPUT;
}

/* ---- the walk: the file, its script, the plans that it returns, their rows */

/* Runs the script; what it returned stays in the sandbox. */
static clump_scenario_status run_in_sandbox(run *r)
{
    scenario_sandbox *s = &r->sandbox;
    if (!scenario_sandbox_open(s, r->options, r->arena, r->caller_locale)) {
        char what[160];
        snprintf(what, sizeof what,
                 s->failed ? "out of memory"
                           : "%zu bytes of memory are too few to start with; raise the limit with "
                             "--max-memory",
                 s->memory_limit);
        write_message(r, what);
        return s->failed ? CLUMP_SCENARIO_NO_MEMORY : CLUMP_SCENARIO_BAD_INPUT;
    }
    lua_State *L = s->L;
    lua_pushcfunction(L, on_error); /* light functions: these allocate nothing */
    lua_pushcfunction(L, run_script);
    lua_pushlightuserdata(L, r);
    const int status = lua_pcall(L, 1, 0, 1);
    if (status != LUA_OK || s->steps_exhausted)
        return explain(r, status);
    return CLUMP_SCENARIO_OK;
}

/* Scenarios without a title are called by their file: "dir/figure-8.2.lua" is "figure-8.2". */
static clump_scenario_status add_titles(run *r)
{
    const char *path = scenario_source_name(r->options->path);
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    if (size > 4 && strcmp(name + size - 4, ".lua") == 0)
        size -= 4;
    char *title = clump_arena_take(r->arena, size + 1);
    if (title == NULL) {
        write_message(r, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    memcpy(title, name, size);
    clump_text_clean(title, size);
    for (scenario_plan *plan = r->sandbox.first_plan; plan != NULL; plan = plan->next)
        if (plan->title == NULL)
            plan->title = title;
    return CLUMP_SCENARIO_OK;
}

/* In the C locale: numbers are written with '.' and names compared byte by byte, whatever the locale
 * is. */
static clump_scenario_status begin(run *r)
{
    const clump_scenario_options *options = r->options;
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    r->message[0] = '\0';
    if (options->text != NULL)
        r->source = (scenario_source){(char *)(uintptr_t)options->text, options->text_size, 0};
    else
        status = scenario_source_read(options->path, &r->source, r->message, r->message_size);
    if (status != CLUMP_SCENARIO_OK) {
        clump_text_clean(r->message, strlen(r->message));
        return status;
    }
    r->plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    r->arena = clump_arena_new();
    if (r->plain_locale == (locale_t)0 || r->arena == NULL) {
        write_message(r, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    r->caller_locale = uselocale(r->plain_locale);
    return CLUMP_SCENARIO_OK;
}

/* The arena stays where something was found: whoever has that owns it. */
static void end(run *r, clump_scenario_status status)
{
    if (r->options->steps != NULL)
        *r->options->steps = (double)r->sandbox.steps;
    scenario_sandbox_close(&r->sandbox);
    if (r->caller_locale != (locale_t)0)
        uselocale(r->caller_locale);
    if (r->plain_locale != (locale_t)0)
        freelocale(r->plain_locale);
    if (status != CLUMP_SCENARIO_OK && r->arena != NULL)
        clump_arena_free(r->arena);
    if (r->options->text == NULL)
        free(r->source.bytes);
}

static clump_scenario_status run_to_plans(run *r)
{
    clump_scenario_status status = begin(r);
    if (status == CLUMP_SCENARIO_OK)
        status = run_in_sandbox(r);
    if (status == CLUMP_SCENARIO_OK)
        status = add_titles(r);
    return status;
}

clump_scenario_status clump_scenario_run(const clump_scenario_options *options,
                                         clump_scenario_results *results, char *message,
                                         size_t message_size)
{
    run r = {.options = options, .message = message, .message_size = message_size};
    clump_scenario_results found = {0};
    char text[1024];
    clump_scenario_status status = run_to_plans(&r);
    if (status == CLUMP_SCENARIO_OK) {
        status = scenario_evaluate(&r.sandbox, &found, text, sizeof text);
        if (status != CLUMP_SCENARIO_OK)
            write_message(&r, text);
        if (found.rows != NULL) {
            found.title = (char *)(uintptr_t)r.sandbox.first_plan->title;
            found.steps = (double)r.sandbox.steps;
            found.strings = r.arena;
        }
    }
    if (status == CLUMP_SCENARIO_OK || status == CLUMP_SCENARIO_STOPPED)
        *results = found;
    end(&r, found.rows != NULL ? CLUMP_SCENARIO_OK : status);
    return status;
}

void clump_scenario_results_free(clump_scenario_results *results)
{
    free(results->rows);
    clump_arena_free(results->strings);
    *results = (clump_scenario_results){0};
}

/* ---- configuration by configuration */

/* A plan, and what all its configurations have in common. */
typedef struct laid_out {
    const scenario_plan *plan;
    size_t configurations, platforms;
    scenario_point first;
    /* In which they differ, the one that varies fastest first; profiles are looked after elsewhere. */
    unsigned char varied[SCENARIO_DIMENSIONS];
    size_t varied_count;
} laid_out;

struct clump_scenario {
    clump_arena *arena; /* holds the plans and all that they point to */
    const scenario_plan *first_plan;
    laid_out *plans;
    scenario_bounds bounds; /* of one configuration */
    scenario_refusals refusals;
    size_t configurations, most_applications;
    bool uncertain;
};

/* Where a configuration is: its plan, and its number there. */
typedef struct place {
    const laid_out *in;
    const scenario_plan *plan;
    size_t index;
} place;

static size_t platforms_of(const scenario_plan *plan)
{
    return plan->values[SCENARIO_PROFILES].count / plan->application_count;
}

static size_t configurations_of(const scenario_plan *plan)
{
    size_t count = platforms_of(plan);
    for (int d = SCENARIO_PROFILES + 1; d < SCENARIO_DIMENSIONS; d++)
        count *= plan->values[d].count;
    return count;
}

static laid_out lay_out(const scenario_plan *plan)
{
    laid_out l = {.plan = plan,
                  .configurations = configurations_of(plan),
                  .platforms = platforms_of(plan),
                  .first = scenario_plan_point(plan, &(scenario_position){{0}})};
    for (int d = SCENARIO_DIMENSIONS - 1; d > SCENARIO_PROFILES; d--)
        if (plan->values[d].count > 1)
            l.varied[l.varied_count++] = (unsigned char)d;
    return l;
}

static bool lay_out_all(clump_scenario *s)
{
    size_t count = 0;
    for (const scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next)
        count++;
    s->plans = calloc(count, sizeof *s->plans);
    if (s->plans == NULL)
        return false;
    laid_out *next = s->plans;
    for (const scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next) {
        *next = lay_out(plan);
        s->configurations += next++->configurations;
        if (plan->application_count > s->most_applications)
            s->most_applications = plan->application_count;
    }
    return true;
}

static place find_place(const clump_scenario *s, size_t configuration)
{
    const laid_out *in = s->plans;
    for (; in->plan->next != NULL && configuration >= in->configurations; in++)
        configuration -= in->configurations;
    return (place){in, in->plan, configuration};
}

/* The point of one application of a configuration. */
static scenario_point find_point(place p, size_t application)
{
    scenario_point point = p.in->first;
    size_t index = p.index;
    for (size_t i = 0; i < p.in->varied_count; i++) {
        const int d = p.in->varied[i];
        const scenario_numbers *list = &p.plan->values[d];
        const size_t at = index % list->count;
        index /= list->count;
        scenario_plan_point_move(&point, (scenario_dimension)d, at);
    }
    scenario_plan_point_move(&point, SCENARIO_PROFILES, application * p.in->platforms + index);
    return point;
}

static scenario_point changed(scenario_point point, const clump_scenario_change *change)
{
    if (change->nics > 0)
        point.values[SCENARIO_NICS] = (double)change->nics;
    if (!isnan(change->utilization))
        point.values[SCENARIO_UTILIZATION] = change->utilization;
    return point;
}

clump_scenario_status clump_scenario_prepare(const clump_scenario_options *options,
                                             clump_scenario **scenario, char *message,
                                             size_t message_size)
{
    clump_scenario *s = calloc(1, sizeof *s);
    if (s == NULL) {
        snprintf(message, message_size, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    run r = {.options = options, .message = message, .message_size = message_size};
    const clump_scenario_status status = run_to_plans(&r);
    if (status == CLUMP_SCENARIO_OK)
        *s = (clump_scenario){.arena = r.arena,
                              .first_plan = r.sandbox.first_plan,
                              .uncertain = r.sandbox.uncertain,
                              .bounds = {.watch = options->watch,
                                         .steps = r.sandbox.step_limit,
                                         .memory = r.sandbox.memory_limit}};
    end(&r, status);
    if (status != CLUMP_SCENARIO_OK) {
        free(s);
        return status;
    }
    scenario_refusals_open(&s->refusals, s->arena);
    s->bounds.refusals = &s->refusals;
    if (!lay_out_all(s)) {
        clump_scenario_free(s);
        snprintf(message, message_size, "out of memory");
        return CLUMP_SCENARIO_NO_MEMORY;
    }
    *scenario = s;
    return CLUMP_SCENARIO_OK;
}

void clump_scenario_free(clump_scenario *scenario)
{
    if (scenario == NULL)
        return;
    scenario_refusals_close(&scenario->refusals);
    clump_arena_free(scenario->arena);
    free(scenario->plans);
    free(scenario);
}

const char *clump_scenario_title(const clump_scenario *scenario)
{
    return scenario->first_plan->title;
}

bool clump_scenario_is_uncertain(const clump_scenario *scenario)
{
    return scenario->uncertain;
}

size_t clump_scenario_configurations(const clump_scenario *scenario)
{
    return scenario->configurations;
}

size_t clump_scenario_most_applications(const clump_scenario *scenario)
{
    return scenario->most_applications;
}

size_t clump_scenario_applications(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->application_count;
}

const double *clump_scenario_weights(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->weights;
}

clump_prices clump_scenario_prices(const clump_scenario *scenario, size_t configuration)
{
    return find_place(scenario, configuration).plan->prices;
}

clump_scenario_status clump_scenario_compute(const clump_scenario *scenario, size_t configuration,
                                             const clump_scenario_change *change,
                                             clump_result *rows, char *message, size_t message_size)
{
    const place p = find_place(scenario, configuration);
    clump_scenario_status all = CLUMP_SCENARIO_OK;
    for (size_t a = 0; a < p.plan->application_count; a++) {
        const scenario_point point = changed(find_point(p, a), change);
        const clump_scenario_status status =
            scenario_point_row(&point, &scenario->bounds, &rows[a], message, message_size);
        if (status == CLUMP_SCENARIO_REFUSED)
            all = status;
        else if (status != CLUMP_SCENARIO_OK)
            return status;
    }
    return all;
}

/* Configurations whose cost is looked at; and what a row costs whatever it is, some 50 us of setting it up. */
enum { PRICED = 200, SET_UP = 5000 };

double clump_scenario_cost(const clump_scenario *scenario)
{
    const size_t step = scenario->configurations / PRICED + 1;
    double cost = 0;
    for (size_t c = 0; c < scenario->configurations; c += step) {
        const place p = find_place(scenario, c);
        for (size_t a = 0; a < p.plan->application_count; a++) {
            const scenario_point point = find_point(p, a), *computed = &point;
            scenario_setup setup;
            scenario_comparison comparison;
            bool limited = false;
            cost += SET_UP;
            if (scenario_set_up(&computed, scenario->bounds.watch, (double)scenario->bounds.memory,
                                &comparison, &setup, &limited, NULL) == CLUMP_OK)
                cost += scenario_setup_cost(&setup, computed);
        }
    }
    return cost * (double)step;
}

/* One application. */
static bool is_monotonic(const scenario_point *point, const scenario_bounds *bounds)
{
    scenario_setup setup;
    scenario_comparison comparison;
    bool limited = false;
    if (scenario_set_up(&point, bounds->watch, (double)bounds->memory, &comparison, &setup,
                        &limited, NULL) != CLUMP_OK)
        return false;
    if (setup.collectives != NULL)
        return false;
    if (setup.phased == NULL)
        return !scenario_has_busiest(point, &setup) &&
               clump_least_nics_is_monotonic(&setup.node, &setup.load);
    for (size_t i = 0; i < setup.phased->phase_count; i++) {
        const clump_load load = scenario_setup_phase(&setup, point, i);
        if (!clump_least_nics_is_monotonic(&setup.node, &load))
            return false;
    }
    return true;
}

size_t clump_scenario_call_count(const clump_scenario *scenario, size_t configuration)
{
    const place p = find_place(scenario, configuration);
    size_t count = 0;
    for (size_t a = 0; a < p.plan->application_count; a++) {
        const scenario_application *application = find_point(p, a).profile->application;
        count += application != NULL ? application->collectives.count : 0;
    }
    return count;
}

clump_scenario_status clump_scenario_call_of(const clump_scenario *scenario, size_t configuration,
                                             size_t index, clump_scenario_call *call, char *message,
                                             size_t message_size)
{
    const place p = find_place(scenario, configuration);
    size_t a = 0;
    while (index >= find_point(p, a).profile->application->collectives.count)
        index -= find_point(p, a++).profile->application->collectives.count;
    const scenario_point point = find_point(p, a);
    const scenario_profile *profile = point.profile;
    const scenario_platform *platform = profile->platform;
    scenario_setup setup;
    clump_error error;
    const clump_status status = scenario_setup_make(&point, &setup, &error);
    if (status != CLUMP_OK) {
        snprintf(message, message_size, "%s%s", point.plan->where, error.message);
        return scenario_status_of(status);
    }
    *call = (clump_scenario_call){
        .application = profile->application->name,
        .platform = platform->name,
        .collective = profile->application->collectives.items[index],
        .ranks = scenario_collectives_ranks(&profile->application->collectives, platform->nodes,
                                            setup.node.processors),
        .node = setup.node,
        .clump = {NULL, platform->network.loggp, platform->shared_memory.loggp,
                  platform->half_duplex, platform->nccl},
    };
    return CLUMP_SCENARIO_OK;
}

int clump_scenario_is_monotonic(const clump_scenario *scenario, size_t configuration)
{
    const place p = find_place(scenario, configuration);
    for (size_t a = 0; a < p.plan->application_count; a++) {
        /* With one NIC groups are largest, and tables of efficiency longest. */
        const scenario_point point = changed(find_point(p, a), &(clump_scenario_change){1, NAN});
        if (!is_monotonic(&point, &scenario->bounds))
            return 0;
    }
    return 1;
}

double clump_scenario_real_nics(const clump_scenario *scenario, size_t configuration, double limit)
{
    const place p = find_place(scenario, configuration);
    const scenario_point point = changed(find_point(p, 0), &(clump_scenario_change){1, NAN});
    scenario_setup setup;
    clump_least_nics least;
    if (p.plan->application_count != 1 || scenario_is_compared(&point) ||
        scenario_setup_make(&point, &setup, NULL) != CLUMP_OK || setup.phased != NULL ||
        setup.collectives != NULL || setup.node.group_sizes != NULL ||
        scenario_has_busiest(&point, &setup) ||
        clump_least_nics_find(&setup.node, &setup.load, limit / point.profile->now_factor, 1,
                              &least, NULL) != CLUMP_OK)
        return NAN;
    return least.real;
}
