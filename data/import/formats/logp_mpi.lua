-- SPDX-License-Identifier: GPL-3.0-or-later
-- logp_mpi, parameterized LogP: o_s, o_r and g as functions of the size, in seconds with seven decimals (steps of 0.1 us).
--
--   its file      "# LogP network performance data", "# Latency = 0.0000001", then time of day, bytes, os, os_min,
--                 os_cnfint, or, or_min, or_cnfint, g
--   it prints     "0:     128: os 0.0000001 [72] or 0.0000003 [12]  g 0.0000002 or > g!" where sizes come as they are
--                 refined; lines "0:+" compare with neighbours
local is_file = ... == 1

local function seconds(quantity, statistic)
    return { quantity = quantity, statistic = statistic, factor = 1e6 }
end

-- The column after next is the half width, of which rounding may have left 0.
local function mean_seconds(quantity)
    return { quantity = quantity, factor = 1e6, half_width = 2 }
end

local columns = { false, "size", mean_seconds("send_time"), seconds("send_time", "min"), false,
                  mean_seconds("receive_time"), seconds("receive_time", "min"), false,
                  seconds("message_gap") }
local printed = { "size", seconds("send_time"), seconds("receive_time"), seconds("message_gap") }
local key = { benchmark = "logp_mpi", processes = 2 }

local function read_file_row(line)
    local latency = after(line, "# Latency =")
    if latency then
        local value = number(latency, "a time in seconds")
        if value < 0 then
            fail("found %.40s, expected a time of 0 or more", latency)
        end
        add { quantity = "plogp_latency", benchmark = "logp_mpi", processes = 2, value = value * 1e6 }
    elseif line ~= "" and line:sub(1, 1) ~= "#" then
        add_row(line, columns, key)
    end
end

local any = false

local function read_printed(line)
    local rest = line:match("^%d*:(.*)")
    if not rest then
        if line ~= "" and any and not line:find("^Clock overhead is") then
            fail("found '%.60s', expected results: the run may have crashed", line)
        end
        return
    end
    local size, row = rest:match("^ *(%d+):(.*)")
    if not size then
        return -- what it is doing
    end
    local found, values = words(row), {}
    for i = 1, #found - 1 do
        values[found[i]] = values[found[i]] or found[i + 1]
    end
    if not (values.os and values["or"] and values.g) then
        fail("found a row without os, or or g, expected all three: the log may be truncated")
    end
    any = true
    add_values({ size, values.os, values["or"], values.g }, printed, key)
end

set("any_order", not is_file)
begin()
for line in lines() do
    (is_file and read_file_row or read_printed)(line)
end
check_end()
