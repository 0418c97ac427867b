-- SPDX-License-Identifier: GPL-3.0-or-later
-- Intel MPI Benchmarks. "# Benchmarking NAME", "# #processes = P", names of columns, rows, an empty line; at the end of the
-- file "# All processes entering MPI_Finalize". Mbytes are 10^6 bytes from version 2018 on, before that 2^20.
local megabyte = 1e6
local name, processes = nil, 0
local columns -- nil: not in a table
local timed = false -- it has a column of times; rates only repeat them
local calling, ended, told = false, false, false

local known = {
    ["#bytes"] = "size", ["#repetitions"] = "times", ["defects"] = "defects",
    ["t[usec]"] = { quantity = "time" }, ["t_avg[usec]"] = { quantity = "time" },
    ["t_min[usec]"] = { quantity = "time", statistic = "min" },
    ["t_max[usec]"] = { quantity = "time", statistic = "max" },
    ["Mbytes/sec"] = { quantity = "rate", of_bytes = true },
    ["Msg/sec"] = { quantity = "message_rate", divisor = 1e6 },
}

-- What a column is in this table. Rates only repeat what a column of times says.
local function finished(c)
    if type(c) ~= "table" then
        return c or false
    end
    local made = { quantity = c.quantity, statistic = c.statistic, of_bytes = c.of_bytes, divisor = c.divisor }
    if c.quantity == "time" then
        made.quantity = name == "IMB PingPong" and "half_round_trip" or "operation_time"
    elseif timed then
        made.quantity = nil
    elseif c.of_bytes then
        made.quantity = name == "IMB Biband" and "transfer_rate_both_ways" or "transfer_rate"
        made.factor = megabyte / 1e6
    end
    return made
end

local function read_names(line)
    local found = words(line)
    if not name then
        fail("found a table, expected '# Benchmarking' before it")
    end
    if #found > 16 then
        fail("found %d columns, expected at most 16", #found)
    end
    timed = false
    for _, word in ipairs(found) do
        timed = timed or word:sub(1, 1) == "t"
        if not known[word] then
            notice("column '%.40s' is not imported", word)
        end
    end
    columns = {}
    for i, word in ipairs(found) do
        columns[i] = finished(known[word])
    end
    begin()
    if not timed and not told and hints.window == 0 then
        told = true
        notice("%s does not say its window: give it with --window", name)
    end
end

local function fail_without_end(found)
    fail("found %s, expected '# All processes entering MPI_Finalize': the log is truncated or the run crashed", found)
end

local function read_comment(line)
    local benchmark, count = after(line, "# Benchmarking "), after(line, "# #processes =")
    if benchmark then
        name = "IMB " .. copy(benchmark, 89)
        columns, processes, ended = nil, 0, false
    elseif count then
        processes = leading(count)
    elseif has(line, "MPI Benchmarks ") and has(line, "Intel") then
        if name and not ended then
            fail_without_end("the title of another run")
        end
        local _, stop = line:find("MPI Benchmarks ", 1, true)
        local version = copy(line:sub(stop + 1):match("^[^%d]*(.*)"), 63):match("^[^, ]*")
        set("version", version)
        megabyte = leading(version) >= 2018 and 1e6 or 1048576
    elseif has(line, "All processes entering MPI_Finalize") then
        ended = true
    elseif after(line, "# Calling sequence was:") then
        calling = true
    elseif calling and #line > 1 then
        set("command", line:sub(2))
        calling = false
    end
end

local function read_row(line)
    local text = shown(line)
    if has(line, "time-out.;") or has(line, "out-of-mem.;") or has(line, "int-overflow.;") then
        notice("skipped '%s...': the tool has no result", text)
    elseif is_remark(line) then
        skip_remark(text)
    elseif not line:find("^[ \t]*%d") then
        fail("found '%s', expected a row of results: the run may have crashed", text)
    else
        add_row(line, columns, { benchmark = name, window = timed and 0 or hints.window, processes = processes })
    end
end

for line in lines() do
    local first = after(line, "")
    if first == "" then
        columns = nil
    elseif first:find("^#bytes") or first:find("^#repetitions") then
        read_names(line)
    elseif line:sub(1, 1) == "#" then
        read_comment(line)
    elseif columns then
        read_row(line)
    elseif name and not ended then -- before and after: what mpirun has to say
        if not is_remark(line) then
            fail("found '%.60s', expected a table: the run may have crashed", first)
        end
        skip_remark(line)
    end
end
if not ended then
    fail_without_end("the end of the file")
end
check_end()
