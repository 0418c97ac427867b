-- SPDX-License-Identifier: GPL-3.0-or-later
-- fi_pingpong of libfabric:
--   bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec
--   64      100k    =100k    12m         0.06s    205.16       0.31       3.21
-- Sizes have suffixes of 1024, counts of 1000; MB are 10^6 bytes; usec/xfer is half a round trip, which MB/sec tells
-- with more digits.

-- "64", "1k", "1.5k": with powers of `base`; nil if it is none or not whole.
local function suffixed(word, base)
    local power = #word > 1 and ("kmgt"):find(word:sub(-1), 1, true) or 0
    local number = parse(power > 0 and word:sub(1, -2) or word)
    if number and number >= 0 and number < 1e9 then
        local product = number * base ^ power
        return product < 9e15 and math.tointeger(product) or nil
    end
end

local function read_row(line)
    local found = words(line)
    if #found ~= 8 then
        fail("found '%s', expected 8 columns: the run may have crashed", shown(line))
    end
    local size = suffixed(found[1], 1024) or
        fail("found '%.40s', expected a whole number of bytes", found[1])
    local sent = suffixed(found[2], 1000) or
        fail("found '%.40s', expected a number of messages", found[2])
    local rate, time = amount(found[6], "a rate"), amount(found[7], "a time")
    if rate > 0 then
        time = sharpen(time, 0.005, size / rate, 0.005 / rate)
    end
    add { quantity = "half_round_trip", statistic = "mean", benchmark = "fi_pingpong",
          processes = 2, value = time, size = size, iterations = sent }
end

local table_begun = false
for line in lines() do
    if has(line, "#sent") and has(line, "usec/xfer") then
        table_begun = true
        begin()
    elseif table_begun and line ~= "" then
        read_row(line)
    end
end
check_end()
