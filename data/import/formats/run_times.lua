-- SPDX-License-Identifier: GPL-3.0-or-later
-- Times of programs that say how long they took, and of what parts: what OpenFOAM's solvers print (mark 1), rsl.error.0000 of
-- WRF (2), the .castep file of CASTEP (3). Of OpenFOAM the processes' hosts tell how many nodes there were.
local mark = ...
local program = ({ "OpenFOAM", "WRF", "CASTEP" })[mark]
local phases, order = {}, {} -- seconds and calls by name; names as they come
local run = { line = 1 } -- processes, seconds, steps, done, hosts

local function add_phase(label, seconds)
    if not phases[label] then
        if #order == 100 then
            fail("found more than %d parts of a run, expected fewer", #order)
        end
        order[#order + 1] = label
        phases[label] = { seconds = 0.0, calls = 0 }
    end
    phases[label].seconds, phases[label].calls = phases[label].seconds + seconds, phases[label].calls + 1
end

-- The number of such a line: "ClockTime = 18 s", "    0.59259 elapsed seconds".
local function seconds_of(text)
    return amount(words(text)[1] or "", "a time in seconds")
end

local function processes_of(text)
    local count = whole(words(text)[1] or "", "a number of processes")
    if count < 1 or count > 1 << 30 then
        fail("found %d processes, expected 1 or more", count)
    end
    return count
end

-- '"node1"', of the first process, and '"node1.4711"', of another one.
local function read_host(text, is_other)
    local host = text:match('^"([^"]*)"')
    local dot = host and is_other and host:match("^.*()%.%d+$")
    host = dot and host:sub(1, dot - 1) or host
    if host and not run.hosts[host] then
        run.hosts[host], run.nodes = true, run.nodes + 1
    end
end

-- Several solvers may have printed into one file: the last one is taken.
local function read_openfoam(line)
    local exec, taken = after(line, "Exec   :"), after(line, "ExecutionTime =")
    if exec then
        local path = words(exec)[1] or ""
        while path:find("/", 1, true) do
            path = path:sub(path:find("/", 1, true) + 1)
        end
        run = { line = at(), name = path, processes = 1, steps = 0, hosts = {}, nodes = 0 }
    elseif run.hosts and after(line, "nProcs :") then
        run.processes = processes_of(after(line, "nProcs :"))
    elseif run.hosts and after(line, "Host   :") then
        read_host(after(line, "Host   :"), false)
    elseif run.hosts and line:sub(1, 1) == '"' then
        read_host(line, true)
    elseif taken then
        run.seconds, run.steps, run.line = seconds_of(taken), (run.steps or 0) + 1, at()
    elseif line == "End" then
        run.done = true
    end
end

local wrf_parts = { "main", "Writing", "processing" }

local function read_wrf(line)
    local x, y = line:match("^ *Ntasks in X +(%d+) *, *ntasks in Y +(%d+)")
    local rest = after(line, "Timing for")
    if x then
        run.processes = processes_of(x) * processes_of(y)
    elseif rest then
        for _, part in ipairs(wrf_parts) do
            local colon = rest:match(".*:()")
            if rest:sub(1, #part) == part and colon then
                add_phase(part, seconds_of(rest:sub(colon)))
            end
        end
    elseif has(line, "SUCCESS COMPLETE WRF") then
        run.done = true
    end
end

local castep_parts = { "Initialisation time =", "Calculation time    =", "Finalisation time   =" }

local function read_castep(line)
    for _, part in ipairs(castep_parts) do
        if after(line, part) then
            add_phase(part:match("^%a*"), seconds_of(after(line, part)))
        end
    end
    if after(line, "Total time          =") then
        run.seconds, run.done, run.line = seconds_of(after(line, "Total time          =")), true, at()
    elseif line:find("^ *Calculation parallelised over") then
        run.processes = processes_of(after(line:match("^ *(.*)"), "Calculation parallelised over"))
    end
end

local read_line = ({ read_openfoam, read_wrf, read_castep })[mark]
for line in lines() do
    read_line(line)
end
check_end()
if not run.done then
    fail_at(0, "found the end of the file, expected that of the run: it was stopped, or has crashed")
end
local sum = 0.0
for _, label in ipairs(order) do
    sum = sum + phases[label].seconds
end
run.seconds = run.seconds or sum > 0 and sum
if not run.seconds then
    fail_at(0, "found no time of the run, expected one")
end
local processes = run.processes or hints.processes
if processes == 0 then
    notice_at(0, "the log does not say how many processes there were: give it with --processes")
end
set("application", copy(join(program, run.name or ""), 100))
begin()
local function put(quantity, variant, value)
    add { quantity = quantity, benchmark = program, variant = variant, processes = processes, of_application = true,
          value = value, line = run.line }
end
put("execution_time", nil, run.seconds)
if run.nodes and run.nodes > 0 then
    put("nodes_used", nil, run.nodes)
end
if run.steps then
    put("phase_calls", "step", run.steps)
end
for _, label in ipairs(order) do
    put("phase_time", label, phases[label].seconds)
    put("phase_calls", label, phases[label].calls)
end
