/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a script returned. */
#include "scenarios/plan.h"

#include <lauxlib.h>

/* Link a copy to the end: a script may return the same scenario twice. */
static void append(lua_State *L, scenario_plan **last)
{
    const scenario_plan *found = scenario_plan_at(L, -1);
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
            scenario_charge(L, 1);
            lua_rawgeti(L, index, (lua_Integer)i);
            append(L, &last);
            lua_pop(L, 1);
        }
        if (count == 0)
            scenario_fail(L, "the script returned a table without scenarios, expected "
                             "scenario { ... } or a list of them");
    } else {
        lua_pushvalue(L, index);
        append(L, &last);
        lua_pop(L, 1);
    }
    for (const scenario_plan *plan = s->first_plan; plan != NULL; plan = plan->next)
        rows += scenario_plan_rows(plan);
    scenario_check_rows(L, rows);
}
