-- SPDX-License-Identifier: GPL-3.0-or-later
-- What the formats have in common, beside what import_script.c gives them: next_line, peek, at, is_cut, check_end;
-- words, copy, parse, number, amount, whole, is_nan, sharpen; begin, set, add, refuse, tell; hints. Patterns begin with
-- "^" and have nothing to try twice: what is read may be written to make them slow.

function lines() return next_line end

function has(text, part) return text:find(part, 1, true) ~= nil end

-- What follows a prefix and blanks; nil if the line does not begin so.
function after(line, prefix)
    if line:sub(1, #prefix) == prefix then
        return line:match("^[ \t]*(.*)", #prefix + 1)
    end
end

-- The whole number of 0 or more that a text begins with; 0 if it begins otherwise.
function leading(text) return math.tointeger(tonumber(text:match("^[ \t]*(%d+)"))) or 0 end

-- As much of a line as a message shows.
function shown(line) return copy(line, 60) end

function fail_at(line, ...) refuse(line, string.format(...)) end
function fail(...) refuse(at(), string.format(...)) end
function notice_at(line, ...) tell(line, string.format(...)) end
function notice(...) tell(at(), string.format(...)) end

-- Texts that are not empty, with blanks between.
function join(...)
    local all = {}
    for _, text in ipairs { ... } do
        if text ~= "" then
            all[#all + 1] = text
        end
    end
    return table.concat(all, " ")
end

-- ---- tables

local function is_pass(word)
    local defects = parse(word)
    return word == "Pass" or defects ~= nil and not (defects > 0)
end

local function add_value(c, found, i, key, size, times)
    local value = (c.may_lack and number or amount)(found[i], "a number")
    local half_width = c.half_width and amount(found[i + c.half_width], "an interval")
    if not c.quantity or c.of_bytes and size <= 0 then
        return
    end
    local factor, divisor = c.factor or 1, c.divisor or 1
    add { quantity = c.quantity, statistic = c.statistic or "mean", benchmark = key.benchmark,
          variant = c.variant, window = c.window or key.window, processes = key.processes,
          value = value * factor / divisor, delay_us = c.delay_us, size = size, iterations = times,
          -- 0 is what rounding has left of it
          half_width = half_width and half_width > 0 and half_width * factor / divisor or nil }
end

-- Adds the samples of a row: a word for each column, and what all of them have in common. A column is "size", "times" (how
-- often it was done), "defects" (must be 0, or Pass), false: ignored, or values: quantity (nil: only checked), statistic
-- ("mean" without), variant, window, delay_us, factor and divisor (to the unit of the quantity), half_width (so many
-- columns further on), of_bytes (messages without bytes have none), may_lack (nan: the tool has no value; a value may
-- be negative then). Returns how many the tool had none of.
function add_values(found, columns, key)
    local size, times, lacking = -1, 0, 0
    for i, c in ipairs(columns) do
        if c == "defects" and not is_pass(found[i]) then
            fail("found %.20s defects, expected none or Pass: data arrived damaged", found[i])
        elseif c == "size" then
            size = whole(found[i], "a size")
        elseif c == "times" then
            times = whole(found[i], "a number of iterations")
        end
    end
    for i, c in ipairs(columns) do
        if type(c) == "table" then
            if c.may_lack and is_nan(found[i]) then
                lacking = lacking + 1
            else
                add_value(c, found, i, key, size, times)
            end
        end
    end
    return lacking
end

-- The same of a line, which has as many words.
function add_row(line, columns, key)
    local found = words(line)
    if #found ~= #columns then
        fail("found '%s', expected %d columns: the run may have crashed", shown(line), #columns)
    end
    return add_values(found, columns, key)
end

-- ---- what a job's output has between the lines of a benchmark: of mpirun, libraries, the shell and the script

-- Words by which mpirun, Slurm, libraries and shells tell that something ended before its end.
local crashes = {
    "abort", "assert", "bus error", "cancel", "cannot", "core dumped", "crash", "error", "exceeded",
    "exited", "fail", "fatal", "invalid", "killed", "not found", "noticed that", "no such file",
    "out of memory", "segfault", "signal", "slurmstepd", "segmentation", "terminat", "time limit",
    "timed out", "unable", "unexpected", "unreachable",
}

-- Every word is looked for by itself, which takes some microseconds a line, and after a line of dashes twice. What libraries say they
-- say often, once for each process: it is looked at once.
local judged, judged_count = {}, 0

local function tells_of_crash(text)
    local crash = judged[text]
    if crash == nil then
        local lower = after(text, ""):lower()
        crash = false
        for _, word in ipairs(crashes) do
            crash = crash or has(lower, word)
        end
        crash = crash and not (lower:find("^warning") or has(lower, " warn "))
        if judged_count < 1000 then
            judged[text], judged_count = crash, judged_count + 1
        end
    end
    return crash
end

-- What follows a line of dashes, to the next one.
local function block_tells_of_crash()
    local count = 0
    for _, line in peek do
        count = count + 1
        if count > 100 or line:find("^%-%-%-%-%-") or count == 1 and line:lower():find("^warning") then
            return false
        end
        if tells_of_crash(line) then
            return true
        end
    end
    return false
end

-- Not what dates and times begin with: "2026-11-23", "10:22:05".
local function begins_with_number(line)
    if #line:match("^[+%-.]*") == 1 then
        line = line:sub(2)
    end
    local digits, date = #line:match("^%d*"), #line:match("^[%d%-:/T]*")
    return digits > 0 and (date == digits or date < #line and line:sub(date + 1, date + 1) ~= " ")
end

-- Whether a line, the last one that was read, is a remark that can be skipped: it begins with no number, and tells of no
-- crash, nor does the block between dashes that it begins. Warnings tell of none.
function is_remark(line)
    line = after(line, "")
    return not begins_with_number(line) and not tells_of_crash(line) and
        not (line:find("^%-%-%-%-%-") and block_tells_of_crash())
end

local told = false

-- Notices the first remark of a log.
function skip_remark(line)
    if not told then
        told = true
        notice("skipped '%.60s', and others like it: lines that are no results", line)
    end
end
