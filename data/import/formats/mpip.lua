-- SPDX-License-Identifier: GPL-3.0-or-later
-- Reports of mpiP: sections "@--- TITLE ---", each a table, up to "@--- End of Report". Imported are the times of the tasks and
-- the statistics of the call sites; the sections "Aggregate ..." only add these up, except in a concise report (-c),
-- where they have the number of calls.
local most_sites = 10000

local tasks, sites, places = 0, 0, {} -- by the number of a site: "fft3d.c:22 main", or ""
local concise, ended = false, false

local function fail_row(expected)
    fail("found a row of another form, expected %s", expected)
end

local function add_word(quantity, statistic, variant, word, factor, calls, task)
    add { quantity = quantity, statistic = statistic, benchmark = "mpiP", variant = variant, processes = tasks,
          of_application = true, value = amount(word, "a number") * factor, iterations = calls, task = task }
end

-- "Task AppTime MPITime MPI%"
local function read_task(found)
    if found[1] == "Task" or found[1] == "*" then
        return -- "*": the sum
    end
    if #found ~= 4 then
        fail_row("task, AppTime, MPITime, MPI%")
    end
    local task = whole(found[1], "a task")
    add_word("application_time", "single", nil, found[2], 1, 0, task)
    add_word("mpi_time", "single", nil, found[3], 1, 0, task)
    add_word("mpi_fraction", "single", nil, found[4], 0.01, 0, task)
end

-- "Max 0.515414 0.026428 0 0", "Mean", "Min"; "Aggregate 1.030807 0.051577 5.00"
local function read_task_statistic(found)
    local statistic = ({ Max = "max", Mean = "mean", Min = "min" })[found[1]]
    if found[1] == "Aggregate" and #found == 4 then
        add_word("mpi_fraction", "mean", nil, found[4], 0.01)
    elseif statistic then
        if #found < 3 then
            fail_row("AppTime and MPITime")
        end
        add_word("application_time", statistic, nil, found[2], 1)
        add_word("mpi_time", statistic, nil, found[3], 1)
    end
end

-- "1   0 fft3d.c               22 main                     Alltoall"; an address has no line
local function read_site(found)
    if found[1] == "ID" then
        return
    end
    if #found < 3 then
        fail_row("ID, level, file, line, function, call")
    end
    local id = whole(found[1], "a call site")
    if found[2] ~= "0" then
        return -- who called it
    end
    if sites == most_sites then
        fail("found more than %d call sites", most_sites)
    end
    sites = sites + 1
    places[id] = places[id] or
        #found >= 6 and copy(string.format("%.60s:%.10s %.40s", found[3], found[4], found[5]), 119) or ""
end

-- "Alltoall 5 fft3d.c:25 main"
local function label_of(found)
    local id = whole(found[2], "a call site")
    return copy(join(found[1]:sub(1, 40) .. " " .. id, places[id] or ""), 199)
end

local function add_statistics(found, first, quantity, factor, calls, task, label)
    if #found < first + 2 then
        fail_row("maximum, mean and minimum")
    end
    for i, statistic in ipairs { "max", "mean", "min" } do
        add_word(quantity, statistic, label, found[first + i - 1], factor, calls, task)
    end
end

-- What all rows of call sites begin with: label, task, and calls unless it is concise; nil: headings, and sums over tasks.
local function begin_row(found)
    if found[1] == "Name" or found[3] == "*" then
        return nil
    end
    if #found < 8 then
        fail_row("at least 8 columns")
    end
    return label_of(found), whole(found[3], "a rank"), concise or whole(found[4], "a count")
end

local function read_site_time(found)
    local label, task, calls = begin_row(found)
    if label and concise then -- of all calls of a task
        add_statistics(found, 4, "site_time", 1e-3, 0, -1, label)
    elseif label then
        add_word("call_count", "single", label, found[4], 1, 0, task)
        add_statistics(found, 5, "call_time", 1e3, calls, task, label)
    end
end

local function read_site_bytes(found)
    local label, task, calls = begin_row(found)
    if label and concise then
        add_statistics(found, 4, "site_bytes", 1, 0, -1, label)
    elseif label then
        add_statistics(found, 5, "call_bytes", 1, calls, task, label)
        add_word("site_bytes", "single", label, found[8], 1, calls, task)
    end
end

-- "Alltoall 5 15.9 1.55 30.89 40 0.00": only the count, and only where nothing else has it
local function read_aggregate(found)
    if concise and found[1] ~= "Call" then
        if #found < 6 then
            fail_row("call, site, time, two shares, count")
        end
        add_word("site_calls", "single", label_of(found), found[6], 1)
    end
end

local sections = {
    ["MPI Time (seconds)"] = read_task,
    ["Task Time Statistics (seconds)"] = read_task_statistic,
    ["Callsites:"] = read_site,
    ["Aggregate Time ("] = read_aggregate,
    ["Callsite Time statistics ("] = read_site_time,
    ["Callsite Message Sent statistics ("] = read_site_bytes,
}
local read_row -- of the section; nil: none

local function read_section(title)
    concise = concise or title:find("^Task Time Statistics") ~= nil
    ended = ended or title:find("^End of Report") ~= nil
    read_row = nil
    begin()
    for head, read in pairs(sections) do
        read_row = title:sub(1, #head) == head and read or read_row
    end
end

local function read_head(line)
    local section, value = after(line, "@---"), line:match("^[^:]*:(.*)")
    if section then
        read_section(section)
    elseif value and after(line, "@ Command") then
        -- "../fft3d 64 20" is the application "fft3d 64 20".
        local command = copy(value, 1023)
        set("command", command)
        set("application", command:sub(command:match("^[^ ]*/()") or 1))
    elseif value and after(line, "@ Version") then
        set("version", value)
    elseif value and after(line, "@ MPI Task Assignment") then
        tasks = tasks + 1
    end
end

for line in lines() do
    if line:sub(1, 1) == "@" then
        read_head(line)
    elseif read_row and line ~= "" and not line:find("^%-%-%-%-%-") then
        read_row(words(line))
    end
end
if not ended then
    fail("found the end of the file, expected '@--- End of Report': the report is truncated")
end
