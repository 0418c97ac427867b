/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/field.h"

#include "data/suggest.h"
#include "data/text.h"

#include <lauxlib.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const scenario_range scenario_share = {0, 1, false, false, NULL};
const scenario_range scenario_positive = {0, HUGE_VAL, true, false, NULL};
const scenario_range scenario_not_negative = {0, HUGE_VAL, false, false, NULL};
const scenario_range scenario_processor_count = {1, (double)CLUMP_MAX_PROCESSORS, false, true,
                                                 NULL};
const scenario_range scenario_nic_count = {0, (double)CLUMP_MAX_PROCESSORS, false, true, NULL};
const scenario_range scenario_nics_per_processor = {1, HUGE_VAL, false, false, NULL};

void scenario_push_where(lua_State *L)
{
    lua_Debug frame;
    if (scenario_find_line(L, &frame))
        lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
    else
        lua_pushliteral(L, "");
}

void scenario_fail(lua_State *L, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    luaL_checkstack(L, 10, NULL);
    scenario_push_where(L);
    lua_pushvfstring(L, format, arguments);
    va_end(arguments);
    lua_concat(L, 2);
    lua_error(L);
    __builtin_unreachable();
}

void scenario_fail_hard(lua_State *L, bool no_memory, const char *message)
{
    scenario_sandbox *s = scenario_sandbox_of(L);
    s->failed = true;
    s->no_memory |= no_memory;
    scenario_fail(L, "%s", message);
}

/* In quotes; what follows a NUL shall not disappear. */
static const char *describe_string(lua_State *L, int index)
{
    char text[128];
    size_t size, used = 0;
    const char *found = lua_tolstring(L, index, &size);
    if (size > 60)
        return lua_pushfstring(L, "a string of %d bytes", (int)size);
    for (size_t i = 0; i < size; i++) {
        if (found[i] == '\0')
            text[used++] = '\\';
        text[used++] = found[i] == '\0' ? '0' : found[i];
    }
    text[used] = '\0';
    return lua_pushfstring(L, "\"%s\"", text);
}

const char *scenario_describe(lua_State *L, int index)
{
    char number[40];
    switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
        return lua_pushliteral(L, "nothing");
    case LUA_TNUMBER:
        if (isnan(lua_tonumber(L, index)))
            return lua_pushliteral(L, "nan"); /* whatever its sign is */
        snprintf(number, sizeof number, "%.14g", lua_tonumber(L, index));
        return lua_pushstring(L, number);
    case LUA_TBOOLEAN:
        return lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
    case LUA_TSTRING:
        return describe_string(L, index);
    case LUA_TUSERDATA:
        if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING)
            return lua_pushfstring(L, "a %s", lua_tostring(L, -1));
        return lua_pushliteral(L, "an object");
    default:
        return lua_pushfstring(L, "a %s", luaL_typename(L, index));
    }
}

const char *scenario_name_at(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TSTRING)
        return NULL;
    const char *text = lua_tostring(L, index);
    return strlen(text) == lua_rawlen(L, index) ? text : NULL;
}

/* ---- words with a space between */

bool scenario_word_next(const char **words, char word[SCENARIO_WORD])
{
    const size_t length = strcspn(*words, " ");
    if (length == 0)
        return false;
    snprintf(word, SCENARIO_WORD, "%.*s", (int)length, *words);
    *words += length + ((*words)[length] == ' ');
    return true;
}

static size_t word_find(const char *words, const char *wanted)
{
    char word[SCENARIO_WORD];
    size_t i = 0;
    while (scenario_word_next(&words, word)) {
        if (wanted != NULL && strcmp(word, wanted) == 0)
            return i;
        i++;
    }
    return SIZE_MAX;
}

/* Push the one that was probably meant; false: none. */
static bool push_meant(lua_State *L, const char *words, const char *wanted)
{
    char word[SCENARIO_WORD];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_FIELD, wanted);
    while (scenario_word_next(&words, word))
        clump_suggest_offer(&suggestion, word);
    if (suggestion.count > 0)
        lua_pushstring(L, suggestion.similar[0].name);
    return suggestion.count > 0;
}

/* Push "a, b, c", or with quotes "\"a\", \"b\" or \"c\"". */
static const char *push_words(lua_State *L, const char *words, bool quoted)
{
    char word[SCENARIO_WORD];
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (bool first = true; scenario_word_next(&words, word); first = false) {
        luaL_addstring(&text, first ? "" : quoted && *words == '\0' ? " or " : ", ");
        luaL_addstring(&text, quoted ? "\"" : "");
        luaL_addstring(&text, word);
        luaL_addstring(&text, quoted ? "\"" : "");
    }
    luaL_pushresult(&text);
    return lua_tostring(L, -1);
}

/* ---- tables */

scenario_table scenario_table_check(lua_State *L, int index, const char *what, const char *keys)
{
    const scenario_table table = {L, lua_absindex(L, index), what};
    if (!lua_istable(L, index))
        scenario_fail(L, "%s: found %s, expected a table, as in %s { ... }", what,
                      scenario_describe(L, index), what);
    luaL_checkstack(L, 20, NULL);
    lua_pushnil(L);
    while (lua_next(L, table.index) != 0) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            scenario_fail(L, "%s: found the key [%s], expected only named fields", what,
                          scenario_describe(L, -1));
        if (word_find(keys, scenario_name_at(L, -1)) != SIZE_MAX)
            continue;
        const char *found = scenario_describe(L, -1);
        if (push_meant(L, keys, lua_tostring(L, -2)))
            scenario_fail(L, "%s: there is no field %s; did you mean \"%s\"?", what, found,
                          lua_tostring(L, -1));
        scenario_fail(L, "%s: there is no field %s; there is: %s", what, found,
                      push_words(L, keys, false));
    }
    return table;
}

int scenario_get(scenario_table table, const char *key)
{
    lua_pushstring(table.L, key);
    return lua_rawget(table.L, table.index);
}

bool scenario_has(scenario_table table, const char *key)
{
    const int type = scenario_get(table, key);
    lua_pop(table.L, 1);
    return type != LUA_TNIL;
}

bool scenario_table_open(scenario_table outer, const char *key, const char *keys,
                         scenario_table *inner)
{
    lua_State *L = outer.L;
    if (scenario_get(outer, key) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    const char *what = lua_pushfstring(L, "%s: %s", outer.what, key);
    *inner = scenario_table_check(L, -2, what, keys);
    return true;
}

/* "a whole number, 1 to 100" */
static const char *push_expectation(lua_State *L, const scenario_range *range)
{
    const char *kind = range->whole ? "a whole number" : "a number";
    char bounds[80], word[40] = "";
    if (range->word != NULL)
        snprintf(word, sizeof word, "\"%s\" or ", range->word);
    if (isfinite(range->greatest) && isfinite(range->least))
        snprintf(bounds, sizeof bounds, ", %s%.14g to %.14g", range->above ? "above " : "",
                 range->least, range->greatest);
    else if (isfinite(range->least))
        snprintf(bounds, sizeof bounds, range->above ? " above %.14g" : ", %.14g or more",
                 range->least);
    else
        snprintf(bounds, sizeof bounds, " that is finite");
    return lua_pushfstring(L, "%s%s%s", word, kind, bounds);
}

double scenario_number_at(lua_State *L, const char *what, const char *key,
                          const scenario_range *range)
{
    const double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    const char *name = range->word != NULL ? scenario_name_at(L, -1) : NULL;
    if (name != NULL && strcmp(name, range->word) == 0)
        return SCENARIO_AUTOMATIC;
    const bool good = isfinite(value) && value <= range->greatest &&
                      (range->above ? value > range->least : value >= range->least) &&
                      (!range->whole || value == floor(value));
    if (!good) {
        const char *found = scenario_describe(L, -1);
        scenario_fail(L, "%s: %s is %s, expected %s", what, key, found, push_expectation(L, range));
    }
    return value;
}

double scenario_number_needed(scenario_table table, const char *key, const scenario_range *range)
{
    scenario_get(table, key);
    const double value = scenario_number_at(table.L, table.what, key, range);
    lua_pop(table.L, 1);
    return value;
}

double scenario_number(scenario_table table, const char *key, const scenario_range *range,
                       double absent)
{
    double value = absent;
    if (scenario_get(table, key) != LUA_TNIL)
        value = scenario_number_at(table.L, table.what, key, range);
    lua_pop(table.L, 1);
    return value;
}

bool scenario_truth(scenario_table table, const char *key)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        scenario_fail(L, "%s: %s is %s, expected true or false", table.what, key,
                      scenario_describe(L, -1));
    const bool truth = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return truth;
}

const char *scenario_text(scenario_table table, const char *key)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, key);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    size_t size = 0;
    const char *text = type == LUA_TSTRING ? lua_tolstring(L, -1, &size) : "";
    char *copy = NULL;
    if (size > 0 && size <= 200) {
        copy = scenario_allocate(L, size + 1, 1);
        memcpy(copy, text, size);
        clump_text_clean(copy, size);
    }
    if (copy == NULL || memcmp(copy, text, size) != 0)
        scenario_fail(L, "%s: %s is %s, expected one line of text, 1 to 200 bytes of UTF-8",
                      table.what, key, scenario_describe(L, -1));
    lua_pop(L, 1);
    return copy;
}

/* ---- fields that hold one value or a list */

/* Elements of a plain list at the top of the stack. */
static size_t count_elements(lua_State *L, const char *what, const char *key, const char *expected)
{
    const size_t length = lua_rawlen(L, -1);
    size_t elements = 0;
    lua_pushnil(L);
    while (lua_next(L, -2) != 0) {
        lua_pop(L, 1);
        elements++;
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 ||
            (lua_Unsigned)lua_tointeger(L, -1) > length)
            scenario_fail(L, "%s: %s has the key [%s], expected %s or a list of them without gaps",
                          what, key, scenario_describe(L, -1), expected);
    }
    if (elements == 0)
        scenario_fail(L, "%s: %s is an empty list, expected %s", what, key, expected);
    if (elements != length)
        scenario_fail(L, "%s: %s is a list with gaps, expected %s or a list of them", what, key,
                      expected);
    return length;
}

scenario_list scenario_list_open(scenario_table table, const char *key, const char *expected)
{
    lua_State *L = table.L;
    const int type = scenario_get(table, key);
    scenario_list list = {.L = L, .count = 1, .index = lua_gettop(L), .single = type != LUA_TTABLE};
    if (type == LUA_TNIL)
        lua_pop(L, 1);
    if (type == LUA_TNIL)
        list.count = 0;
    else if (type == LUA_TTABLE)
        list.count = count_elements(L, table.what, key, expected);
    return list;
}

void scenario_item(scenario_list list, size_t i)
{
    if (list.single)
        lua_pushvalue(list.L, list.index);
    else
        lua_rawgeti(list.L, list.index, (lua_Integer)i + 1);
}

void scenario_list_close(scenario_list list)
{
    if (list.count > 0)
        lua_settop(list.L, list.index - 1);
}

scenario_numbers scenario_number_list(scenario_table table, const char *key,
                                      const scenario_range *range)
{
    const scenario_list list = scenario_list_open(table, key, "a number");
    if (list.count == 0)
        return (scenario_numbers){NULL, 0};
    double *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        values[i] = scenario_number_at(table.L, table.what, key, range);
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_numbers){values, list.count};
}

double scenario_greatest(scenario_numbers numbers)
{
    double most = 0;
    for (size_t i = 0; numbers.values != NULL && i < numbers.count; i++)
        most = fmax(most, numbers.values[i]);
    return most;
}

void scenario_fail_name(scenario_table table, const char *key, const char *expected,
                        const char *names)
{
    lua_State *L = table.L;
    const char *wanted = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    const char *found = scenario_describe(L, -1);
    if (expected == NULL)
        expected = push_words(L, names, true);
    if (wanted != NULL && push_meant(L, names, wanted))
        scenario_fail(L, "%s: %s is %s, expected %s; did you mean \"%s\"?", table.what, key, found,
                      expected, lua_tostring(L, -1));
    scenario_fail(L, "%s: %s is %s, expected %s", table.what, key, found, expected);
}

scenario_demands scenario_demand_list(scenario_table table, const char *key)
{
    char kinds[160] = "", names[160] = "", expected[240];
    for (size_t i = 0; i < CLUMP_DEMAND_GANG; i++) {
        const char *name = clump_demand_kind_name((clump_demand)i);
        const size_t length = strlen(kinds), used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s ", name);
        snprintf(kinds + length, sizeof kinds - length, "%s\"%s\"", i > 0 ? ", " : "", name);
    }
    strcat(names, "gang:2");
    snprintf(expected, sizeof expected, "%s or \"gang:S\" with groups of S processors", kinds);
    const scenario_list list = scenario_list_open(table, key, expected);
    if (list.count == 0)
        return (scenario_demands){NULL, 0};
    scenario_demand *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        scenario_item(list, i);
        const char *name = scenario_name_at(table.L, -1);
        if (name == NULL || !clump_demand_parse(name, &values[i].demand, &values[i].gang_size))
            scenario_fail_name(table, key, expected, names);
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_demands){values, list.count};
}

scenario_numbers scenario_mapping_list(scenario_table table, const char *key)
{
    const scenario_list list = scenario_list_open(table, key, "\"pooled\" or \"static\"");
    if (list.count == 0)
        return (scenario_numbers){NULL, 0};
    double *values = scenario_allocate(table.L, list.count, sizeof *values);
    for (size_t i = 0; i < list.count; i++) {
        clump_mapping mapping = CLUMP_MAPPING_POOLED;
        scenario_item(list, i);
        const char *name = scenario_name_at(table.L, -1);
        if (name == NULL || !clump_mapping_parse(name, &mapping))
            scenario_fail_name(table, key, NULL, "pooled static");
        values[i] = mapping;
        lua_pop(table.L, 1);
    }
    scenario_list_close(list);
    return (scenario_numbers){values, list.count};
}

size_t scenario_choice(scenario_table table, const char *key, const char *names, size_t absent)
{
    size_t found = absent;
    if (scenario_get(table, key) != LUA_TNIL)
        found = word_find(names, scenario_name_at(table.L, -1));
    if (found == SIZE_MAX)
        scenario_fail_name(table, key, NULL, names);
    lua_pop(table.L, 1);
    return found;
}

/* ---- objects */

/* The metatable of a type; the first time it is made, and known only once it is whole: scripts must not get at it. */
static void push_metatable(lua_State *L, const char *type, lua_CFunction read_field)
{
    if (luaL_getmetatable(L, type) != LUA_TNIL)
        return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 3);
    lua_pushstring(L, type);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    if (read_field != NULL) {
        lua_pushcfunction(L, read_field);
        lua_setfield(L, -2, "__index");
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, type);
}

void *scenario_userdata_new(lua_State *L, size_t size, int user_values, const char *type,
                            lua_CFunction read_field)
{
    void *object = lua_newuserdatauv(L, size, user_values);
    memset(object, 0, size);
    push_metatable(L, type, read_field);
    lua_setmetatable(L, -2);
    return object;
}

const char *scenario_userdata_field(lua_State *L, const char *type, const char *keys)
{
    const char *key = scenario_name_at(L, 2);
    if (key == NULL)
        scenario_fail(L, "%s: there is no field %s", type, scenario_describe(L, 2));
    if (word_find(keys, key) != SIZE_MAX)
        return key;
    if (push_meant(L, keys, key))
        scenario_fail(L, "%s: there is no field \"%s\"; did you mean \"%s\"?", type, key,
                      lua_tostring(L, -1));
    scenario_fail(L, "%s: there is no field \"%s\"", type, key);
}
