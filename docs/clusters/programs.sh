#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# programs.sh PROGRAM LOGS [--write]: the facts about programs in this folder, from the raw logs in the folder LOGS, as the
# importers of PROGRAM read them. Says which files differ (exit 1), or writes them. Nothing is transcribed by hand.
set -eu
LC_ALL=C
export LC_ALL
program=$1 logs=$2 write=${3:-}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_DATA_HOME=$work
export XDG_DATA_HOME
status=0

# take FILE... OPTION...: into the database of the set.
take() { "$program" import auto "$@" --db "$work/set.db" --quiet > /dev/null 2>> "$work/notices"; }

# place FILE: what was found is written there, or compared with it.
place() {
    if [ "$write" = --write ]; then
        cp "$work/facts" "$here/$1"
    elif ! cmp -s "$work/facts" "$here/$1"; then
        echo "$1 differs from what the importers read:"
        diff "$here/$1" "$work/facts" | head -n 20
        status=1
    fi
}

# facts FILE COLUMNS QUANTITIES [VARIANTS]: what is wanted of the database, with the files that it is from, after the lines of
# standard input. Both lists have commas; without VARIANTS any.
facts() {
    cat > "$work/facts"
    "$program" data export --db "$work/set.db" > "$work/all.csv"
    awk -v columns="$2" -v quantities="$3" -v variants="${4:-}" '
        function cut(line,   n, i, c, quoted, cell) {
            n = 1; cell = ""; quoted = 0
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                if (c == "," && !quoted) { field[n++] = cell; cell = ""; continue }
                cell = cell c
            }
            field[n] = cell
            return n
        }
        FNR == NR { path[$1] = $2; next }
        FNR == 1 { count = cut($0); for (i = 1; i <= count; i++) at[field[i]] = i
            wanted = split(columns, name, ","); print columns; next }
        { cut($0); if (index("," quantities ",", "," field[at["quantity"]] ",") == 0) next
            variant = field[at["variant"]]
            if (variants != "" && variant != "" && index("," variants ",", "," variant ",") == 0) next
            if (field[at["quantity"]] == "phase_calls" && variant !~ /^PME/) next # of GROMACS: how often it transposes
            if (!(field[at["source_sha256"]] in path)) next # of the reference data
            field[at["source"]] = path[field[at["source_sha256"]]]
            line = field[at[name[1]]]; for (i = 2; i <= wanted; i++) line = line "," field[at[name[i]]]
            print line }' "$work/paths" "$work/all.csv" >> "$work/facts"
    place "$1"
    rm -f "$work/set.db"
}

# Where each log is, by its digest.
(cd "$logs" && find mlperf-r750xa um6p alaska -type f -exec sha256sum {} +) | sed 's/  */ /' > "$work/paths"

for system in "$logs"/mlperf-r750xa/systems/*.json; do
    name=$(basename "$system" .json)
    # The file of eight nodes with two NICs says "1x"; their name, and those of two and four nodes, say 2.
    case $name in *-2opa) nics="--nics 2" ;; *) nics= ;; esac
    # shellcheck disable=SC2086
    take "$system" "$logs/mlperf-r750xa/results/$name"/*.txt --platform "$name" --transport nccl $nics
done
facts mlperf-r750xa.csv platform,application,transport,variant,quantity,statistic,benchmark,processes,size_bytes,value,unit,source,platform_nodes,platform_processors,platform_nics \
    step_time,samples_per_step,reduction_count,nic_bandwidth,processors_per_node << 'END'
# ResNet-50 (MLPerf Training 3.0, Dell) on 1 to 8 of the same nodes, with one and two Omni-Path NICs and with one of InfiniBand.
# mlcommons/training_results_v3.0, commit 63e326c4, Apache-2.0 licence. Written by programs.sh.
END

# What predicts GROMACS behind other NICs.
gromacs="execution_time,nodes_used,grid_points,processes_along,balanced_share,communicated_atoms,phase_time,phase_calls"
phases="force,PP x,PP y,PP z,PME x,PME y,PME z,Send X to PME,Comm. coord.,Force,Wait + Comm. F,PME mesh,Wait + Recv. PME F,NB X/F buffer ops."
phases="$phases,Comm. energies,PME redist. X/F,PME 3D-FFT Comm."
columns=platform,application,transport,variant,quantity,benchmark,processes,value,unit,source,platform_nodes,platform_processors,platform_nics,platform_mapping
for fabric in ib roce; do
    take "$logs"/alaska/$fabric-gcc9-openmpi4-ucx/gromacs/Gromacs_*/*.log --platform alaska-$fabric --transport openmpi \
        --nodes 16 --processors 32 --nics 1 --mapping pooled
done
facts alaska-gromacs.csv "$columns" "$gromacs" "$phases" << 'END'
# GROMACS on 1 to 16 nodes of 32 cores, three sizes, over 100 Gb/s InfiniBand and 25 Gb/s RoCE: times, and what predicts them.
# Measured on Alaska: ukri-excalibur/excalibur-tests, the parent of commit a1f66d46, Apache-2.0 licence; each was run once.
# Written by programs.sh.
END
for fabric in ib roce; do
    take "$logs"/um6p/$fabric-gcc9-ompi3-ucx/gromacs/*/*-atoms.log --platform um6p-$fabric --transport openmpi \
        --nodes 56 --processors 56 --nics 1 --mapping pooled
    take "$logs"/um6p/$fabric-gcc9-ompi3-ucx/openfoam/*/rfm_*_job.out --platform um6p-$fabric --transport openmpi
    take "$logs"/um6p/$fabric-gcc9-ompi3-ucx/omb-same-nics/Osu_b*/job.out --platform um6p-$fabric --transport openmpi
done
facts um6p-gromacs.csv "$columns,size_bytes,window" "$gromacs,transfer_rate,transfer_rate_both_ways" "$phases" << 'END'
# The same on 1 to 56 nodes of 56 cores, over 100 Gb/s InfiniBand and 50 Gb/s RoCE, OpenFOAM, and what one pair of processes reaches over both.
# Measured on UM6P: stackhpc/hpc-tests, commits a7c37c3 and c943a90, Apache-2.0 licence; each was run once. Written by programs.sh.
END

# Steps of LLM training, with what was run as variant. m: micro-batches of a copy; the rest as in MODEL.md 34. Of the machine what the simulator's
# own configuration says, 800 Gb/s between nodes and 150 GB/s within one, and the A100's 1,555 GB/s of memory.
{
    cat << 'END'
# Steps of training GPT models on 1 to 64 nodes of eight A100 and four HDR NICs: VIA-Research/vTrain f8dda847, MIT licence. Written by programs.sh.
platform,application,transport,variant,quantity,processes,value,unit,source,platform_nodes,platform_processors,platform_nics
vtrain,,,,nic_bandwidth,,25000,B/us,vtrain/config_val_175B_8_8_8_2.json,64,8,4
vtrain,,,,processor_bandwidth,,150000,B/us,vtrain/config_val_175B_8_8_8_2.json,64,8,4
vtrain,,,,memory_bandwidth,,1555000,B/us,NVIDIA A100 data sheet,64,8,4
END
    for name in single multi_half; do
        tail -n +2 "$logs/vtrain/ground_truth_$name.csv" | tr -d '\r' | awk -F, -v name="$name" '
            { o = name == "single" ? 0 : 1; N = $(1 + o); B = $(2 + o); b = $(3 + o); d = $(9 + o); p = $(10 + o)
                printf("vtrain,LLM,,t=%d p=%d d=%d B=%d m=%d h=%d a=%d l=%d s=%d V=51200 r=1,step_time,%d,%s,ms,vtrain/ground_truth_%s.csv,64,8,4\n",
                    $(8 + o), p, d, B, B / (d * b), $(4 + o), $(5 + o), $(6 + o), $(7 + o), N, $(11 + o), name) }'
    done
} > "$work/facts"
place vtrain.csv
exit $status
