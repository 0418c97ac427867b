#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of the house (CONTRIBUTING.md): who may include and call whom, that no files go in circles,
# that a public name is declared once, and that what must not print, end the program or read does not.
[ -n "${CLUMP_TEST_AGAIN:-}" ] && { echo "ok - rooms do not depend on the build"; exit 0; }
build=${CLUMPMODEL:+$(cd "$(dirname "$CLUMPMODEL")" && pwd)}
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A room, and which it may include and call besides itself: arrows go down only. "product": every room of the product.
# Between components stand walls: reproductions look into protocols and the product, protocols and recording into the product,
# which knows none of them.
cat > "$work/rooms" <<'ROOMS'
model
model/workload          model
model/simulation        model model/workload
data
data/store              data
data/import             data data/store
protocols
protocols/queue         protocols
protocols/reliability   protocols
protocols/network       protocols protocols/reliability
protocols/endpoint      protocols protocols/queue protocols/network
# What `calibrate` measures; model/simulation: computations and messages of an emulated Clump last as those of a simulated one.
# data: what a process owns, its children (data/owned.h).
protocols/emulation     data protocols protocols/queue protocols/endpoint
protocols/calibration   model model/workload model/simulation data data/store protocols protocols/queue protocols/endpoint protocols/network protocols/reliability protocols/emulation
protocols/command       product protocols protocols/queue protocols/endpoint protocols/network protocols/reliability protocols/emulation protocols/calibration
protocols/mpi-bench
reproductions/virtual   protocols protocols/reliability protocols/endpoint
# protocols/queue: lines of the cache, where words are shared. protocols/reliability: broadcasts by messages go along the same trees as multicasts.
reproductions/systems   protocols protocols/queue protocols/reliability
# reproductions/virtual: random numbers that are the same everywhere.
reproductions/applications reproductions/systems protocols reproductions/virtual
reproductions/measure   data data/store protocols protocols/reliability protocols/calibration reproductions/virtual
reproductions/runs      protocols protocols/queue protocols/endpoint protocols/calibration protocols/emulation reproductions/systems reproductions/applications reproductions/virtual
reproductions/command   product protocols protocols/queue protocols/endpoint protocols/reliability protocols/emulation protocols/calibration protocols/command reproductions/virtual reproductions/systems reproductions/applications reproductions/measure reproductions/runs
fitting                 model model/simulation data data/store
fitting/clusters        fitting model model/workload model/simulation data data/store
# fitting/clusters: samples of the store, loaded alike by all fits; of pairs also chosen alike.
fitting/loggp           fitting fitting/clusters model data data/store
fitting/node            fitting fitting/clusters model data data/store
# fitting/validation: traffic and costs of messages, looked up alike.
fitting/slowdown        fitting fitting/clusters fitting/validation model model/workload data data/store
fitting/validation      fitting model model/workload model/simulation data data/store
recording               model model/workload model/simulation data data/store
recording/otf2          recording data data/store
recording/preload       recording
# A program of others in namespaces, as `calibrate clump` has them for its own.
recording/emulation     data recording protocols protocols/queue protocols/emulation
recording/command       product recording recording/emulation protocols protocols/emulation
recording/programs
recording/inputs
scenarios               model model/workload model/simulation data data/store scenarios/recorded topology
scenarios/recorded      model model/workload model/simulation data data/store
exploring               scenarios scenarios/recorded model model/workload data
# model/workload: links as NCCL counts them.
topology                model model/workload data
web                     model
cli/output              model data data/store
cli/options             data cli/output
cli/pictures            model data data/store cli/output cli/options
cli/data                product
cli/fitting             product
cli/recording           product
cli/topology            product
cli/validation          product
cli                     product
ROOMS

# What only some rooms may use, a function or a library: NAME, WHO as a regular expression of files, and
# why not the others. Every exception says its reason.
cat > "$work/reserved" <<'RESERVED'
printf      ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench)/|^data/store/mkreference\.c$          only the program prints; mkreference and programs of their own print
fprintf     ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench)/|^data/store/mkreference\.c$|^recording/otf2/otf2_main\.c$ only the program prints; clumpmodel-otf2 is a program of its own
vprintf     ^(cli|recording/command|protocols/command|reproductions/command)/                                                 only the program prints
vfprintf    ^(cli|recording/command|protocols/command|reproductions/command)/                                                 only the program prints
puts        ^(cli|recording/command|protocols/command|reproductions/command)/|^data/store/mkreference\.c$                     only the program prints
fputs       ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench)/|^data/store/mkreference\.c$|^recording/otf2/otf2_main\.c$ only the program prints; programs of their own print
putchar     ^(cli|recording/command|protocols/command|reproductions/command)/                                                 only the program prints
perror      ^(cli|recording/command|protocols/command|reproductions/command)/|^data/store/mkreference\.c$                     only the program prints
exit        ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench)/|^data/store/mkreference\.c$          a library hands errors back; programs of their own print
_exit       ^(cli|recording/command|protocols/command|reproductions/command)/|^data/owned\.c$|^protocols/calibration/(workers|memory_streams|team|udp_server)\.c$|^protocols/emulation/(emulation|nodes|nodes_rate|nodes_run)\.c$|^recording/emulation/program_start\.c$|^recording/preload/     but the processes that a calibration starts are its own
fork        ^data/owned\.c$ what is started or temporary has one owner
popen       ^data/owned\.c$ what is started or temporary has one owner
system      ^data/owned\.c$ what is started or temporary has one owner
posix_spawn ^data/owned\.c$ what is started or temporary has one owner
posix_spawnp ^data/owned\.c$ what is started or temporary has one owner
mkdtemp     ^data/owned\.c$ what is started or temporary has one owner
mkstemp     ^data/owned\.c$ what is started or temporary has one owner
tempnam     ^data/owned\.c$ what is started or temporary has one owner
abort       ^(cli|recording/command|protocols/command|reproductions/command)/                                                 a library hands errors back
getenv      ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench)/|^recording/preload/(place|dilate)\.c$                 a library reads what it is given; a preloaded library is told what to do by nothing else
fopen       ^(cli|recording/command|protocols/command|reproductions/command|recording/programs|recording/inputs|protocols/mpi-bench|data|protocols/calibration|protocols/emulation|reproductions/runs|recording|scenarios|fitting|exploring)/  model/ and protocols/ open no files
<lua.h>     ^(scenarios|data/import)/                             Lua is for scenarios and for the formats of logs
<lauxlib.h> ^(scenarios|data/import)/                             Lua is for scenarios and for the formats of logs
<lualib.h>  ^(scenarios|data/import)/                             Lua is for scenarios and for the formats of logs
<sqlite3.h> ^(data/store|exploring)/                              the database is behind data/store/; exploring/ has SQLite evaluate conditions and merge parts of a sweep
<hwloc.h>   ^topology/|^protocols/calibration/memory_system\.h$           nodes are described in topology/; memory is measured on the processors of this one
<libxml/tree.h> ^topology/                                         likewise
<jansson.h> ^(cli|recording/command|protocols/command|reproductions/command)/                                                 only the program writes JSON
<libsmartcols/libsmartcols.h> ^(cli|recording/command|protocols/command|reproductions/command)/                               only the program draws tables
RESERVED

product=$(sed '/^#/d; s/ .*//; /^\(protocols\|recording\|reproductions\)/d' "$work/rooms" | tr '\n' ' ')
sed -i -E "/^#/d; s# product( |\$)# $product\1#" "$work/rooms"
rooms=$(cut -d' ' -f1 "$work/rooms")
files=$(for room in $rooms; do ls "$room"/*.[ch] 2> /dev/null; done)

# From all sources in one go: complaints, a kind and a text each; and arrows between files, a file and
# its header being one.
# shellcheck disable=SC2086 # a list of files
awk -v rooms="$work/rooms" -v reserved="$work/reserved" -v arrows="$work/arrows" '
    function complain(kind, text) { print kind, text }
    function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
    function stem(file) { sub(/\.[cho]$/, "", file); return file }
    function declare(kind, name) {
        if (name ~ /^__/) return
        if (declared[kind, name] != "" && declared[kind, name] != FILENAME)
            complain("names", name " is declared in " declared[kind, name] " and in " FILENAME)
        declared[kind, name] = FILENAME
    }
    BEGIN {
        while ((getline line < rooms) > 0) {
            n = split(line, word, " ")
            known[word[1]] = 1
            for (i = 1; i <= n; i++) may[word[1], word[i]] = 1
        }
        while ((getline line < reserved) > 0) {
            n = split(line, word, " ")
            who[word[1]] = word[2]
            reason[word[1]] = line
            sub(/^[^ ]+ +[^ ]+ +/, "", reason[word[1]])
        }
        for (i = 1; i < ARGC; i++) exists[ARGV[i]] = 1
    }
    FNR == 1 {
        room = folder(FILENAME)
        comment = 0
        if ($0 != "/* SPDX-License-Identifier: GPL-3.0-or-later */")
            complain("licence", FILENAME " does not begin with its licence")
        if (FILENAME ~ /\.h$/) {
            base = FILENAME; sub(/.*\//, "", base)
            if (base in header) complain("names", "two headers are called " base ": " header[base] " and " FILENAME)
            header[base] = FILENAME
            guard = stem(FILENAME); gsub(/[^A-Za-z0-9]/, "_", guard); guard = "CLUMP_" toupper(guard) "_H"
        }
    }
    /^#ifndef .*_H$/ && FILENAME ~ /\.h$/ && $2 != guard { complain("guards", FILENAME " is guarded by " $2 ": expected " guard) }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        other = $0; sub(/^[^"]*"/, "", other); sub(/".*/, "", other)
        if (other == "clumpmodel.h") {
            if (room !~ /^cli|\/command$/) complain("include", FILENAME " includes clumpmodel.h, which is all of the library")
            next
        }
        if (!(other in exists)) complain("include", FILENAME " includes " other ": expected a path from the top to a file of a room")
        else if (!((room, folder(other)) in may))
            complain("include", FILENAME " includes " other ": " room "/ may not look into " folder(other) "/")
        if (stem(other) != stem(FILENAME)) print stem(FILENAME), stem(other), "includes" > arrows
        next
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
        other = $0; sub(/^[^<]*/, "", other); sub(/>.*/, ">", other)
        if (other in who && FILENAME !~ who[other]) complain("reserved", FILENAME " includes " other ": " reason[other])
        next
    }
    {   # the code without strings and comments
        code = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        if (comment) { if (!sub(/^.*\*\//, "", code)) next; comment = 0 }
        while (match(code, /\/\*/)) {
            rest = substr(code, RSTART + 2)
            code = substr(code, 1, RSTART - 1)
            if (sub(/^([^*]|\*[^\/])*\*\//, "", rest)) code = code " " rest
            else comment = 1
        }
        rest = code
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]* *\(/)) {
            name = substr(rest, RSTART, RLENGTH); sub(/ *\($/, "", name)
            before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
            rest = substr(rest, RSTART + RLENGTH)
            if (name in who && before !~ /[.>]/ && FILENAME !~ who[name])
                complain("reserved", FILENAME ":" FNR " calls " name "(): " reason[name])
        }
        if (FILENAME !~ /\.h$/) next
        if (match(code, /^} *[a-z_0-9]+;/)) {
            name = code; sub(/^} */, "", name); sub(/;.*/, "", name)
            declare("type", name)
        } else if (code ~ /^typedef .*\(\*[a-z_0-9]+\)/) {
            name = code; sub(/^[^(]*\(\*/, "", name); sub(/\).*/, "", name)
            declare("type", name)
        } else if (code ~ /^typedef .*\(/) {
            name = code; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
            declare("type", name)
        } else if (code ~ /^typedef .*;/) {
            name = code; sub(/;.*/, "", name); sub(/.*[ *]/, "", name)
            declare("type", name)
        } else if (code ~ /^(struct|union|enum) [a-z_0-9]+ *{/) {
            split(code, word, " ")
            declare("tag", word[2])
        } else if (code ~ /^[a-z][A-Za-z0-9_ *]*\(/) {
            name = code; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
            declare("function", name)
        }
    }' $files > "$work/complaints"

# Who calls whom, from what was built.
called=
if [ -n "$build" ] && [ -d "$build/model" ]; then
    called=yes
    for file in $files; do
        case $file in *.c) [ -e "$build/${file%.c}.o" ] && echo "${file%.c}.o" ;; esac
    done > "$work/objects"
    (cd "$build" && xargs nm -A < "$work/objects") | awk '
        { sub(/:$/, "", $1); split($1, at, ":"); sub(/\.o$/, "", at[1]) }
        $2 == "U" { uses[++n] = at[1] " " $3; next }
        NF == 3 && $2 ~ /^[TDBRC]$/ { home[$3] = at[1] }
        END { for (i = 1; i <= n; i++) { split(uses[i], u, " "); if (u[2] in home && home[u[2]] != u[1]) print u[1], home[u[2]], u[2] } }' \
        > "$work/calls"
    cat "$work/calls" >> "$work/arrows"
    awk -v rooms="$work/rooms" '
        BEGIN { while ((getline line < rooms) > 0) { n = split(line, word, " "); for (i = 1; i <= n; i++) may[word[1], word[i]] = 1 } }
        { from = $1; sub(/\/[^\/]*$/, "", from); to = $2; sub(/\/[^\/]*$/, "", to)
          if (!((from, to) in may))
              print "calls", $1 ".c uses " $3 " of " $2 ".c: " from "/ may not look into " to "/" }' "$work/calls" >> "$work/complaints"
fi

# What stands in no circle goes: whom nothing points to, who points to nothing. Of what remains, follow
# arrows until a file comes again; that circle is told and taken out.
awk '$1 != $2 && !(($1, $2) in why) { why[$1, $2] = $3; to[$1] = to[$1] " " $2; from[$2] = from[$2] " " $1; alive[$1] = alive[$2] = 1 }
    function among(list,   n, word, i) { n = split(list, word, " "); for (i = 1; i <= n; i++) if (word[i] in alive) return word[i]; return "" }
    function peel(   gone, f) {
        do { gone = 0; for (f in alive) if (among(to[f]) == "" || among(from[f]) == "") { delete alive[f]; gone = 1 } } while (gone)
    }
    END {
        for (peel(); ; peel()) {
            first = ""
            for (f in alive) if (first == "" || f < first) first = f
            if (first == "") exit
            n = 0; split("", place)
            for (f = first; !(f in place); f = among(to[f])) { place[f] = ++n; path[n] = f }
            text = ""
            for (i = place[f]; i <= n; i++) {
                next_one = i < n ? path[i + 1] : f
                text = text path[i] " -" why[path[i], next_one] "-> "
            }
            print "circles", text f
            for (i = place[f]; i <= n; i++) delete alive[path[i]]
        }
    }' "$work/arrows" >> "$work/complaints"

# Every folder with C is a room, and holds what one can overlook.
find . -name '*.[ch]' -not -path './.*' -not -path './tests/*' -not -path './docs/*' -not -path './build*' -not -path "${build:-./build}/*" |
    sed -n 's|^\./\(.*\)/[^/]*$|\1|p' | sort | uniq -c | while read -r count room; do
    case /$room/ in "${build#"$PWD"}"/*) continue ;; esac
    grep -q "^$room\( \|$\)" "$work/rooms" || echo "folders $room/ is no room of tests/cli/rooms.sh"
    [ "$count" -le 64 ] || echo "folders $room/ holds $count files: expected some 60 at most"
done >> "$work/complaints"

# Lines of C that a component may have, so that none grows again: a new engine replaces an old one, and a budget only falls.
while read -r most name folders; do
    # shellcheck disable=SC2086 # a list of folders
    lines=$(find $folders -name '*.[ch]' -exec cat {} + | wc -l)
    [ "$lines" -le "$most" ] || echo "budgets $name has $lines lines of C: expected $most at most"
done >> "$work/complaints" <<'BUDGETS'
94500 the_product model data fitting scenarios exploring topology cli web
16500 recording recording
24300 protocols protocols
19600 reproductions reproductions
BUDGETS

while read -r kind what; do
    if grep -q "^$kind " "$work/complaints"; then
        sed -n "s/^$kind /not ok - /p" "$work/complaints" | sort -u
    elif [ "$kind" = calls ] && [ -z "$called" ]; then
        echo "skip - who calls whom: needs a build"
    else
        echo "ok - $what"
    fi
done <<'KINDS'
include rooms include what they may
calls rooms call whom they may
circles no files in circles
names a name means one thing
guards include guards follow the path
reserved each room uses only what is for it
licence every file begins with its licence
folders every folder is a room that one can overlook
budgets no component has more lines than its budget
KINDS
exit 0
