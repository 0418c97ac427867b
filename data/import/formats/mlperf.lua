-- SPDX-License-Identifier: GPL-3.0-or-later
-- MLPerf Training (MLCommons): the log of a run, lines of JSON
--   :::MLLOG {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": "global_batch_size", "value": 3264, ...}
-- between whatever else is printed, and the description of its system, a JSON file (mark 2; often with a comma or bracket
-- amiss, so it is read line by line). Of a run the time of a step is taken: samples of a step over the median of the rates
-- that it told, an epoch each; the first epochs are slower, and how many it needs is chance.
local described = ... == 2

-- ---- the system

local fields = {
    number_of_nodes = "nodes", accelerators_per_node = "accelerators", accelerator_model_name = "model",
    host_networking = "network",
}

-- Rates of names that stand for one, Gb/s; the longer ones first.
local generations = { { "HDR100", 100 }, { "FDR", 56 }, { "EDR", 100 }, { "HDR", 200 }, { "NDR", 400 }, { "XDR", 800 } }

-- Gb/s that are said with a unit, or by a name; nil: neither.
local function link_rate(text)
    local upper = text:upper()
    local at = upper:find("GB", 1, true)
    while at do
        local from, unit = at, upper:sub(at, at + 3)
        while upper:sub(from - 1, from - 1) == " " do
            from = from - 1
        end
        local last = from - 1
        while upper:sub(from - 1, from - 1):find("^%d") do
            from = from - 1
        end
        local rate = parse(upper:sub(from, last))
        if rate and rate >= 1 and rate <= 10000 then
            -- GB/s are bytes.
            return text:sub(at + 1, at + 1) == "B" and unit == "GB/S" and 8 * rate or rate
        end
        at = upper:find("GB", at + 1, true)
    end
    for _, generation in ipairs(generations) do
        if upper:find(generation[1], 1, true) then
            return generation[2]
        end
    end
end

local function read_system()
    local found = {}
    for line in lines() do
        local name, value = line:match('^[ \t]*"([%w_%-]*)"[ \t]*:[ \t]*"([^"]*)"')
        if name and fields[name] then
            found[fields[name]] = { text = value, line = at() }
        end
    end
    local accelerators, network = found.accelerators, found.network
    if not accelerators or not network then
        fail_at(0, "found no accelerators_per_node and host_networking, expected the description of a system")
    end
    local each = leading(accelerators.text)
    if each < 1 or each > 100000 then
        fail_at(accelerators.line, "found '%.40s' accelerators in a node, expected a number of 1 or more", accelerators.text)
    end
    local nodes = found.nodes and leading(found.nodes.text) or 0
    local nics, name = network.text:match("^(%d%d?%d?)[ \t]*[xX][ \t]*(.*)")
    set("processors", each)
    set("nodes", nodes <= 100000000 and nodes or 0)
    begin()
    -- The variant says of which kind: nodes of another kind are other nodes.
    add { quantity = "processors_per_node", benchmark = "MLPerf system", variant = copy(found.model and found.model.text or "", 63),
          value = each, line = accelerators.line }
    if nics then
        set("nics", leading(nics))
    else
        notice_at(network.line, "found '%.80s', which does not begin with a number of NICs ('2x ...'): --nics says it", network.text)
    end
    local rate = link_rate(network.text)
    if rate then
        -- Of other NICs the variant is another.
        add { quantity = "nic_bandwidth", statistic = "max", benchmark = "MLPerf system", variant = copy(name or network.text, 100),
              value = 125 * rate, line = network.line }
    else
        notice_at(network.line, "found '%.80s', of which no rate of a link is known: nothing is predicted behind these NICs " ..
                  "without nic_bandwidth", network.text)
    end
end

-- ---- a run

-- Parameters whose gradients are added in each step, and bytes of one: of the reference models of MLPerf Training.
local gradients = {
    resnet = { 25557032, 2 },   -- ResNet-50 v1.5, as in torchvision; half precision
    bert = { 336226108, 2 },    -- BERT large with its two heads, as in Hugging Face's transformers
    maskrcnn = { 44401393, 2 }, -- ResNet-50 with FPN, as in torchvision
}

-- What follows "key": of a line; nil: it has none.
local function value_of(line, key)
    local _, last = line:find('"' .. key .. '":', 1, true)
    return last and line:sub(last + 1):match("^[ \t]*(.*)")
end

local function text_of(line, key)
    local value = value_of(line, key)
    return value and value:match('^"([^"]*)"')
end

local function number_of(line, key, what)
    local value = value_of(line, key)
    local word = value and value:match("^[%d.eE+%-]+")
    if not word or #word > 40 then
        fail("found no number as %s, expected %s", key, what)
    end
    return amount(word, what)
end

local rates, run = {}, {}
local counts = { global_batch_size = "batch", d_batch_size = "each", gradient_accumulation_steps = "times" }

local function read_line(line)
    local key = text_of(line, "key")
    if key == "submission_benchmark" then
        run.benchmark = text_of(line, "value")
    elseif counts[key] then
        run[counts[key]] = number_of(line, "value", "a number of samples")
    elseif key == "run_stop" then
        run.done = true -- successful or not: the rates are what they are
    elseif key == "tracked_stats" then
        local name = value_of(line, "throughput") and "throughput" or value_of(line, "imgs_sec") and "imgs_sec"
        if name then
            if #rates == 100000 then
                fail("found more than %d rates of a run, expected fewer", #rates)
            end
            rates[#rates + 1] = number_of(line, name, "a rate")
        end
    end
end

local function check_run()
    if not run.done then
        fail_at(0, "found the end of the file, expected 'run_stop': the run is not at its end, was stopped, or has crashed")
    end
    if not run.benchmark or run.benchmark == "" then
        fail_at(0, "found no submission_benchmark, expected what was run")
    end
    if not run.batch or not (run.batch >= 1) then
        fail_at(0, "found no global_batch_size, expected the samples of a step")
    end
    table.sort(rates)
    if #rates == 0 or not (rates[1] > 0) then
        fail_at(0, "found no rates of samples (tracked_stats with throughput), expected one of each epoch")
    end
end

local function read_run()
    for line in lines() do
        if line:sub(1, 9) == ":::MLLOG " then
            read_line(line)
        end
    end
    check_end()
    check_run()
    local middle = #rates // 2
    local rate = #rates % 2 == 1 and rates[middle + 1] or (rates[middle] + rates[middle + 1]) / 2
    local each = run.each and run.each * math.max(run.times or 1, 1)
    local processes = each and each > 0 and math.tointeger(run.batch / each) or hints.processes
    local share = gradients[run.benchmark]
    set("application", copy("MLPerf " .. run.benchmark, 100))
    begin()
    local function put(quantity, value, size)
        add { quantity = quantity, benchmark = "MLPerf", processes = processes, of_application = true, value = value,
              size = size, line = 1 }
    end
    put("step_time", 1e6 * run.batch / rate)
    put("samples_per_step", run.batch)
    if share then
        put("reduction_count", 1, share[1] * share[2])
    else
        notice_at(0, "how many bytes of gradients a step of '%.60s' adds up is not known: reduction_count of the " ..
                  "application says it", run.benchmark)
    end
    if processes == 0 then
        notice_at(0, "the log does not say how many processes there were: give it with --processes")
    end
end

if described then
    read_system()
else
    read_run()
end
