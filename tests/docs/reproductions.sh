#!/bin/bash
# Run the rows of docs/reproductions.md that name a command of `clumpmodel run`, and compare what comes out with what
# the page shows, to the digits that it shows. Commands of docs/documents.md that compute something are run, too; they have to succeed.
#
# usage: reproductions.sh CLUMPMODEL [PATTERN...]
#
# A table counts by its header: columns "command" and "ours" (times; efficiencies; with a column "class" the messages of
# a class), or "command" and "over": numbers of columns stand for VALUE in the command, and the time is over that with
# the value of "over"; or a first column "run against l-sdma", whose others are protocols: time over that with l-sdma, on
# the Pentium Pro and on the Pentium III. With patterns only commands that match one of them.
set -uo pipefail
program=$(realpath "$1")
shift
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/jobs.sh"
patterns=("$@")

# Lines "command, quantity, column of the output, what the page shows, line number", separated by bars.
expected() {
    awk -F' *\\| *' '
        function command(text) { return match(text, /`clumpmodel run [^`]*`/) ? substr(text, RSTART + 16, RLENGTH - 17) : "" }
        function check(how, quantity, transport, shown) {
            if (how != "" && shown ~ /^[-+]?[0-9][0-9,.]*(%|$)/)
                printf "%s|%s|%s|%s|%d\n", how, quantity, transport, shown, NR
        }
        /^\|/ && !inside { delete at; for (i = 2; i < NF; i++) if (!($i in at)) at[$i] = i; inside = 1; kind = ""
            efficiency = $3 ~ /^Pentium Pro, printed/
            if ($2 == "run against l-sdma") kind = "protocols"
            else if (("command" in at) && ("over" in at)) kind = "strategies"
            else if (("command" in at) && ("ours" in at)) kind = ("class" in at) ? "class" : efficiency ? "efficiency" : "time"
            for (i = 3; i < NF; i++) header[i] = $i
            next }
        !/^\|/ { inside = 0; kind = ""; how = "" }
        kind == "" || /^\|[-|]*$/ { next }
        kind == "protocols" { how = command($2)
            for (i = 3; i < NF; i++) {
                n = split($i, both, ", ")
                for (k = 1; k <= n; k++)
                    check(how " --virtual " (k == 1 ? "ppro" : "p3") "-myrinet --protocol " header[i], "against l-sdma", "", both[k])
            }
            next }
        # A maximum below the nominal minimum of 4 is the minimum, too.
        function with(value) { text = how; sub(/VALUE/, value (how ~ /:s_max=VALUE/ && value < 4 ? ",s_min=" value : ""), text); return text }
        kind == "strategies" { how = command($at["command"])
            for (i = 3; i < at["over"]; i++)
                if (how != "" && header[i] != $at["over"]) check(with(header[i]), "over " with($at["over"]), "", $i)
            next }
        { own = command($at["command"]); if (own != "") how = own; else if (kind != "class") next }
        kind == "time" { check(how, "execution_time", "", $at["ours"]) }
        kind == "efficiency" {
            check(how, "parallel_efficiency", "", $4)
            other = how; sub(/ppro-/, "p3-", other)
            check(other, "parallel_efficiency", "", $6) }
        kind == "class" && $at["class"] ~ /^short/ {
            check(how, "short_messages", $at["class"] ~ /remote/ ? "network" : "shared-memory", $at["ours"]) }
    ' "$top/docs/reproductions.md"
}

value() { # OPTIONS QUANTITY TRANSPORT: what a run says; runs are kept, since several rows have the same
    local kept lock
    kept=$work/kept.$(sha1sum <<< "$1" | cut -c1-40)
    exec {lock}<> "$kept.lock"
    flock "$lock"
    if [ ! -s "$kept" ]; then # the words of a command of the page are split as a shell would
        eval "set -- $1 '$2' '$3'"
        "$program" --quiet run "${@:1:$#-2}" --no-check --format csv > "$kept.new" || return 1
        mv "$kept.new" "$kept"
        set -- "" "${@:$#-1}"
    fi
    exec {lock}>&-
    awk -F, -v quantity="$2" -v transport="$3" '$1 == quantity && $2 == transport { print $4 }' "$kept"
}

# Where a table has columns "printed", "ours" and "off", the last follows from the others as far as their digits tell.
arithmetic() {
    awk -F' *\\| *' '
        function unit(text,   point) { gsub(/[^0-9.]/, "", text); point = index(text, "."); return point ? 10 ^ (point - length(text)) : 1 }
        !/^\|/ { inside = 0; next }
        !inside { delete at; for (i = 2; i < NF; i++) if (!($i in at)) at[$i] = i
            if (!("printed" in at) && ("table" in at) && ("class" in at)) at["printed"] = at["table"]
            inside = 1; next }
        ("printed" in at) && ("ours" in at) && ("off" in at) && $at["off"] ~ /^[-+][0-9.]+%$/ {
            printed = $at["printed"]; ours = $at["ours"]; off = $at["off"]
            gsub(/,/, "", printed); gsub(/,/, "", ours)
            if (printed !~ /^[0-9.]+$/ || ours !~ /^[0-9.]+$/) next
            wrong = off - 100 * (ours / printed - 1); if (wrong < 0) wrong = -wrong
            allowed = 0.5 * unit(off) + 50 * (unit(ours) + unit(printed) * ours / printed) / printed + 1e-9
            printf "%s - docs/reproductions.md:%d: %s beside %s are %s\n", wrong <= allowed ? "ok" : "not ok", NR, ours, printed, off
        }' "$top/docs/reproductions.md"
}

succeeds() { # COMMAND: in a folder and with a database of its own
    local place
    place=$(mktemp -d "$work/place.XXXXXX")
    if (cd "$place" && HOME=$place XDG_DATA_HOME=$place PATH=$(dirname "$program"):$PATH bash -c "$1" > out 2> err < /dev/null); then
        echo "ok - $1"
    else
        echo "not ok - docs/documents.md: '$1' ends with $?: $(tail -n 3 "$place/err")"
    fi
}

job() { # arithmetic, COMMAND, or OPTIONS of a run
    case $1 in
    arithmetic) arithmetic; return ;;
    clumpmodel\ *) succeeds "$1"; return ;;
    esac
    local quantity transport shown line found base
    while IFS='|' read -r _ quantity transport shown line; do
        case $quantity in
        "against l-sdma")
            found=$(value "$1" execution_time "") && base=$(value "${1/ --protocol */} --protocol l-sdma" execution_time "") || return 1
            found=$(awk -v a="$found" -v b="$base" 'BEGIN { printf "%.17g", 100 * (a / b - 1) }') ;;
        over\ *)
            found=$(value "$1" execution_time "") && base=$(value "${quantity#over }" execution_time "") || return 1
            found=$(awk -v a="$found" -v b="$base" 'BEGIN { printf "%.17g", a / b }') ;;
        *) found=$(value "$1" "$quantity" "$transport") || return 1 ;;
        esac
        awk -v found="$found" -v shown="$shown" -v where="docs/reproductions.md:$line" -v what="run $1: $quantity" 'BEGIN {
            plain = shown
            gsub(/[,%+]/, "", plain)
            point = index(plain, ".")
            text = sprintf("%.*f", point ? length(plain) - point : 0, found)
            if (found == "" || text + 0 != plain + 0)
                printf "not ok - %s shows %s, found %s: %s\n", where, shown, found == "" ? "nothing" : found, what
            else
                printf "ok - %s %s\n", what, shown
        }'
    done < <(expected | awk -F'|' -v how="$1" '$1 == how')
}

mapfile -t commands < <(
    expected | cut -d'|' -f1 | sort -u
    grep '^|' "$top/docs/documents.md" | grep -oE '`clumpmodel (run|calibrate|data|predict|validate) [^`]*`|`clumpmodel validate`' | tr -d '`' | sort -u
)
chosen=()
[ ${#patterns[@]} -gt 0 ] || chosen=(arithmetic)
for command in "${commands[@]}"; do
    for pattern in "${patterns[@]:-}"; do
        case $command in *$pattern*) chosen+=("$command"); break ;; esac
    done
done
[ ${#chosen[@]} -gt 0 ] || { echo "reproductions.sh: no row of docs/reproductions.md matches"; exit 1; }
run_jobs reproductions "${chosen[@]}"
