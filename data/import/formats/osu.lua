-- SPDX-License-Identifier: GPL-3.0-or-later
-- OSU Micro-Benchmarks, versions 5 to 7. A title "# OSU MPI Latency Test v7.4", comments, a line with the names of the columns,
-- rows. MB are 10^6 bytes. With -T there is a table for each type of data, with osu_mbw_mr -V a matrix: a row for each
-- size, a column for each window. Where memory of GPUs is used, between two processes a line says from which memory to
-- which, else the title: "MPI-CUDA".
local most_columns = 24

-- What stands between "OSU MPI " and " Test": the program; how many processes it has, 0: it does not say; and the
-- quantity of its times.
local benchmarks = {
    ["Latency"] = { "osu_latency", 2, "half_round_trip" },
    ["Latency Persistent"] = { "osu_latency_persistent", 2, "half_round_trip" },
    ["Multi Latency"] = { "osu_multi_lat", 0, "half_round_trip" },
    ["Multi-threaded Latency"] = { "osu_latency_mt", 2, "half_round_trip" },
    ["Multi-process Latency"] = { "osu_latency_mp", 0, "half_round_trip" },
    ["Bandwidth"] = { "osu_bw", 2 },
    ["Bi-Directional Bandwidth"] = { "osu_bibw", 2 },
    ["Bandwidth Persistent"] = { "osu_bw_persistent", 2 },
    ["Bi-Directional Bandwidth Persistent"] = { "osu_bibw_persistent", 2 },
    ["Multiple Bandwidth / Message Rate"] = { "osu_mbw_mr", 0 },
    ["Allgather Latency"] = { "osu_allgather", 0 },
    ["Allgatherv Latency"] = { "osu_allgatherv", 0 },
    ["All-to-All Personalized Exchange Latency"] = { "osu_alltoall", 0 },
    ["All-to-Allv Personalized Exchange Latency"] = { "osu_alltoallv", 0 },
    ["All-to-Allw Personalized Exchange Latency"] = { "osu_alltoallw", 0 },
    ["Barrier Latency"] = { "osu_barrier", 0 },
    ["Allreduce Latency"] = { "osu_allreduce", 0 },
    ["Broadcast Latency"] = { "osu_bcast", 0 },
    ["Gather Latency"] = { "osu_gather", 0 },
    ["Gatherv Latency"] = { "osu_gatherv", 0 },
    ["Reduce Latency"] = { "osu_reduce", 0 },
    ["Reduce_scatter Latency"] = { "osu_reduce_scatter", 0 },
    ["Reduce_scatter_block Latency"] = { "osu_reduce_scatter_block", 0 },
    ["Scatter Latency"] = { "osu_scatter", 0 },
    ["Scatterv Latency"] = { "osu_scatterv", 0 },
    ["MPI_Put Latency"] = { "osu_put_latency", 2 },
    ["MPI_Get latency"] = { "osu_get_latency", 2 },
    ["MPI_Put Bandwidth"] = { "osu_put_bw", 2 },
    ["MPI_Get Bandwidth"] = { "osu_get_bw", 2 },
    ["MPI_Put Bi-directional Bandwidth"] = { "osu_put_bibw", 2 },
    ["MPI_Fetch_and_op latency"] = { "osu_fop_latency", 2 },
}

local name -- nil: there was no title yet
local latency, bandwidth, processes, window
local data_type, memory -- "" for char, and where host's
local matrix, matrix_factor -- quantity of a matrix; nil: none
local columns, tails -- of the table, nil: none yet; how many percentiles -z announced
local rows, table_line
local told_window, told_processes = false, false

local function end_table()
    if columns and rows == 0 then
        fail_at(table_line, "found a table without rows, expected results: the run may have crashed")
    end
    columns, rows = nil, 0
end

-- "MPI-CUDA Bandwidth Test v5.3"
local function read_title(title)
    local stop = title:find(" Test", 1, true) or title:find(" test", 1, true)
    local version = title:find(" v", 1, true)
    if not stop or not version then
        fail("found '%.80s', expected the name of a test and its version", title)
    end
    set("version", copy(title:sub(version + 2), 63):match("^[^ ]*"))
    local accelerator, first = "", 1
    local library = title:match("^MPI[^ ]*") -- "MPI", "MPI-CUDA", "MPI-ROCM"
    if library and library:sub(4, 4) ~= "_" then
        accelerator = library:sub(4, 4) == "-" and library:sub(5, 39) or ""
        first = #library + (title:sub(#library + 1, #library + 1) == " " and 2 or 1)
    end
    local test = title:sub(first, stop - 1):sub(1, 79)
    local known = benchmarks[test] or {}
    name = known[1] or copy("OSU " .. test, 95)
    latency = known[3] or "operation_time"
    bandwidth = has(test, "irectional") and "transfer_rate_both_ways" or "transfer_rate"
    processes = known[2] or 0
    window, matrix, data_type = 0, nil, ""
    memory = processes == 0 and latency == "operation_time" and accelerator or ""
    end_table()
end

-- "DEVICE (D) and Receive Buffer on HOST (H)"
local function read_memory(sender)
    local _, stop = sender:find(" and Receive Buffer on ", 1, true)
    if stop then
        local text = sender:match("^[^ ]*") .. " to " .. sender:sub(stop + 1):match("^[^ ]*")
        memory = copy(text:sub(1, 39):lower(), 39)
        memory = memory == "host to host" and "" or memory
    end
end

-- "[ pairs: 2 ] [ window size: 64 ]"
local function read_brackets(line)
    local _, pairs_end = line:find("pairs:", 1, true)
    local _, window_end = line:find("window size:", 1, true)
    if pairs_end then
        local count = leading(line:sub(pairs_end + 1))
        if count < 1 or count > 100000000 then
            fail("found '%.60s', expected 1 to %d pairs", line, 100000000)
        end
        processes = 2 * count
    end
    window = window_end and leading(line:sub(window_end + 1)) or window
end

local function column_of(title)
    local rate = has(title, "MB/s")
    local is_number = rate or has(title, "Lat") and has(title, "(us)")
    local median, tail = title:sub(1, 4) == "P50 ", is_number and title:find("^P%d") ~= nil
    if tail then
        tails = tails + 1
    end
    if title == "Size" then
        return "size"
    elseif title == "Iterations" then
        return "times"
    elseif title == "Validation" then
        return "defects"
    elseif not is_number and title ~= "Messages/s" then
        return false
    end
    return { window = window, factor = is_number and 1 or 1e-6,
             quantity = not is_number and "message_rate" or rate and bandwidth or latency,
             statistic = not is_number and "mean" or title:find("^Min") and "min" or title:find("^Max") and "max" or
                 median and "median" or tail and "percentile" or "mean",
             -- "P99" of the name, what data there are, and where they are
             variant = join(data_type, memory, tail and not median and title:match("^[^ ]*") or "") }
end

local function begin_table()
    table_line = at()
    begin()
    local unknown = false
    for _, c in ipairs(columns) do
        if type(c) == "table" and has(c.quantity, "rate") and c.window == 0 then
            c.window = hints.window
            unknown = unknown or c.window == 0
        end
    end
    if unknown and not told_window then
        told_window = true
        notice_at(table_line, "%s does not say its window (64 unless it was run with -W): give it with --window", name)
    end
    if processes == 0 and hints.processes == 0 and not told_processes then
        told_processes = true
        notice_at(table_line, "%s does not say how many processes there were: give it with --processes", name)
    end
    columns = #columns > 0 and columns or nil
end

-- Names are at least two blanks apart; they may have one inside.
local function read_names(line)
    end_table()
    columns, tails = {}, 0
    local from = 1
    while from <= #line and #columns < most_columns do
        local stop, last = line:find("  +", from)
        local title = line:sub(from, (stop or #line + 1) - 1)
        columns[#columns + 1] = column_of(title)
        if not columns[#columns] then
            notice("column '%.40s' is not imported", title)
        end
        from = (last or #line) + 1
    end
    begin_table()
end

-- The line with the windows of a matrix.
local function read_windows(line)
    end_table()
    local found = words(line)
    if #found + 1 > most_columns then
        fail("found %d windows, expected fewer", #found)
    end
    columns, tails = { "size" }, 0
    for i, word in ipairs(found) do
        columns[i + 1] = { quantity = matrix, factor = matrix_factor, variant = join(data_type, memory),
                           window = whole(word, "a window") }
    end
    begin_table()
end

local function read_comment(line)
    local title = after(line, "# OSU ")
    if title then
        return read_title(title)
    elseif not name then
        return
    end
    local rest, of_data, sender = line:match("^# *(.*)"), after(line, "# Datatype:"), after(line, "# Send Buffer on")
    if of_data then
        data_type = of_data == "MPI_CHAR." and "" or copy(of_data, 39):match("^[^.]*")
    elseif sender then
        read_memory(sender)
    elseif line:find("^# %[") then
        read_brackets(line)
    elseif line:find("^# Uni%-directional Bandwidth %(MB/s") then
        matrix, matrix_factor = "transfer_rate", 1
        end_table()
    elseif line:find("^# Message Rate Profile") then
        matrix, matrix_factor = "message_rate", 1e-6
        end_table()
    elseif matrix and rest:find("^[%d ]+$") then
        read_windows(rest)
    elseif line:find("^# Size ") or has(line, "(us)") and has(line, "Lat") then
        read_names(rest)
    end
end

-- osu_multi_lat -z announces percentiles and prints none (7.4).
local function drop_tails()
    local kept = {}
    for _, c in ipairs(columns) do
        if type(c) ~= "table" or c.statistic == "mean" then
            kept[#kept + 1] = c
        end
    end
    columns, tails = kept, 0
    notice("%s announces percentiles and prints none: there are only its means", name)
end

local function read_row(line)
    if is_remark(line) then
        return skip_remark(shown(line))
    end
    if not columns or not line:find("^[ \t]*%d") then
        fail("found '%s', expected a row of results: the run may have crashed", shown(line))
    end
    if rows == 0 and tails > 0 and #words(line) + tails == #columns then
        drop_tails()
    end
    rows = rows + 1
    add_row(line, columns, { benchmark = name, processes = processes })
end

for line in lines() do
    if line:sub(1, 1) == "#" then
        read_comment(line)
    elseif line ~= "" and name then -- before: what mpirun has to say
        read_row(line)
    end
end
if not name then
    fail("found no line that begins '# OSU ', expected the title of a test")
end
end_table()
check_end()
