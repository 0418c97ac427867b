-- SPDX-License-Identifier: GPL-3.0-or-later
-- ucx_perftest, a run of one test. A head in boxes, then rows: number of iterations, time (a percentile, average since the last
-- row, overall), bandwidth (average, overall; MB are 2^20 bytes), message rate (average, overall). From 1.10 on the last
-- one begins with "Final:" and those before with "[thread 0]"; with -f there is only the last, without that word; with -v
-- comes CSV. Times of latency tests are half round trips; those of bandwidth tests ("overhead") are times per message.
-- The client prints neither the size nor, as CSV, the kind of test; the size is what bandwidth over rate gives.
local is_csv = ... == 1
local csv_title = "_percentile_lat,avg_lat,overall_lat"

local quantity -- of the times; nil: not seen
local percentile, test, api = "", "", "" -- "50.0", as the head says
local told_size, window = nil, 0 -- that the head tells; nil, 0: it does not
local staged, final = false, false -- rows say what they are
local rows = {} -- of eight numbers each

-- ---- the size

-- The size of which bandwidth, rate and time tell: what all of them, as rounded, allow.
local function find_size(line, numbers, told)
    local bandwidth, rate, time, unit = numbers[6], numbers[8], numbers[4], 1048576.0
    local least = math.max(bandwidth - 0.005, 0.0)
    local low, high = least * unit / (rate + 0.5), rate > 0.5 and (bandwidth + 0.005) * unit / (rate - 0.5) or 1e18
    -- Beside the rounding, the numbers were seen to disagree by 1e-6.
    low = math.max(low, least * unit * 1e-6 * math.max(time - 0.0005, 0.0)) * (1 - 4e-6)
    high = math.min(high, (bandwidth + 0.005) * unit * 1e-6 * (time + 0.0005)) * (1 + 4e-6)
    if not (high >= low) or not (high < 9e15) then
        fail_at(line, "found a bandwidth, a message rate and a time that contradict each other, expected them to agree on " ..
                "a size")
    end
    if told then
        if told < low or told > high then
            fail_at(line, "found results of messages of %.8g to %.8g bytes, expected the size %d", low, high, told)
        end
        return told
    end
    if math.floor(high) == math.ceil(low) then
        return math.ceil(low)
    end
    local power = 1
    while power < low do
        power = power * 2
    end
    if power > high then
        fail_at(line, "found a size of %.8g to %.8g bytes, which is all that the log tells, expected --size", low, high)
    end
    notice_at(line, "the log tells a size of %.0f to %.0f bytes; taken for %.0f", low, high, power)
    return power
end

-- ---- the log

-- "| Test:         tag match latency      |": what follows the name; nil: it is another line.
local function head(line, name, most)
    local rest = after(line, "|")
    rest = rest and after(rest, name)
    if rest and rest:sub(1, 1) ~= "|" then
        return copy(rest:match("^[^|]*"):sub(1, 127), most)
    end
end

local function read_box(line)
    if has(line, "latency (usec)") then
        quantity = "half_round_trip"
    elseif has(line, "overhead (usec)") then
        quantity = "message_gap"
    end
    local percent = line:find("%ile", 1, true)
    if percent then
        local first = percent
        while first > 1 and line:find("^[%d.]", first - 1) do
            first = first - 1
        end
        percentile = line:sub(first, percent - 1):sub(1, 15)
    elseif has(line, "typical") then -- until 1.8: the median
        percentile = "50.0"
    end
    staged = staged or has(line, "Stage")
    test, api = head(line, "Test:", 79) or test, head(line, "API:", 39) or api
    local size, said = head(line, "Message size:", 31), head(line, "Window size:", 31)
    told_size = size and leading(size) or told_size
    window = said and leading(said) or window
end

-- -N writes 14879666 as 14,879,666 where the locale has it so.
local function without_separators(word)
    local digits = word:gsub(",(%d%d%d)%f[^%d]", "%1")
    return word:find("^%d%d?%d?,[%d,]*$") and not has(digits, ",") and digits or word
end

local function read_row(found, from)
    if #found - from ~= 7 then
        fail("found %d numbers, expected 8: the log may be truncated", #found - from + 1)
    end
    local row = { line = at() }
    for i = 1, 8 do
        local word = found[from + i - 1]
        row[i] = amount((i == 1 or i >= 7) and without_separators(word) or word, "a number")
    end
    rows[#rows + 1] = row
end

local function read_line(line)
    if line:find("^[+|]") or line == "" then
        return read_box(line)
    end
    local found = words(line)
    if final then
        fail("found '%s', expected nothing after the final row: one run a file", shown(line))
    elseif found[1] == "Final:" then
        final = true
        read_row(found, 2)
    elseif found[1] == "[thread" and #found > 2 then
        read_row(found, 3)
    elseif quantity and found[1]:find("^%d") then
        read_row(found, 1)
    elseif quantity then -- before: messages of UCX itself
        fail("found '%s', expected a row of results: the run may have crashed", shown(line))
    end
end

local function read_csv(line)
    local title = line:find(csv_title, 1, true)
    if title then
        percentile = ("," .. line:sub(1, title - 1)):match("^.*,(.*)"):sub(1, 15)
    elseif line ~= "" then
        local found = {}
        for word in (line .. ","):gmatch("([^,]*),") do
            found[#found + 1] = word
        end
        read_row(found, 1)
    end
end

-- CSV says neither latency nor bandwidth; the user, or the name of the file, may.
local function guess_quantity()
    local wanted, latency, bandwidth = hints.quantity, has(hints.name, "lat"), has(hints.name, "bw")
    if wanted == "half_round_trip" or wanted == "message_gap" then
        return wanted
    end
    if wanted or latency == bandwidth then
        fail_at(1, "found CSV of ucx_perftest, which does not say what the test was, expected --quantity half_round_trip " ..
                "for a latency test or --quantity message_gap for one of bandwidth")
    end
    notice_at(0, "taken for a %s test because of the name of the file", latency and "latency" or "bandwidth")
    return latency and "half_round_trip" or "message_gap"
end

local function add_value(row, of, statistic, variant, value, size, iterations)
    local name = test ~= "" and test .. (api ~= "" and ", " .. api or "") or
        (quantity == "half_round_trip" and "latency" or "bandwidth")
    add { quantity = of, statistic = statistic, benchmark = "ucx_perftest " .. name, variant = variant,
          window = quantity ~= "message_gap" and 0 or window ~= 0 and window or hints.window, processes = 2,
          value = value, size = size, iterations = iterations < 9e15 and math.tointeger(iterations // 1) or 0,
          line = row.line }
end

-- The time per message, with the digits that the rate has where it says the same.
local function sharper(time, rate)
    local better = rate > 0 and 1e6 / rate or 0
    return math.abs(better - time) <= 0.000501 and 0.5 * better < 0.0005 * rate and better or time
end

local function add_all()
    if #rows == 0 or staged and not final then
        fail("found the end of the file, expected the final row: the log is truncated or the run crashed")
    end
    local last = rows[#rows]
    quantity = quantity or guess_quantity()
    local size = find_size(last.line, last, told_size or hints.size)
    local median = percentile:sub(1, 4) == "50.0"
    add_value(last, quantity, median and "median" or "percentile", median and "" or "P" .. percentile, last[2], size, last[1])
    add_value(last, quantity, "mean", nil, sharper(last[4], last[8]), size, last[1])
    if quantity == "message_gap" then
        add_value(last, "transfer_rate", "mean", nil, last[6] * 1.048576, size, last[1])
        add_value(last, "message_rate", "mean", nil, last[8] / 1e6, size, last[1])
    end
    local before = 0
    for _, row in ipairs(#rows > 1 and rows or {}) do -- the averages of the parts of the run
        begin() -- each is a run with this size
        if row[1] <= before then
            fail_at(row.line, "found %.0f iterations after %.0f, expected more and more", row[1], before)
        end
        add_value(row, quantity, "mean", "part of a run", sharper(row[3], row[7]), size, row[1] - before)
        before = row[1]
    end
end

begin()
for line in lines() do
    (is_csv and read_csv or read_line)(line)
end
check_end()
add_all()
