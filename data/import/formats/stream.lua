-- SPDX-License-Identifier: GPL-3.0-or-later
-- STREAM (J. D. McCalpin), in C and Fortran, as it was or with a few lines more:
--   STREAM version $Revision: 5.10 $
--   Number of Threads counted = 4
--   Each kernel will be executed 10 times.
--   Function    Best Rate MB/s  Avg time     Min time     Max time
--   Copy:           34854.5     0.010152     0.009181     0.012097
--   Solution Validates: avg error less than 1.000000e-13 on all three arrays
-- MB are 10^6 bytes; rates are those of the shortest of all times but the first. Without OpenMP nothing is said of
-- threads. A file may have the output of several runs, of 1 to P threads: a curve.
local kernels = { "Copy:", "Scale:", "Add:", "Triad:" }

local run -- threads: that were asked for, counted: that ran, times: nil if not said; ranks: of several processes
local rows -- of a table; nil: in none
local wrong -- its arrays were damaged

local function end_table()
    if not rows then
        return
    end
    if #rows < #kernels then
        fail("found a table that ends before '%s', expected four rows: the log is truncated, or the run has crashed",
             kernels[#rows + 1])
    end
    local said, given = run.counted or run.threads, hints.processes > 0 and hints.processes
    if run.ranks and not given then
        fail_at(rows[1].line, "found a run of several MPI ranks, expected --processes, which says how many processes " ..
                "and threads there were")
    end
    if not said and not given then
        notice_at(rows[1].line, "the log does not say how many threads there were, as without OpenMP: 1 is taken; " ..
                  "--processes says it otherwise")
    end
    if wrong then
        notice_at(rows[1].line, "the run found wrong results: its rates are stored as doubtful")
    end
    begin()
    for i, row in ipairs(rows) do
        add { quantity = "memory_bandwidth", statistic = "max", benchmark = "stream",
              variant = kernels[i]:sub(1, -2):lower(), processes = (not said or run.ranks) and given or said or 1,
              value = row.rate, iterations = run.times > 1 and run.times - 1 or 0, doubtful = wrong,
              line = row.line }
    end
    rows = nil
end

local function read_row(line)
    local found, label = words(line), kernels[#rows + 1]
    if #found ~= 5 or found[1] ~= label then
        fail("found '%s', expected '%s', a rate and three times: the log is truncated, or the run has crashed",
             shown(line), label)
    end
    local rate, mean = amount(found[2], "a rate"), amount(found[3], "a time")
    local least, greatest = amount(found[4], "a time"), amount(found[5], "a time")
    if not (rate > 0) then
        fail("found a rate of %s, expected more than 0", found[2])
    end
    if least > mean or mean > greatest then
        fail("found %s, %s and %s, expected the mean of times, the least and the greatest", found[3], found[4],
             found[5])
    end
    rows[#rows + 1] = { rate = rate, line = at() }
end

-- "counted = 4", "requested = 4" or "= 4".
local function read_threads(rest)
    local counted = after(rest, "counted")
    local text = after(counted or after(rest, "requested") or rest, "=")
    if not text then -- of other words
        return
    end
    local threads = whole(text, "a number of threads")
    if threads < 1 then
        fail("found %s threads, expected 1 or more", text)
    end
    run[counted and "counted" or "threads"] = threads
end

local function read_line(line)
    local revision = line:match("^STREAM [Vv]ersion %$Revision:[ \t]*(.*)")
    if revision then
        end_table()
        set("version", copy(revision, 63):match("^[^ $]*"))
        run, rows = { times = 0 }, nil
    elseif line:find("^Function") and has(line, "Rate") then
        end_table()
        rows, wrong = {}, false
    elseif rows and #rows < #kernels then
        if line ~= "" then
            read_row(line)
        end
    elseif after(line, "Number of Threads") then
        read_threads(after(line, "Number of Threads"))
    else
        wrong = wrong or rows and line:find("^Failed Validation") ~= nil
        run.ranks = run.ranks or has(line, "MPI rank") or has(line, "MPI task")
        local rest = after(line, "Each kernel will be executed") or after(line, "Each test is run") or
            after(line, "You are running each test")
        local word = rest and rest:match("^[^ ]*")
        if word and #word < 24 then
            run.times = whole(word, "a number of times")
        end
    end
end

run = { times = 0 }
for line in lines() do
    read_line(line:match("^ *(.*)"))
end
check_end()
end_table()
