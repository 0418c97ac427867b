-- SPDX-License-Identifier: GPL-3.0-or-later
-- What a script finds of Lua's own library, range and the definitions of -D, and what is put around the functions in C. It runs
-- before each script, in the script's globals; afterwards nothing of it but its functions is within reach. scenarios/language.c hands it `core`, and says
-- what is left out and why.
--
-- core.fail names the line of the script that calls. core.closure makes a function look like one in C, which a tail call keeps
-- on the stack, so that there is such a line.
local core = ...
local closure, describe, fail, metafield, number = core.closure, core.describe, core.fail, core.metafield, core.number
local error, getmetatable, load, next, rawget, rawset, select = error, getmetatable, load, next, rawget, rawset, select
local tonumber, type = tonumber, type
local abs, floor, max, tointeger = math.abs, math.floor, math.max, math.tointeger
local find, format = string.find, string.format

math.randomseed(1)

local function check_argument(is_good, position, name, expected, found)
    if not is_good then
        fail(format("bad argument #%d to '%s' (%s expected, got %s)", position, name, expected, type(found)))
    end
end

-- ---- metatables: a copy, so that what is left out cannot be added afterwards; getmetatable shows the original

local set = setmetatable
setmetatable = closure(function (object, metatable)
    check_argument(type(object) == "table", 1, "setmetatable", "table", object)
    check_argument(metatable == nil or type(metatable) == "table", 2, "setmetatable", "nil or table", metatable)
    if getmetatable(object) ~= nil then
        fail("cannot change a protected metatable")
    elseif metatable == nil then
        return object
    end
    local copy = { __metatable = metatable }
    for key, value in next, metatable do
        copy[key] = value
        if key == "__gc" or key == "__close" or key == "__mode" then
            fail("setmetatable: found " .. key .. ", which scenarios do not have")
        elseif key == "__call" and type(value) ~= "function" then
            fail("setmetatable: __call is " .. describe(value) .. ", expected a function")
        end
    end
    return set(object, copy)
end)

-- ---- lists: Lua's own functions trust lengths and elements that metatables invent, and would run for ever without an instruction
-- for the hook; here lists are plain, and no longer than memory allows

local most = 1 << 26 -- elements for which a state has memory

-- Where elements are missing # may be any border: some 60 elements at powers of 2 make it 2^63 - 1.
local function check_plain(list)
    for _, invented in next, { "__index", "__newindex", "__len" } do
        if metafield(list, invented) ~= nil then
            fail("table functions: found a list whose metatable has " .. invented .. ", expected a plain list")
        end
    end
    if #list > most then
        fail(format("table functions: found a list with holes and the length %d, expected at most %d elements", #list, most))
    end
end

for _, name in next, { "insert", "remove", "unpack", "concat" } do
    local own = table[name]
    table[name] = closure(function (list, ...)
        check_argument(type(list) == "table", 1, name, "table", list)
        check_plain(list)
        return own(list, ...)
    end)
end

local move = table.move
table.move = closure(function (from, first, last, at, to)
    check_argument(type(from) == "table", 1, "move", "table", from)
    for i, index in next, { first, last, at } do
        check_argument(tonumber(index), i + 1, "move", "number", index)
    end
    check_argument(to == nil or type(to) == "table", 5, "move", "table", to)
    check_plain(from)
    check_plain(to or from)
    if tointeger(first) and tointeger(last) and last + 0.0 - first > most then
        fail(format("table.move: expected at most %d elements", most))
    end
    return move(from, first, last, at, to)
end)

-- What orders the elements takes instructions, whoever wrote it: strings can be long.
local sort, is_less = table.sort, core.is_less
table.sort = closure(function (list, before)
    check_argument(type(list) == "table", 1, "sort", "table", list)
    check_argument(before == nil or type(before) == "function", 2, "sort", "function", before)
    check_plain(list)
    before = before or is_less
    return sort(list, function (a, b) return before(a, b) end)
end)

-- ---- strings: no pattern matching, which takes exponential time in C; methods, as in ("x"):rep(3), are of the same table

local strings, rep = {}, string.rep
for _, name in next, { "byte", "char", "format", "len", "lower", "upper", "rep", "reverse", "sub" } do
    strings[name] = string[name]
end
strings.rep = closure(function (text, count, separator) -- Lua's own counts even if there is nothing to repeat
    check_argument(type(text) == "string" or tonumber(text), 1, "rep", "string", text)
    check_argument(tonumber(count), 2, "rep", "number", count)
    if text == "" and (separator == nil or separator == "") and tointeger(count) then
        return ""
    end
    return rep(text, count, separator)
end)
string = strings
getmetatable("").__index = strings
getmetatable("").__metatable = false

-- ---- range(first, last [, step])

range = closure(function (...)
    local arguments, rounding = select("#", ...), 1e-9 -- a step that leads to the last number within rounding ends there exactly
    local first, last, step = ...
    if arguments < 2 or arguments > 3 then
        fail(format("range: found %d arguments, expected first, last and perhaps a step", arguments))
    end
    if arguments == 2 then
        step = 1
    end
    first, last, step = number(first, "first"), number(last, "last"), number(step, "step")
    local whole = true
    for _, value in next, { first, last, step } do
        whole = whole and value == floor(value) and abs(value) < 1e15
    end
    local steps = (last - first) / step
    if step == 0 or not (steps > -rounding) then
        fail(format("range: the step is %s, expected a %s one, as in range(%s, %s, %s)", describe(step),
            last < first and "negative" or "positive", describe(first), describe(last),
            describe(step ~= 0 and -step or last < first and -1 or 1)))
    end
    if not (steps + 1 <= core.limit) then
        fail(format("range: more than %d numbers; ask for fewer, or raise the limit with --max-rows", core.limit))
    end
    local intervals = floor(steps + rounding * max(steps, 1))
    local ends = abs(first + intervals * step - last) <= rounding * abs(step) * max(steps, 1)
    local list = core.new_list(intervals + 1)
    if whole then
        first, step = tointeger(first), tointeger(step)
    end
    for i = 0, intervals do
        list[i + 1] = first + i * step
    end
    if ends and not whole then -- 0.57 as 57/100, not as 57*0.01
        for i = 1, intervals do
            list[i + 1] = i == intervals and last or (first * (intervals - i) + last * i) / intervals
        end
    end
    return list
end)

-- ---- -D name=value: not in the table of globals but behind it, in a table that is asked for what the globals do not have. So it
-- shows which of them the script reads, and what it reads that nobody defined.

local values, read, globals = {}, core.read, _G
for _, name in next, { "collectgarbage", "dofile", "load", "loadfile", "require", "warn", "xpcall" } do
    globals[name] = nil
end
for _, definition in next, core.definitions do
    local name, text = definition[1], definition[2]
    local start = "-D " .. name .. "=" .. text .. ": "
    if #name > 60 or not find(name, "^[%a_][%w_]*$") or not load("local " .. name) then
        error(start .. 'the name is "' .. name .. "\", expected letters, digits and '_'", 0)
    elseif rawget(globals, name) ~= nil then
        error(start .. "the name belongs to the language of scenarios, expected another", 0)
    elseif values[name] ~= nil then
        error(start .. "found a second definition of the name", 0)
    end
    values[name] = core.value(text)
end
set(globals, {
    __metatable = false,
    __index = function (_, name)
        if type(name) == "string" then
            read[name] = true
        end
        return values[name]
    end,
})

-- ---- times = { ["PLATFORM"] = seconds }: of platforms that the script makes anywhere, or of the database

local make_application, make_platform, make_scenario = application, platform, scenario
local made, timed = {}, {}
local function new_platform(fields)
    local object = make_platform(fields)
    if type(fields) == "table" and object.name ~= nil then
        made[object.name] = true
    end
    return object
end
local function new_application(fields)
    local object = make_application(fields)
    for name in next, type(fields) == "table" and rawget(fields, "times") or {} do
        timed[name] = true
    end
    return object
end
platform, application = closure(new_platform), closure(new_application)

-- ---- training_step { ... }: an application of the collectives that follow from it; and what follows, for the script to look at

local collective = collective
training_step = closure(function (step)
    local work, fields = core.training_work(step), {}
    for _, name in next, { "name", "title", "times", "memory_penalty" } do
        fields[name] = rawget(step, name)
    end
    fields.computation = work.computation
    if #work.collectives > 0 then
        fields.ranks, fields.collectives = work.ranks, {}
    end
    for i, call in next, work.collectives do
        local part = call.part
        call.part = nil
        fields.collectives[i] = collective(call)
        call.part, call.overlap, call.algorithm = part, nil, nil
    end
    return new_application(fields), work
end)

-- ---- fields of scenario { ... } that the caller replaces, as if the script had said so itself

local constructors = { application = make_application, platform = make_platform, compare_with = make_platform }
scenario = closure(function (fields)
    for _, override in next, type(fields) == "table" and core.overrides or {} do
        local list, make = {}, constructors[override.field] or function (value) return tonumber(value) or value end
        for i = 1, #override do
            list[i] = make(override[i])
        end
        rawset(fields, override.field, #list == 1 and list[1] or list)
    end
    return make_scenario(fields)
end)

return function () -- after the script
    for name in next, timed do
        if not made[name] and not core.platform_exists(name) then
            error('application: times has "' .. name .. '", expected the name of a platform of the script or of the database', 0)
        end
    end
end
