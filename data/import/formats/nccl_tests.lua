-- SPDX-License-Identifier: GPL-3.0-or-later
-- nccl-tests and rccl-tests: collectives of GPUs. A line "# nThread", a line for each rank with its device, the names of the
-- columns, a row for each size with times (us) out of place and in place, "# Out of bounds values". Rates follow from
-- times. Only new versions say which collective it was; the others by operation, root and the factor from algbw to
-- busbw: with n ranks 2(n-1)/n of all_reduce, (n-1)/n where each rank sends to all or to one all others, else 1
-- (PERFORMANCE.md of nccl-tests).
local ranks, iterations = 0, 0
local collective -- "all_reduce" if the log says so
local place, first, count -- of columns by name, nil: no table yet; of the first time, before two groups of four; of all
local rows, tables = {}, 0

-- ---- the table, when all of it is known

local function has_operation(row) return row.operation ~= "" and row.operation ~= "none" end

-- Which collective, by the row with the highest rate, which is rounded least; nil: it cannot be told.
local function guess()
    local best, found = rows[1], nil
    for _, row in ipairs(rows) do
        best = row.algorithm > best.algorithm and row or best
    end
    local n, share = ranks, (ranks - 1) / ranks
    local kinds = { -- name, whether there is an operation, and a root, busbw over algbw
        { "all_reduce", true, false, 2 * share }, { "reduce_scatter", true, false, share },
        { "reduce", true, true, 1 }, { "broadcast", false, true, 1 },
        { "scatter or gather", false, true, share }, { "all_gather or alltoall", false, false, share },
        { "sendrecv", false, false, 1 },
    }
    local error = 0.006 * (1 + 2 / best.algorithm) / best.algorithm
    for _, kind in ipairs(kinds) do
        if kind[2] == has_operation(best) and kind[3] == best.rooted and best.algorithm > 0 and n > 1 and
            math.abs(best.bus / best.algorithm - kind[4]) <= 2 * error then
            if found then
                return nil
            end
            found = kind[1]
        end
    end
    return found
end

local function add_half(row, benchmark, time, where)
    if time then
        local operation = has_operation(row) and row.operation ~= "sum" and row.operation or ""
        add { quantity = "operation_time", statistic = "mean", benchmark = benchmark, processes = ranks,
              variant = join(row.type ~= "float" and row.type or "", operation, where), value = time,
              size = row.size, iterations = iterations, line = row.line }
    end
end

local function end_table()
    if #rows == 0 then
        fail("found a table without rows, expected results: the run may have crashed")
    end
    local told = collective or guess()
    local benchmark = "nccl " .. (told or "collective")
    if not told then
        notice_at(rows[1].line, "the log does not tell which collective it is of; its benchmark is called '%s'", benchmark)
    end
    begin()
    for _, row in ipairs(rows) do
        add_half(row, benchmark, row.outside, "")
        add_half(row, benchmark, row.inside, "in place")
    end
    rows, place, tables = {}, nil, tables + 1
end

-- ---- lines

local function read_names(line)
    local found = words(line:sub(2))
    if place then
        fail("found a second table, expected the end of the first: output of several runs may be mixed")
    end
    place, first = {}, 1
    for i, word in ipairs(found) do
        if word == "time" then
            break
        end
        place[word], first = i, i + 1
    end
    count = first + 7
    if #found ~= count or place.size ~= 1 or not place.type then
        fail("found other columns than size, count, type and twice time, algbw, busbw and errors, expected these")
    end
end

-- "nccl-tests version 2.17.1 ..."
local function read_comment(line)
    local _, version = line:find("-tests version ", 1, true)
    local _, starting = line:find("ollective test starting: ", 1, true)
    local _, warmup = line:find("warmup iters:", 1, true)
    if version then
        set("version", copy(line:sub(version + 1), 63):match("^[^ ]*"))
    elseif starting then
        local name = copy(line:sub(starting + 1), 39)
        name = name:sub(1, (name:find("_perf", 1, true) or #name + 1) - 1)
        collective = name ~= "" and name or nil
    elseif warmup then
        local _, stop = line:find(" iters:", warmup + 1, true)
        iterations, ranks = stop and leading(line:sub(stop + 1)) or 0, 0
    elseif has(line, " Rank ") and has(line, " device ") then
        ranks = ranks + 1
    elseif has(line, " size ") and has(line, " algbw ") then
        read_names(line)
    elseif place and has(line, "Out of bounds values") then
        if has(line, "FAILED") then
            fail("found wrong results ('%.60s'), expected none: data arrived damaged", line)
        end
        end_table()
    end
end

-- The time of a half, nil: it was not measured.
local function read_half(found, at_time, row)
    if found[at_time] == "N/A" then
        return nil
    end
    local time = amount(found[at_time], "a time")
    local algorithm, bus = amount(found[at_time + 1], "a rate"), amount(found[at_time + 2], "a rate")
    if algorithm > row.algorithm then
        row.algorithm, row.bus = algorithm, bus
    end
    return time
end

local function read_row(line)
    local found = words(line)
    if #found ~= count then
        fail("found '%s', expected %d columns: the run may have crashed", shown(line), count)
    end
    local row = { line = at(), size = whole(found[1], "a size"), algorithm = 0.0, bus = 0.0,
                  type = found[place.type]:sub(1, 15), operation = place.redop and found[place.redop]:sub(1, 15) or "",
                  rooted = place.root ~= nil and found[place.root]:sub(1, 1) ~= "-" }
    row.outside = read_half(found, first, row)
    row.inside = read_half(found, first + 4, row)
    rows[#rows + 1] = row
end

for line in lines() do
    local text = after(line, "")
    -- Others print, too: NCCL_DEBUG, UCX, mpirun.
    if text:sub(1, 1) == "#" then
        read_comment(text)
    elseif place and text:find("^%d") then
        read_row(line)
    end
end
if place or tables == 0 then
    fail("found the end of the file, expected '# Out of bounds values': the run may have crashed")
end
check_end()
