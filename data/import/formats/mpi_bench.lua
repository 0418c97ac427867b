-- SPDX-License-Identifier: GPL-3.0-or-later
-- Files of clumpmodel-mpi-bench (protocols/mpi-bench/, whose head describes them), version 1:
--   # clumpmodel-mpi-bench 1
--   # command ./clumpmodel-mpi-bench --quick
--   # round 1
--   one-way between blocked 4 65536 64 10 11824.5 5912.1 0 4.1
--   # end
-- A row is one sample: what, where, placement, processes, size, window, repeats, value, what the pair or process got that
-- got least, how often a processor was taken away, and a fixed computation's time. Which samples are doubtful follows
-- from the last two, as the program itself decides it.
--
-- Messages between nodes are of the transport that the user names, "network" if he names none; those inside a node of
-- "shared-memory". Ranks that are spread over the node make a variant, "spread".
local newest = 1
local most_missing = 8 -- of which it is told
local calm_enough = 3 -- samples that were not disturbed, beside which others do not count
local most_number = 1 << 24 -- processes, window: more are a mistake
local other_speed = 1.5 -- times as long, or as short, as usual

local kinds = {
    ["round-trip"] = { benchmark = "mpi-bench round-trip", quantity = "half_round_trip" },
    ["send"] = { benchmark = "mpi-bench send", quantity = "send_time" },
    ["receive"] = { benchmark = "mpi-bench receive", quantity = "receive_time" },
    ["one-way"] = { benchmark = "mpi-bench one-way", quantity = "transfer_rate", streams = true },
    ["both-ways"] = { benchmark = "mpi-bench both-ways", quantity = "transfer_rate_both_ways", streams = true },
    ["copy"] = { benchmark = "mpi-bench memory", quantity = "memory_bandwidth", memory = true },
    ["triad"] = { benchmark = "mpi-bench memory", quantity = "memory_bandwidth", memory = true },
}

local version
local round, ended, missing = 0, false, 0
local rows = {}

-- ---- lines

local function count(text, what, from)
    local value = whole(text, what)
    if value < from or value > most_number then
        fail("found '%.40s', expected %s, %d to %d", text, what, from, most_number)
    end
    return value
end

local function read_version(text)
    if version then
        fail("found the beginning of another file, expected one: import them one by one")
    end
    version = whole(text, "a version")
    if version ~= newest then
        fail("found version '%.20s', expected %d: it may be of a newer clumpmodel", text, newest)
    end
    set("version", tostring(version))
end

local function read_comment(line)
    local name, rest = line:match("^# ([^ ]+) [ \t]*(.*)")
    if name == "clumpmodel-mpi-bench" then
        read_version(rest)
    elseif name == "command" then
        set("command", rest)
    elseif name == "mpi" then
        set("version", string.format("%d, %.39s", newest, rest:match("^[^,]*")))
    elseif name == "nodes" then
        set("nodes", count(rest, "a number of nodes", 1))
    elseif name == "processes" then
        set("processors", count(rest, "a number of processes", 1))
    elseif name == "missing" then
        missing = missing + 1
        if missing <= most_missing then
            notice("was not measured: %s", rest:sub(1, 120))
        end
    elseif name == "round" then
        local next = count(rest, "a round", 1)
        if next ~= round + 1 then
            fail("found round %d, expected %d", next, round + 1)
        end
        round = next
    else
        ended = ended or line == "# end"
    end
end

-- Whether it is the second of two words.
local function choice(word, no, yes)
    if word ~= no and word ~= yes then
        fail("found '%.40s', expected %s or %s", word, no, yes)
    end
    return word == yes
end

-- What processes, size and window have to be of this kind of row.
local function check_row(row)
    local kind = row.kind
    if not kind.memory and row.processes % 2 ~= 0 then
        fail("found %d processes, expected pairs: an even number", row.processes)
    end
    if not kind.memory and not kind.streams and row.processes ~= 2 then
        fail("found %d processes, expected 2", row.processes)
    end
    if (kind.streams or false) ~= (row.window > 0) then
        fail("found window %d, expected %s", row.window, row.window > 0 and "0: these messages are one by one" or
             "how many messages were under way")
    end
    if not (row.probe > 0) then
        fail("found a probe of %g us, expected more than 0", row.probe)
    end
end

local function read_row(line)
    local found = words(line)
    local kind = kinds[found[1]]
    if not kind or #found ~= 11 then
        fail("found '%s', expected what was measured and 10 columns more: the file may be damaged", shown(line))
    end
    if round == 0 then
        fail("found a row, expected '# round 1' before it")
    end
    local row = { line = at(), round = round, word = found[1], kind = kind }
    row.inside = choice(found[2], "between", "inside")
    row.spread = choice(found[3], "blocked", "spread")
    row.processes = count(found[4], "a number of processes", 1)
    row.size = kind.memory and -1 or whole(found[5], "a size")
    row.window = count(found[6], "a window", 0)
    row.repeats = whole(found[7], "repetitions")
    row.value = amount(found[8], "a time or a rate")
    row.least = found[9] ~= "-" and amount(found[9], "a rate") or nil
    row.switches = whole(found[10], "a number of times")
    row.probe = amount(found[11], "a time")
    check_row(row)
    rows[#rows + 1] = row
end

-- ---- which samples are doubtful

-- Rows of one point: marks some of them and returns how many.
local function mark_point(point)
    local half, calm, marked = #point // 2, 0, 0
    table.sort(point, function(a, b) return a.probe < b.probe end)
    local usual = #point % 2 == 1 and point[half + 1].probe or (point[half].probe + point[half + 1].probe) / 2
    for _, row in ipairs(point) do
        calm = calm + (row.switches == 0 and 1 or 0)
    end
    for _, row in ipairs(point) do
        row.doubtful = row.probe > other_speed * usual or row.probe < usual / other_speed or
            row.switches > 0 and calm >= calm_enough
        marked = marked + (row.doubtful and 1 or 0)
    end
    return marked
end

local function mark_doubtful()
    local points, marked = {}, 0 -- of rows that have in common all that is not measured
    for _, row in ipairs(rows) do
        local name = string.format("%s %s %s %d %d %d", row.word, row.inside, row.spread, row.processes, row.size,
                                   row.window)
        points[name] = points[name] or {}
        table.insert(points[name], row)
    end
    for _, point in pairs(points) do
        marked = marked + mark_point(point)
    end
    if marked > 0 then
        notice_at(0, "%d of its %d samples are stored as doubtful: a processor was taken away meanwhile, or had another " ..
                  "speed", marked, #rows)
    end
end

-- ---- into the log

local function add_value(row, quantity, value)
    local memory = row.kind.memory
    add { quantity = quantity, benchmark = row.kind.benchmark,
          variant = join(memory and row.word or "", row.spread and "spread" or ""), window = row.window,
          processes = row.processes, transport = not memory and (row.inside and "shared-memory" or "network") or nil,
          value = value, size = row.size, iterations = memory and 0 or row.repeats, run = row.round,
          doubtful = row.doubtful, line = row.line }
end

local function add_rows()
    local last = 0
    for _, row in ipairs(rows) do
        if row.round ~= last then
            begin()
        end
        last = row.round
        add_value(row, row.kind.quantity, row.value)
        if row.word == "one-way" and row.size > 0 then
            add_value(row, "message_rate", row.value / row.size)
        end
        if row.kind.memory and row.least then
            add_value(row, "slowest_memory_bandwidth", row.least)
        end
    end
end

local cut = false
for line in lines() do
    -- The last line of a file that was cut off in the middle says nothing.
    cut = is_cut()
    if not cut and line ~= "" then
        (line:sub(1, 1) == "#" and read_comment or read_row)(line)
    end
end
if #rows == 0 then
    fail("found no samples, expected rows: the run may have crashed")
end
if not ended then -- a job that was stopped leaves what it had measured
    notice("found the end of the file, expected '# end': the run was stopped in round %d; what is there is taken%s", round,
           cut and ", but for the last line" or "")
end
mark_doubtful()
add_rows()
