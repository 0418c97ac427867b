/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of scenario { ... } that the caller replaces: as if the script had said so itself. */
#include "scenarios/override.h"

#include "scenarios/application.h"
#include "scenarios/platform.h"

#include <string.h>

static void push_value(lua_State *L, const clump_scenario_override *o, size_t i)
{
    lua_CFunction make = strcmp(o->field, "platform") == 0      ? scenario_platform_new
                         : strcmp(o->field, "application") == 0 ? scenario_application_new
                                                                : NULL;
    if (make != NULL) {
        lua_pushcfunction(L, make);
        lua_pushstring(L, o->values[i]);
        lua_call(L, 1, 1);
    } else if (lua_stringtonumber(L, o->values[i]) == 0) {
        lua_pushstring(L, o->values[i]);
    }
}

void scenario_overrides_apply(lua_State *L, int index)
{
    const clump_scenario_options *options = scenario_sandbox_of(L)->options;
    if (!lua_istable(L, index))
        return; /* whoever reads it complains */
    for (size_t k = 0; k < options->override_count; k++) {
        const clump_scenario_override *o = &options->overrides[k];
        lua_pushstring(L, o->field);
        if (o->count == 1) {
            push_value(L, o, 0);
        } else {
            lua_newtable(L);
            for (size_t i = 0; i < o->count; i++) {
                push_value(L, o, i);
                lua_rawseti(L, -2, (lua_Integer)i + 1);
            }
        }
        lua_rawset(L, index);
    }
}
