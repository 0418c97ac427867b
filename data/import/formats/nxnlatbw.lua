-- SPDX-License-Identifier: GPL-3.0-or-later
-- nxnlatbw: each of N processes with each other one, two at a time. A line of names, and for every ordered pair
-- "7,0,0.81,12042.811187": half a round trip of an empty message (us, of 10,000), and the rate (10^6 bytes/s) of ten
-- messages of 4 MiB that one answer follows. Processes print on their own: lines are in any order, that of the names
-- among them; libraries and srun may say something before and between. There is a series for each process that sends; the other
-- one is the task of a sample.
local most = 2048

local function read_end(word)
    local process = whole(word, "a process")
    if process >= most then
        fail("found process %.40s, expected less than %d", word, most)
    end
    return process
end

local seen, last, rows = {}, 0, 0
local latency = { quantity = "half_round_trip", statistic = "mean", benchmark = "nxnlatbw", processes = 2,
                  size = 0, iterations = 10000 }
local rate = { quantity = "transfer_rate", statistic = "mean", benchmark = "nxnlatbw", processes = 2,
               window = 10, size = 4 << 20, iterations = 10 }

local function read_row(line)
    local first, second, third, fourth = line:match("^([^,]*),([^,]*),([^,]*),([^,]*)$")
    if not first then
        fail("found '%s', expected two processes, a time and a rate: lines may be mixed up, or the run has crashed",
             shown(line))
    end
    local from, to = read_end(first), read_end(second)
    local pair = from * most + to
    if from == to or seen[pair] then
        fail("found %d to %d%s, expected each pair of processes once: output of several runs may be mixed",
             from, to, from == to and "" or " a second time")
    end
    seen[pair] = true
    latency.value, rate.value = amount(third, "a time"), amount(fourth, "a rate")
    latency.variant, rate.variant = "from " .. from, "from " .. from
    latency.task, rate.task = to, to
    add(latency)
    add(rate)
    last = math.max(last, from, to)
    rows = rows + 1
end

set("repeats", true)
begin()
for line in lines() do
    if line == "" or line:find("^src,dst,lat%(us%),bandwidth") then
        goto next
    elseif not is_remark(line) then
        read_row(line)
    else
        skip_remark(line)
    end
    ::next::
end
if rows ~= last * (last + 1) then
    fail("found %d pairs, expected %d of %d processes: the log is truncated, or the run has crashed", rows,
         last * (last + 1), last + 1)
end
check_end()
