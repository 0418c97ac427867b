-- SPDX-License-Identifier: GPL-3.0-or-later
-- The log of GROMACS (md.log) from version 4.6 on: what a run was ("Running on 2 nodes", "There are: N Atoms"), statistics
-- of the domain decomposition, then the cycle accounting, a table with a row for each phase
--    Force                 48    2      50001     115.792      23343.432  34.4
-- with ranks, threads, calls, wall time (s), cycles and share (without the first three: all of them), perhaps a breakdown
-- of PME of the same form, "Time:" and "Performance:", "Finished mdrun". Ranks that only do PME have an accounting of
-- their own; their rows have a star. A log to which a restarted run was appended has several runs. Of these the times
-- come last: a run without them was stopped.
local most_phases, most_statistics = 200, 16

local run -- that is on; nil: none
-- What is known before a run starts: ranks and threads of "" (all), "PP" and "PME", nodes, atoms, grid, ranks of PP and PME
-- along each axis, how loads are balanced, and their lines.
local about
local ended, command_next, application = false, false, false

local function forget()
    about = { ranks = {}, threads = {}, grid = {}, along = {} }
end

-- ---- a run, when all of it is known

local function add_value(line, quantity, variant, processes, value)
    if value then
        add { quantity = quantity, benchmark = "mdrun", variant = variant, processes = processes or 0,
              of_application = true, value = value, line = line }
    end
end

local function add_phase(phase)
    local ranks = about.ranks
    local processes = phase.ranks or (phase.starred and ranks.PME or not phase.starred and (ranks.PP or ranks[""]))
    add_value(phase.line, "phase_time", phase.label, processes or 0, phase.wall)
    add_value(phase.line, "phase_calls", phase.label, processes or 0, phase.calls)
end

local function check_run()
    if not run.wall then
        fail("found the end of a run, expected its times ('Time:') before")
    end
    if run.accounting and not run.total then
        fail("found the end of a run, expected the row 'Total' of its cycle accounting before")
    end
    -- The same number, printed twice; the last digit may be rounded otherwise.
    if run.total and not (math.abs(run.total - run.wall) <= 0.002 + 1e-6 * run.wall) then
        fail_at(run.wall_line, "found a wall time of %g s beside phases of %g s in total, expected the same: lines may " ..
                "be mixed up", run.wall, run.total)
    end
    if not run.accounting then
        notice("the run has no cycle accounting that can be read; only its time is taken")
    end
end

-- Share of the steps in which loads were balanced; nil: not known.
local function balanced_share()
    local steps, on, sum = nil, about.balancing == "yes" and 0.0 or nil, 0.0
    for _, phase in ipairs(run.phases) do
        steps = phase.label == "Force" and phase.calls or steps
    end
    if not steps or not about.balancing then
        return nil
    end
    for _, turned in ipairs(run.turned) do
        sum = sum + (on and not turned.on and math.max(0.0, turned.step - on) or 0.0)
        on = turned.on and (on or turned.step) or nil
    end
    return math.max(0.0, math.min(1.0, (sum + (on and steps - on or 0.0)) / steps))
end

local function end_run()
    check_run()
    local ranks, grid = about.ranks, about.grid
    if ranks.PP then
        ranks[""] = ranks.PP + (ranks.PME or 0)
    end
    if about.atoms and not application then
        application = true
        set("application", "GROMACS " .. about.atoms .. " atoms")
    end
    local all = ranks[""]
    begin()
    add_value(run.wall_line, "execution_time", nil, all, run.wall)
    add_value(run.rate_line, "simulation_rate", nil, all, run.rate)
    add_value(about.nodes_line, "nodes_used", nil, all, about.nodes)
    add_value(about.atoms_line, "atoms", nil, all, about.atoms)
    local points = (grid.x or 0.0) * (grid.y or 0.0) * (grid.z or 0.0)
    add_value(about.grid_line, "grid_points", nil, all, points ~= 0 and points or nil)
    for _, along in ipairs(about.along) do
        add_value(along.line, "processes_along", along.variant, ranks[along.group] or all, along.count)
    end
    add_value(about.balancing_line, "balanced_share", nil, all, balanced_share())
    for _, group in ipairs { "", "PP", "PME" } do
        add_value(about.ranks_line, "threads_per_process", group, ranks[group], about.threads[group])
    end
    for _, s in ipairs(run.statistics) do
        add_value(s.line, s.quantity, s.variant, all, s.value)
    end
    for _, phase in ipairs(run.phases) do
        add_phase(phase)
    end
    ended, run = true, nil
    forget()
end

local function start_run()
    if run then
        notice_at(run.line, "found no end of the run that starts here: it was stopped or crashed, and is left out")
    end
    run = { line = at(), statistics = {}, phases = {}, turned = {} }
end

-- ---- lines

-- Counts that the program could have, so that their sums do too; nil for 0, which is not said.
local function count(word, what)
    local value = whole(word, what)
    if value > 1 << 40 then
        fail("found %.40s, expected %s that can be", word, what)
    end
    return value > 0 and value or nil
end

local statistics = {
    -- Slowest over mean - 1.
    { "Average load imbalance:", "slowest_over_mean", "force", 0.01, 1 },
    { "Part of the total run time spent waiting due to load imbalance:", "waiting_share", "load imbalance", 0.01, 0 },
    { "Part of the total run time spent waiting due to PP/PME imbalance:", "waiting_share", "PP/PME imbalance", 0.01, 0 },
    -- Coordinates, then forces: 2 x.
    { "av. #atoms communicated per step for force:  2 x", "communicated_atoms", "force", 2, 0 },
    { "av. #atoms communicated per step for vsites:  2 x", "communicated_atoms", "vsites", 2, 0 },
    { "av. #atoms communicated per step for LINCS:  2 x", "communicated_atoms", "LINCS", 2, 0 },
}

-- The number that a word begins with, "16.0" of "16.0%.", of which some are kept in another form.
local function add_statistic(word, quantity, variant, factor, plus)
    local digits = word:sub(1, 40):match("^[%d.]*")
    while digits:sub(-1) == "." do
        digits = digits:sub(1, -2)
    end
    if #digits == 0 or #digits >= 40 then
        fail("found '%.60s', expected a number", word)
    end
    local value = amount(digits, "a number")
    if #run.statistics == most_statistics then
        fail("found statistics of one run several times, expected the end of the run ('Finished mdrun') between them")
    end
    table.insert(run.statistics, { line = at(), quantity = quantity, variant = variant, value = factor * value + plus })
end

-- Whether the line was one of the statistics.
local function read_statistic(line)
    line = line:match("^ *(.*)")
    for _, s in ipairs(statistics) do
        local rest = after(line, s[1])
        if rest then
            add_statistic(rest, table.unpack(s, 2))
            return true
        end
    end
    return false
end

-- "On 48 MPI ranks doing PP, each using 2 OpenMP threads, and", "on 16 MPI ranks doing PME"
local function read_ranks(line)
    local group = has(line, "doing PME") and "PME" or has(line, "doing PP") and "PP" or ""
    local found = words(line)
    about.threads[group], about.ranks_line = 1, at()
    for i = 3, #found - 1 do
        if found[i] == "using" then
            about.threads[group] = count(found[i + 1], "a number of threads")
        end
    end
    about.ranks[group] = count(found[2], "a number of ranks")
end

local function read_row(line)
    local found, numbers = words(line), 0
    while numbers < #found and numbers < 6 and not found[#found - numbers]:find("[^%d.]") and
        found[#found - numbers]:find("%d") do
        numbers = numbers + 1
    end
    if numbers == #found or (numbers ~= 3 and numbers ~= 4 and numbers ~= 6) then
        fail("found '%s', expected a phase with its wall time, cycles and share: lines may be mixed up", shown(line))
    end
    if #run.phases == most_phases then
        fail("found more than %d phases of a run, expected fewer", most_phases)
    end
    local phase, label, first = { line = at() }, {}, #found - numbers
    for i = 1, first do
        phase.starred = found[i] == "*"
        label[#label + 1] = not phase.starred and found[i] or nil
    end
    phase.label = copy(table.concat(label, " "), 63)
    phase.ranks = numbers == 6 and count(found[first + 1], "a number of ranks") or nil
    phase.calls = numbers > 3 and count(found[#found - 3], "a number of calls") or nil
    phase.wall = amount(found[#found - 2], "a time")
    if phase.label == "Total" then
        run.total = phase.wall
    else
        table.insert(run.phases, phase)
    end
end

-- Of the accounting: rules, tables and what is said about them.
local function read_accounting(line)
    if has(line, "iga-Cycles") or has(line, "G-Cycles") then
        -- 4.5 has the time last.
        run.section = has(line, "Wall") and "heading" or nil
        run.accounting = run.accounting or run.section ~= nil
    elseif run.total and line:find("^ *Breakdown of ") then
        run.section = "heading"
    elseif line:find("^%-+$") then
        -- After the heading, before the total, after it, and around a breakdown.
        run.section = (run.section == "heading" or run.section == "rows" and not run.total) and "rows" or nil
    elseif run.section == "rows" and line ~= "" then
        read_row(line)
    end
end

local function read_times(line)
    local found = words(line)
    if found[1] == "Time:" then
        if #found ~= 4 then
            fail("found another number of times, expected those of cores and wall, and their ratio")
        end
        run.wall_line, run.wall = at(), amount(found[3], "a time")
    elseif run.rate_column then -- not of a minimization, say
        if run.rate_column >= #found then
            fail("found no rate in ns/day, expected one")
        end
        run.rate_line, run.rate = at(), amount(found[run.rate_column + 1], "a rate")
    end
end

-- "72 72 64, coulomb cutoff 1.329", which the run was tuned to.
local function read_tuned_grid(text)
    local found = words(text)
    if #found < 3 then
        fail("found no grid, expected three numbers")
    end
    about.grid_line = at()
    for i, axis in ipairs { "x", "y", "z" } do
        about.grid[axis] = count(i == 3 and found[3]:match("^[^,]*") or found[i], "points of a grid")
    end
end

-- "8 x 14 x 6, separate PME ranks 224", of a group of ranks.
local function read_cells(text, group)
    local found = words(text)
    for i, axis in ipairs { "x", "y", "z" } do
        local word = found[2 * i - 1] and found[2 * i - 1]:match("^[^,]*")
        local cells = word and count(word, "ranks along an axis")
        if cells and #about.along < 6 then
            table.insert(about.along, { variant = group .. " " .. axis, group = group, count = cells, line = at() })
        end
    end
end

-- "step 75 Turning on dynamic load balancing, because ..."
local function read_turning(line)
    local found = words(line)
    if #run.turned == 100000 then
        fail("found load balancing turned on or off more than %d times, expected fewer", #run.turned)
    end
    table.insert(run.turned, { step = whole(found[2], "a step"), on = found[4] == "on" })
end

-- "2" of "Running on 2 nodes".
local function first_count(text, what)
    return count(copy(text, 39):match("^[^ ]*"), what)
end

-- What comes before the steps.
local function read_head(line)
    local version = after(line, "GROMACS version:") or after(line, "Gromacs version:")
    local nodes, ranks, atoms = after(line, "Running on "), after(line, "Using "), after(line, "There are")
    local cells, grid = after(line, "Domain decomposition grid"), after(line, "PME domain decomposition:")
    local balancing = after(line, "Dynamic load balancing:")
    local axis, points = line:match("^ *fourier%-n[ \t]*([xyz])[^=]*=(.*)")
    if version then
        set("version", after(version, "VERSION") or version)
    elseif command_next then
        set("command", line)
        command_next = false
    elseif line == "Command line:" then
        command_next = true
    elseif nodes and has(nodes, " node") then
        about.nodes_line, about.nodes = at(), first_count(nodes, "a number of nodes")
    elseif ranks and (has(ranks, " MPI process") or has(ranks, " MPI thread")) and not has(ranks, "OpenMP") then
        about.ranks_line, about.ranks[""] = at(), first_count(ranks, "a number of ranks")
    elseif atoms and (has(atoms, " Atoms") or has(atoms, " atoms")) then
        about.atoms_line, about.atoms = at(), first_count(atoms:match("^[: ]*(.*)"), "a number of atoms")
    elseif cells or grid then
        read_cells(cells or grid, cells and "PP" or "PME")
    elseif balancing then
        about.balancing_line, about.balancing = at(), balancing:match("^%a*")
    elseif axis then
        about.grid_line, about.grid[axis] = at(), first_count(points, "points of a grid")
    end
end

local function read_line(line)
    local first = after(line, "")
    local _, tuned = line:find("optimal pme grid ", 1, true)
    if line:find("^Started mdrun") then
        start_run()
    elseif not run then
        read_head(line)
    elseif line:find("^Finished mdrun") then
        end_run()
    elseif line:find("^[Oo]n ") and has(line, " MPI rank") then
        read_ranks(line)
    elseif line:find("^step %d+ Turning o[nf]") then
        read_turning(line)
    elseif first:sub(1, 5) == "Time:" or line:sub(1, 12) == "Performance:" then
        read_times(line)
    else
        if first:sub(1, 1) == "(" then -- "(ns/day)    (hour/ns)": which is the rate?
            for i, word in ipairs(words(copy(line, 199))) do
                run.rate_column = word == "(ns/day)" and i or run.rate_column
            end
        end
        if tuned then
            read_tuned_grid(line:sub(tuned + 1))
        elseif not read_statistic(line) then
            read_accounting(line)
        end
    end
end

forget()
for line in lines() do
    read_line(line)
end
if run or not ended then
    fail("found the end of the file, expected 'Finished mdrun': the run is not at its end, was stopped, or has crashed; " ..
         "or it is what mdrun prints, and not its log (md.log)")
end
if not application then
    set("application", "GROMACS")
end
check_end()
