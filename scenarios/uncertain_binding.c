/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *   uncertain { name =, ... }   a number that is not known exactly; in `predict` its median
 *       from =, to =                    any number between, equally likely
 *       from =, to =, most_likely =     triangular
 *       value =, half_width =           normal, with its 95% interval
 *       value =, std_dev =              normal
 *       value =, factor =               lognormal: within this factor with 95%
 *       least =, most =                 bounds of a normal one
 */
#include "scenarios/uncertain_binding.h"

#include "scenarios/field.h"

#include <math.h>
#include <stdio.h>

static double draw(lua_State *L, const char *name, const clump_uncertain *distribution)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    if (options->draw == NULL)
        return clump_uncertain_quantile(distribution, 0.5);
    return options->draw(name, distribution, options->draw_context);
}

static const scenario_range any = {-HUGE_VAL, HUGE_VAL, false, false, NULL};

static clump_uncertain between(scenario_table table)
{
    const double likely = scenario_number(table, "most_likely", &any, NAN);
    return (clump_uncertain){
        .kind = isnan(likely) ? CLUMP_UNCERTAIN_UNIFORM : CLUMP_UNCERTAIN_TRIANGULAR,
        .a = scenario_number(table, "from", &any, NAN),
        .b = scenario_number(table, "to", &any, NAN),
        .c = likely,
    };
}

static clump_uncertain around(scenario_table table)
{
    const double value = scenario_number(table, "value", &any, NAN);
    const double half_width = scenario_number(table, "half_width", &scenario_positive, NAN);
    const double std_dev = scenario_number(table, "std_dev", &scenario_positive, NAN);
    const double factor = scenario_number(table, "factor", &scenario_positive, NAN);
    if (isnan(half_width) + isnan(std_dev) + isnan(factor) != 2)
        scenario_fail(table.L, "uncertain: expected value with one of half_width, std_dev, factor");
    if (!isnan(factor))
        return (clump_uncertain){.kind = CLUMP_UNCERTAIN_LOGNORMAL,
                                 .a = value,
                                 .b = fabs(log(factor)) / CLUMP_UNCERTAIN_95};
    return (clump_uncertain){
        .kind = CLUMP_UNCERTAIN_NORMAL,
        .a = value,
        .b = isnan(std_dev) ? half_width / CLUMP_UNCERTAIN_95 : std_dev,
        .least = scenario_number(table, "least", &any, -HUGE_VAL),
        .most = scenario_number(table, "most", &any, HUGE_VAL),
    };
}

int scenario_uncertain_new(lua_State *L)
{
    static const char *const keys[] = {"name",  "from",       "to",      "most_likely",
                                       "value", "half_width", "std_dev", "factor",
                                       "least", "most",       NULL};
    lua_settop(L, 1);
    const scenario_table table = scenario_table_check(L, 1, "uncertain", keys);
    const char *name = scenario_text(table, "name");
    if (name == NULL)
        scenario_fail(L, "uncertain: name is missing, expected text");
    const bool range = scenario_has(table, "from") || scenario_has(table, "to");
    if (range == scenario_has(table, "value"))
        scenario_fail(L, "uncertain: expected from and to, or value with half_width, std_dev or "
                         "factor");
    const clump_uncertain distribution = range ? between(table) : around(table);
    clump_error error;
    if (clump_uncertain_check(&distribution, &error) != CLUMP_OK)
        scenario_fail(L, "uncertain: %s", error.message);
    lua_pushnumber(L, draw(L, name, &distribution));
    return 1;
}

double scenario_measured_draw(lua_State *L, const char *platform, const char *quantity,
                              double value, double half_width)
{
    char name[160];
    if (!(half_width > 0) || scenario_sandbox_of(L)->options->draw == NULL)
        return value;
    const clump_uncertain distribution = {.kind = CLUMP_UNCERTAIN_NORMAL,
                                          .a = value,
                                          .b = half_width / CLUMP_UNCERTAIN_95,
                                          .least = value >= 0 ? 0 : -HUGE_VAL,
                                          .most = HUGE_VAL};
    if (clump_uncertain_check(&distribution, NULL) != CLUMP_OK)
        return value;
    snprintf(name, sizeof name, "%.80s %.60s", platform, quantity);
    return draw(L, name, &distribution);
}
