# SPDX-License-Identifier: GPL-3.0-or-later
# --max-memory and --max-seconds hold for the whole command. Memory is refused before it is there: under a limit of the
# system that the refused thing would exceed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
sanitized && { pass "limits: sanitizers have memory of their own"; exit 0; }

# within KIB EXPECTED ARGUMENTS...: refused as input, with less memory than that.
within() {
    local size=$1 expected=$2
    shift 2
    (
        ulimit -d "$size"
        "$CLUMPMODEL" "$@" > out 2> err < /dev/null
    )
    status=$? ran=$*
    check "$*: exit code 2" exits 2
    check "$*: $expected" has err "$expected"
    check "$*: nothing on stdout" empty out
}

cat > node.lua << 'LUA'
return scenario { platform = platform { name = "node", nodes = 1, processors = 1, nics = 1,
  network = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0 }, shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 0 } } }
LUA
cat > rows.lua << 'LUA'
return scenario { processors = range(1, 9000), nics = range(1, 1000), utilization = 0.5 }
LUA
cat > one.lua << 'LUA'
return scenario { processors = 100000000, nics = 4, utilization = 0.5, efficiency = { 1, 0.9 } }
LUA
cat > simulated.lua << 'LUA'
return scenario { processors = 10000000, nics = 4, utilization = 0.5 }
LUA
cat > transient.lua << 'LUA'
return scenario { processors = 30000, nics = 4, utilization = 0.5, phase_cycles = { 0.88, 0.885, 0.89 } }
LUA
within 1200000 'larger than 256 MiB' simulate node.lua --schedule /dev/zero
within 200000 'larger than 64 MiB.*--max-memory' simulate node.lua --schedule /dev/zero --max-memory 64M
within 500000 'rows.lua:1: scenario: 9000000 rows take .* MiB' predict rows.lua
within 500000 'one.lua:1: .*out of memory.*more than the 268435456 bytes of --max-memory' predict one.lua --max-memory 256M
within 500000 'one.lua:1: .*out of memory.*more than the 268435456 bytes of --max-memory' explore one.lua --max-memory 256M --threads 1
within 500000 'out of memory.*more than the 268435456 bytes of --max-memory' simulate simulated.lua --max-memory 256M --threads 1
within 100000 'the scenario needs more than the 0.1 s allowed.*--max-seconds' predict transient.lua --max-seconds 0.1 --max-memory 8M
within 100000 'this row alone needs more than the 0.1 s allowed.*--max-seconds' explore transient.lua --max-seconds 0.1

# What nobody counts the system refuses: what becomes of a schedule in memory, draws, rows that are kept.
{
    printf 'num_ranks 1\nrank 0 {\n'
    seq 1 800000 | sed 's/.*/l&: calc 5/'
    echo '}'
} > large.goal
for command in 'simulate node.lua --schedule large.goal' 'explore rows.lua --format csv' \
    'explore simulated.lua --uncertain U=0.4:0.6 --draws 5000000'; do
    # shellcheck disable=SC2086 # words
    run $command --max-memory 14M --threads 1
    check "$command: exit code 2" exits 2
    check "$command: says which limit" has err 'more than the 14680064 bytes of --max-memory'
done
run simulate node.lua --schedule large.goal
check 'with the usual limit there is room for it' exits 0

# Collectives that are simulated, before their ranks and messages are there.
for nodes in 1000000 400; do
    cat > collective-$nodes.lua << LUA
return scenario { platform = platform { name = "p", processors = 64, nics = 4, nodes = $nodes, network = { L = 1, o_s = 1, o_r = 1, g = 1, G = 1e-4 },
  shared_memory = { L = 1, o_s = 1, o_r = 1, g = 1, G = 1e-4 } },
  application = application { name = "a", computation = 1, collectives = { collective { kind = "alltoall", bytes = 1e6, algorithm = "linear" } } } }
LUA
done
within 300000 'ranks: found 64000000, expected 1 to 4194304' simulate collective-1000000.lua
within 300000 'too many to be simulated within the memory allowed (--max-memory)' simulate collective-400.lua
