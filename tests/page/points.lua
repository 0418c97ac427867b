-- Thousand points for the comparison of the browser's engine with the program's: all kinds of demand and
-- mapping, sizes from 1 to some hundred, coupling and phases. Fractions are multiples of 1/1024, so that
-- the decimals of the CSV are exact.

local state = 20261121
local function random(least, most) -- a whole number; minimal standard generator
  state = state * 48271 % 2147483647
  return least + state % (most - least + 1)
end
local function fraction(least, most)
  return random(least, most) / 1024
end

local kinds = { "independent", "correlated", "scheduled", "gang" }
local list = {}
for i = 1, 1000 do
  local P, N = random(1, 12) ^ 2 // 1 | 0, random(1, 16)
  if P < 1 then P = 1 end
  local kind = kinds[i % 4 + 1]
  local point = {
    title = "point " .. i,
    processors = P,
    nics = N,
    utilization = fraction(0, 1024),
    demand = kind,
    mapping = i % 3 == 0 and "static" or "pooled",
  }
  if kind == "gang" then point.demand = "gang:" .. 1 + (P - 1) * random(0, 8) / 8 end
  if i % 3 ~= 0 and i % 2 == 0 then point.max_nics_per_processor = 1 + fraction(0, 3072) end
  if i % 5 < 2 then
    point.remote_fraction = fraction(0, 1024)
    point.cost_ratio = fraction(0, 1536)
  end
  if i % 7 == 0 then point.memory_penalty = fraction(900, 1300) end
  if i % 11 == 0 and i % 5 < 2 then point.waiting_fraction = fraction(0, 900) end
  if i % 13 == 0 and i % 3 ~= 0 then
    point.memory_share = fraction(1, 1024)
    point.memory_feeds = 1 + fraction(0, 4096)
  end
  if kind == "independent" and i % 8 == 4 then point.phase_cycles = fraction(100, 20480) end
  list[#list + 1] = scenario(point)
end
return list
