-- SPDX-License-Identifier: GPL-3.0-or-later
-- The output of CP2K: "PROGRAM STARTED AT", "GLOBAL|" lines, the sizes of the messages of DBCSR, calls of MPI and their mean
-- volume for DBCSR and for the rest (of the process that prints), "T I M I N G" with a row for each routine: calls (most
-- of any process), depth, its own time and that with what it calls, mean and maximum over processes; "PROGRAM ENDED AT".
-- Old versions have times of calls and rates beside the volumes. CP2K adds volumes up without a look whether they can be:
-- none is printed where the sum is not positive, and garbage where it is. What would not fit the memory that it says a
-- process had is doubtful.
local run -- that is on; nil: none. line, memory: of a process (bytes), called, timed, all: the row of everything
local runs, processes = 0, 0
local dbcsr, call_times = false, false -- calls are of DBCSR; they have times
local section -- what reads the rows of the table that is on

local function fail_row(line, expected)
    fail("found '%s', expected %s: lines may be mixed up, or the run has crashed", shown(line), expected)
end

local function add_value(quantity, statistic, variant, value, more)
    local sample = more or {}
    sample.quantity, sample.statistic, sample.variant, sample.value = quantity, statistic, variant, value
    sample.benchmark, sample.processes, sample.of_application = "CP2K", processes, true
    add(sample)
end

-- ---- rows

-- "   128 < size <=     8192      83948      332481200": all messages, all bytes. Of a mean size.
local function read_size(found, line)
    if #found < 5 or #found > 7 then
        fail_row(line, "a class of sizes, messages and bytes")
    end
    local messages, bytes = whole(found[#found - 1], "a number of messages"), whole(found[#found], "a number of bytes")
    if messages > 0 then
        add_value("message_count", "single", "DBCSR", messages, { size = bytes // messages })
    end
end

-- "MP_Alltoall          9654                 390185."
local function read_call(found, line)
    local first = call_times and 4 or 3 -- column of the volume
    if found[1] == "ACCUMULATED" then
        return -- of threads
    end
    if found[1]:sub(1, 3) ~= "MP_" or #found < first - 1 or #found > first + (call_times and 1 or 0) then
        fail_row(line, "an MPI routine and its calls")
    end
    local label = (dbcsr and "DBCSR " or "") .. found[1]:sub(1, 60)
    local calls = whole(found[2], "a number of calls")
    add_value("call_count", "single", label, calls)
    if call_times then
        add_value("site_time", "single", label, amount(found[3], "a time"))
    end
    if #found < first then
        return
    end
    local volume = amount(found[first], "a number of bytes")
    local doubtful = run.memory and volume > run.memory
    if doubtful then
        notice("found %.4g bytes for a call of %s on average, which is more than the memory of a process (%.4g bytes): " ..
               "CP2K's sum cannot be right, it is marked as doubtful", volume, label, run.memory)
    end
    add_value("call_bytes", "mean", label, volume, { iterations = calls, doubtful = doubtful })
end

-- "qs_forces     11  3.9    0.004    0.004  437.476  437.481", and perhaps a rank
local function read_timing(found, line)
    if found[1] == "MAXIMUM" then
        return -- heading
    end
    if #found ~= 7 and #found ~= 8 then
        fail_row(line, "a routine, calls, depth and four times")
    end
    local calls, times = whole(found[2], "a number of calls"), {}
    for i = 1, 4 do
        times[i] = amount(found[3 + i], "a time")
    end
    if found[1] == "CP2K" then
        run.all = true
        add_value("execution_time", "single", nil, times[4])
    end
    add_value("phase_calls", "max", found[1], calls)
    add_value("phase_self_time", "mean", found[1], times[1])
    add_value("phase_self_time", "max", found[1], times[2])
    add_value("phase_time", "mean", found[1], times[3])
    add_value("phase_time", "max", found[1], times[4])
end

-- ---- lines

local function start_run()
    if run then
        fail("found the start of another run, expected the end of the one that started on line %d: it has crashed; " ..
             "remove it from the file", run.line)
    end
    run, section = { line = at() }, nil
end

local function end_run()
    if not run or not run.timed or not run.all or section then
        fail("found the end of a run, expected %s before", not run and "its start ('PROGRAM STARTED AT')" or
             not run.timed and "its timings ('T I M I N G')" or not run.all and "a row 'CP2K' in its timings" or
             "the end of its last table")
    end
    if not run.called then
        notice("the run has no statistics of messages: it may not be parallel")
    end
    run, runs = nil, runs + 1
end

-- The last word of a line, as a whole number that adds up with others.
local function last_count(line, what)
    local word = line:match("^.* (.*)") or line
    local value = whole(word, what)
    if value > 1 << 40 then
        fail("found %.40s, expected %s that can be", word, what)
    end
    return value
end

local function read_global(line)
    local version, project = after(line, "CP2K| version string:"), after(line, "GLOBAL| Project name")
    if version then
        set("version", after(version, "CP2K version") or version)
    elseif project then
        set("application", "CP2K " .. copy(project, 190))
    elseif after(line, "GLOBAL| Total number of message passing processes") then
        processes = last_count(line, "a number of processes")
    elseif after(line, "GLOBAL| Number of threads for this process") then
        add_value("threads_per_process", "single", nil, last_count(line, "a number of threads"))
    elseif after(line, "MEMORY| Estimated peak process memory [MiB]") then
        local memory = last_count(line, "an amount of memory")
        run.memory = memory > 0 and memory * 1024.0 * 1024 or nil
    end
end

local function read_line(line)
    local first = line:match("^ *(.*)")
    if has(line, "PROGRAM STARTED AT") then
        begin()
        start_run()
    elseif has(line, "PROGRAM ENDED AT") then
        end_run()
    elseif not run then
        return -- what others print
    elseif first:find("^%-%-%-%-%-+$") then
        section = nil
    elseif section then
        local found = words(line)
        if #found > 0 then
            section(found, line)
        end
    elseif has(line, "MESSAGE PASSING PERFORMANCE") then
        dbcsr = has(line, "DBCSR")
    elseif first:find("^MPI breakdown and total messages size") then
        section = read_size
    elseif first:find("^ROUTINE ") and has(first, "CALLS") then
        section, call_times, run.called = read_call, has(first, "TOT TIME"), true
    elseif first:find("^SUBROUTINE ") and has(first, "SELF TIME") then
        section, run.timed = read_timing, true
    else
        read_global(first)
    end
end

for line in lines() do
    read_line(line)
end
if run or runs == 0 then
    fail("found the end of the file, expected 'PROGRAM ENDED AT': the run is not at its end, was stopped, or has crashed")
end
check_end()
