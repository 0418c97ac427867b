-- SPDX-License-Identifier: GPL-3.0-or-later
-- NetPIPE: what it prints, and the file of results (np.out).
--
--   3.x prints  " 12:      27 bytes 472904 times -->    483.15 Mbps in       0.43 usec"; Mbps is 2^20 bit/s. The other
--               process's lines may come between "-->" and the result.
--   5.x prints  " 56:   4.093 KB     521825 times -->   40.511 Gbps  in  405.029 nsecs" in colours, with powers of ten.
--               A size in MB is rounded; np.out has it exactly.
--   np.out      size, Mbps, seconds (3.x); size, Gbps, lowest Gbps, kbit, us (5.x).
--
-- The time is half a round trip, of streams the time per message; 3.x prints the least of the means of some trials. The
-- rate says the same with more digits where times are short. In both directions at once 3.x counts the bytes of both in
-- the rate, and in the sizes of np.out.
local is_file = ... == 1

local quantity, name = "half_round_trip", "NetPIPE ping-pong"
local row -- begun: waits for its result
local any = false

local rates = { Kbps = 1e3, Mbps = 1e6, Gbps = 1e9, Tbps = 1e12 }
local times = { usec = 1, nsecs = 1e-3, usecs = 1, msecs = 1e3, secs = 1e6 }
local sizes = { bytes = 1, B = 1, KB = 1e3, MB = 1e6, GB = 1e9 }

local function add_time(size, count, time)
    add { quantity = quantity, statistic = "mean", benchmark = name, processes = 2, value = time, size = size,
          iterations = count }
end

-- "483.15 Mbps in 0.43 usec"
local function read_result(text)
    local found = words(text)
    if #found ~= 5 or found[3] ~= "in" then
        fail("found '%.60s', expected a rate and a time", found[1] or "")
    end
    local rate_unit, unit = rates[found[2]], times[found[5]]
    if not rate_unit or not unit then
        fail("found units '%.20s' and '%.20s', expected Mbps and usec or the like", found[2], found[5])
    end
    local rate, time = amount(found[1], "a rate"), amount(found[4], "a time")
    local old, both = found[5] == "usec", quantity == "operation_time" -- old: 3.x
    local value, digit = time * unit, old and 0.005 or 0.0005
    if rate > 0 and row.exact and (old or not both) then
        local better = (both and 16.0 or 8.0) * row.size / (rate * (old and 1048576 or rate_unit)) * 1e6
        value = sharpen(value, digit * unit, better, digit / rate)
    end
    any = true
    if row.exact then
        add_time(row.size, row.times, value)
    else
        notice("skipped: the size %d is rounded; np.out, the file of results, has it exactly", row.size)
    end
    row = nil
end

-- " 12:      27 bytes 472904 times" or " 56:   4.093 KB     521825 times"
local function begin_row(text)
    local found = words(text)
    local factor = #found == 5 and sizes[found[3]]
    if not factor then
        fail("found a row that begins '%.40s', expected a number, a size with unit and a number of times",
             found[1] or "")
    end
    local size, count = amount(found[2], "a size"), whole(found[4], "a number of times")
    if size * factor > 1e15 then
        fail("found size %.20s %.5s, expected less", found[2], found[3])
    end
    row = { size = math.tointeger(tonumber(string.format("%.0f", size * factor))), times = count,
            exact = factor <= 1e3, line = at() }
end

local function check_no_half()
    if row then
        fail_at(row.line, "found a row without result, expected a rate and a time: the log is truncated or the run crashed")
    end
end

local function read_line(line)
    local arrow, stop = line:find("-->", 1, true)
    if arrow then
        check_no_half()
        begin_row(line:sub(1, arrow - 1))
        if line:find("bps", stop + 1, true) then
            read_result(line:sub(stop + 1))
        end -- else cut off, or interleaved: then the result comes later
    elseif row and has(line, "bps") and has(line, " in ") then
        read_result(line)
    elseif has(line, "Streaming in one direction") then
        quantity, name = "message_gap", "NetPIPE stream"
    elseif has(line, "both directions") then
        quantity, name = "operation_time", "NetPIPE both ways"
    elseif has(line, "Start testing with") then
        set("version", "5")
    elseif has(line, "Now starting the main loop") then
        set("version", "3")
    elseif any and line ~= "" and not has(line, "Completed") then
        fail("found '%.60s', expected a row of results: the run may have crashed", line)
    end
end

local function read_file_row(line)
    local found = words(line)
    if #found == 0 then
        return
    elseif #found ~= 3 and #found ~= 5 then
        fail("found %d columns, expected 3 or 5", #found)
    end
    local size, rate, time = whole(found[1], "a size"), amount(found[2], "a rate"), amount(found[#found], "a time")
    local old = #found == 3
    local value = old and time * 1e6 or time
    if rate > 0 then
        value = sharpen(value, 0.005, 8.0 * size / (rate * (old and 1.048576 or 1e3)), (old and 0.0000005 or 0.0005) / rate)
    end
    add_time(quantity == "operation_time" and size // 2 or size, 0, value)
end

-- What a file of results is about: as the user says, or its name, or else a ping-pong.
local function choose_quantity()
    local known = { half_round_trip = "NetPIPE ping-pong", message_gap = "NetPIPE stream",
                    operation_time = "NetPIPE both ways" }
    local stream = not hints.quantity and has(hints.name, "stream")
    quantity = hints.quantity or (stream and "message_gap" or "half_round_trip")
    name = known[quantity]
    if not name then
        fail_at(0, "found --quantity %.40s for a file of results of NetPIPE, expected half_round_trip, message_gap " ..
                "(it streamed) or operation_time (both directions at once)", quantity)
    end
    if not hints.quantity then
        notice_at(0, "taken for a %s, as the file of results does not say%s; say otherwise with --quantity",
                  stream and "stream" or "ping-pong", stream and " and its name has 'stream'" or "")
    end
end

begin()
if is_file then
    choose_quantity()
end
for line in lines() do
    (is_file and read_file_row or read_line)(line)
end
check_no_half()
check_end()
