-- SPDX-License-Identifier: GPL-3.0-or-later
-- perftest (ib_send_lat, ib_write_bw, ...), linux-rdma/perftest. A title "RDMA_Write Bidirectional BW Test", what was set, then
--   #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec] ...
--   #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
-- MB are 2^20 bytes, as later versions say (MiB); with --report_gbits "Gb/sec" are 10^9 bits. Times are half a round trip, of
-- reads and atomic operations all of it (rtt_factor in perftest_parameters.c). With two ports there are columns for each.

local verbs = { Send = "ib_send", Send_imm = "ib_send", RDMA_Write = "ib_write", RDMA_Write_imm = "ib_write",
                RDMA_Read = "ib_read", Atomic = "ib_atomic" }
local factors = { ["[MB/sec]"] = 1.048576, ["[MiB/sec]"] = 1.048576, ["[Gb/sec]"] = 125 }
local verb, latency, both_ways
local depth, queues = 0, ""
local columns

local function column_of(title)
    local name, unit = title:match("^([^%[]*)(.*)")
    if name == "#bytes" then
        return "size"
    elseif name == "#iterations" then
        return "times"
    elseif name == "average" and factors[unit] then
        return { quantity = both_ways and "transfer_rate_both_ways" or "transfer_rate", factor = factors[unit],
                 window = depth, variant = queues }
    elseif title == "MsgRate[Mpps]" then
        return { quantity = "message_rate", window = depth, variant = queues }
    elseif name:find("^t_") or name:find("%%") then
        local statistic = name == "t_min" and "min" or name == "t_max" and "max" or name == "t_avg" and "mean" or
            name == "t_typical" and "median" or name:find("%%") and "percentile"
        return statistic and { quantity = latency, statistic = statistic,
                               variant = join(queues, statistic == "percentile" and "P" .. name:match("^[%d.]*") or "") } or false
    end
    return false
end

local function begin_table(line)
    line = line:gsub("BW ", ""):gsub("tps average", "tps"):gsub("%% percentile", "%%")
    columns = words(line)
    for i, title in ipairs(columns) do
        columns[i] = column_of(title)
    end
    begin()
end

for line in lines() do
    local text = after(line, "") or line
    local title = text:match("^(.*) Test$")
    local name = title and title:match("^[^ ]*")
    if name and verbs[name] then
        verb, columns = verbs[name], nil
        latency = (verb == "ib_read" or verb == "ib_atomic") and "operation_time" or "half_round_trip"
        both_ways = has(title, "Bidirectional")
        verb = verb .. (has(title, "Latency") and "_lat" or "_bw")
        depth, queues = 0, ""
    elseif text:find("^#bytes") then
        if not verb then
            fail("found '%s', expected the name of a test before it", shown(text))
        end
        begin_table(text)
    elseif text:find("^TX depth") then
        depth = leading(text:match(":(.*)") or "")
    elseif text:find("^Number of qps") then
        local count = leading(text:match(":(.*)") or "")
        queues = count > 1 and count .. " queues" or ""
    elseif columns and text:find("^%d") then
        add_row(text, columns, { benchmark = verb, processes = 2 })
    elseif columns and text ~= "" and not text:find("^%-%-%-") and not is_remark(line) then
        fail("found '%s', expected a row of results: the run may have crashed", shown(line))
    end
end
check_end()
