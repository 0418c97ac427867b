-- SPDX-License-Identifier: GPL-3.0-or-later
-- Netgauge, patterns loggp and one_one.
--
--   loggp prints  " L=0.41 s=1 o_s=0.04 o_r=0.20 g=-nan G=-nan (-nan GiB/s) lsqu(g,G)=-nan"; its L is half the round trip
-- of a byte, its GiB/s are Gbit/s, and g and G, fitted to the sizes so far, can be negative and are missing in the first
-- rows. loggp's file  "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)", where PRTT(n,d,s)
-- is the time of n messages of s bytes, d us apart, until the one reply of s bytes is back. All times in us. one_one
-- prints "24 bytes -> 0.18 us == 935.29 Mbit/s", the least half round trip and the median rate; its file has minimum,
-- mean, median and maximum.
local pattern -- "loggp" or "one_one"; nil: not seen yet
local is_file, titled, any = false, false, false
local testing -- size whose result is to come
local missing = 0 -- values that are not there

local function column(quantity, statistic)
    return { quantity = quantity, statistic = statistic or "single" }
end

local function fitted(quantity)
    return { quantity = quantity, statistic = "single", may_lack = true }
end

local least = { "size", column("half_round_trip", "min") }

local function add_all(found, columns)
    any = true
    missing = missing + add_values(found, columns, { benchmark = "netgauge " .. pattern, processes = 2 })
end

-- "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2, threadlevel=0) (./netgauge -m mpi ... )" or
-- "## Netgauge v2.4.6 - mode mpi - 2 processes"
local function read_title(line)
    local _, stop = line:find("Netgauge v", 1, true)
    local version = line:sub(stop + 1)
    set("version", copy(version, 63):match("^[^ ]*"))
    titled = titled or copy(version, 63):match("^[^ ]") ~= nil
    local _, opened = version:find(") (", 1, true)
    if opened then
        local command = copy(version:sub(opened + 1), 255)
        set("command", command:match("^(.*)%)") or command)
    end
    if line:sub(1, 3) == "## " then
        pattern, is_file = "one_one", true
    end
end

local function read_loggp(line)
    local columns = { "size", column("send_time"), column("receive_time"), fitted("fitted_gap"),
                      fitted("fitted_gap_per_byte") }
    local found = {}
    for i, label in ipairs { "L=", " s=", "o_s=", "o_r=", " g=", " G=" } do
        local _, stop = line:find(label, 1, true)
        if not stop or not has(line, "lsqu(g,G)=") then
            fail("found a row without '%s', expected L, s, o_s, o_r, g, G and lsqu: the log is truncated",
                 after(label, " ") or label)
        end
        found[i] = line:match("^[^ \t]*", stop + 1)
    end
    local size = whole(found[2], "a size")
    if testing ~= size then
        fail("found the result of size %d, expected that of the test before it", size)
    end
    testing = nil
    if not any then -- that of a byte is the same in all rows
        add_all({ "1", found[1] }, least)
    end
    add_all({ table.unpack(found, 2) }, columns)
end

local function read_loggp_file(line)
    local found = words(line)
    if #found ~= 11 then
        fail("found %d columns, expected 11", #found)
    end
    local count, round_trip = whole(found[2], "a number of messages"), amount(found[3], "a time")
    if count < 2 then
        fail("found %s messages, expected 2 or more", found[2])
    end
    local one, burst, delayed = column("burst_round_trip"), column("burst_round_trip"), column("burst_round_trip")
    one.window, burst.window, delayed.window = 1, count, count
    delayed.delay_us, delayed.variant = round_trip, round_trip > 0 and "delayed" or nil
    add_all(found, { "size", false, one, burst, delayed, false, column("send_time"), column("receive_time"),
                     fitted("fitted_gap"), fitted("fitted_gap_per_byte") })
end

-- "24 bytes 	 -> 0.18 us 	 == 935.29 Mbit/s"
local function read_one_one(line)
    local found = words(line)
    if #found ~= 8 or found[2] ~= "bytes" or found[5] ~= "us" then
        fail("found a row of %d words, expected a size in bytes, a time in us and a rate", #found)
    end
    add_all({ found[1], found[4] }, least)
end

-- "A - B C D E (F G) - H I J K (L M) - N O P Q": send times B to E, half round trips H to K.
local function read_one_one_file(line)
    local found = words(line)
    if #found ~= 20 or found[2] ~= "-" or found[9] ~= "-" then
        fail("found %d words, expected the 17 numbers of pattern one_one", #found)
    end
    local values, columns = { found[1] }, { "size" }
    for i, statistic in ipairs { "min", "mean", "median", "max" } do
        values[2 * i], values[2 * i + 1] = found[2 + i], found[9 + i]
        columns[2 * i], columns[2 * i + 1] = column("send_time", statistic), column("half_round_trip", statistic)
    end
    add_all(values, columns)
end

local function read_row(line)
    local first, tested = line:match("^ *(.*)"), after(line, "Testing ")
    if is_file and pattern then
        (pattern == "loggp" and read_loggp_file or read_one_one_file)(line)
    elseif tested and not testing then
        pattern = "loggp"
        testing = whole(tested:match("^[^ ]*"):sub(1, 23), "a size")
    elseif first:sub(1, 2) == "L=" then
        pattern = "loggp"
        read_loggp(line)
    elseif has(line, " bytes ") and has(line, "->") then
        pattern = "one_one"
        read_one_one(line)
    elseif titled then -- before: what mpirun has to say
        fail("found '%.60s', expected a row of results: the run may have crashed", first)
    end
end

begin()
for line in lines() do
    if line:sub(1, 1) ~= "#" then
        if line ~= "" then
            read_row(line)
        end
    elseif has(line, "Netgauge v") then
        read_title(line)
        begin()
    elseif line:find("^# size n PRTT") then
        pattern, is_file = "loggp", true
        begin()
    end
end
if testing then
    fail("found no result for size %d, expected one: the log is truncated or the run crashed", testing)
end
if missing > 0 then
    notice_at(0, "skipped %d values of g and G that the tool itself marks as missing (nan)", missing)
end
check_end()
