#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The rooms of the house (CONTRIBUTING.md): who may include whom, that no files go in circles, that
# a public name is declared once, and that what must not print, end the program or read does not.
[ -n "${CLUMP_TEST_AGAIN:-}" ] && { echo "ok - rooms do not depend on the build"; exit 0; }
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
build=${CLUMPMODEL:+$(dirname "$CLUMPMODEL")}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A room, and which it may include besides itself. "all": every room.
while read -r room others; do
    case $room in '' | '#'*) continue ;; esac
    echo "$room $others"
done > "$work/rooms" <<'ROOMS'
model
model/simulation        model
data
data/store              data
data/import             data data/store
protocols
protocols/queue         protocols
protocols/reliability   protocols
protocols/network       protocols protocols/reliability
protocols/endpoint      protocols protocols/queue protocols/network
protocols/virtual       protocols protocols/reliability
# model/simulation: computations and messages of an emulated Clump last as those of a simulated one.
calibration             model model/simulation data data/store protocols protocols/queue protocols/endpoint protocols/network protocols/reliability protocols/virtual calibration/emulation calibration/virtual
calibration/emulation   protocols protocols/queue protocols/endpoint
calibration/virtual     protocols protocols/reliability protocols/virtual
fitting                 model model/simulation data data/store
fitting/loggp           fitting model data data/store
fitting/slowdown        fitting model data data/store
fitting/validation      fitting model model/simulation data data/store
scenarios               model model/simulation data data/store
exploring               scenarios model data
web                     model
cli/options             data cli/output
cli/output              model data data/store
cli/pictures            model data data/store cli/output cli/options
cli                     all
ROOMS

complain() {
    echo "not ok - $1"
    bad=1
}

while read -r room allowed; do
    bad=0
    for file in "$room"/*.[ch]; do
        while read -r included; do
            [ -e "$included" ] || complain "$file includes $included: expected a path from the top of the tree"
            other=${included%/*}
            case " $room $allowed " in *" $other "* | *" all "*) ;; *) complain "$file includes $included" ;; esac
        done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$file")
        [ "$(head -n 1 "$file")" = '/* SPDX-License-Identifier: GPL-3.0-or-later */' ] ||
            complain "$file does not begin with its licence"
    done
    [ $bad -eq 0 ] && echo "ok - $room/ includes what it may"
done < "$work/rooms"
rooms=$(cut -d' ' -f1 "$work/rooms")

# Every room of the tree stands in the table, and holds what one can overlook.
bad=0
for folder in $(git ls-files '*.c' '*.h' 2> /dev/null | grep -v '^tests/\|^docs/' | grep / | sed 's|/[^/]*$||' | sort -u); do
    grep -q "^$folder\( \|$\)" "$work/rooms" || complain "$folder/ is no room of tests/cli/rooms.sh"
    count=$(ls "$folder"/*.[ch] | wc -l)
    [ "$count" -le 64 ] || complain "$folder/ holds $count files: expected at most some 60"
done
[ $bad -eq 0 ] && echo "ok - every folder is a room that one can overlook"

# A file and its header are one. Includes first; then, from what was built, who calls whom.
bad=0
stem() { sed 's/\.[cho]$//'; }
for file in $(printf '%s/*.[ch] ' $rooms); do
    sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$file" | stem | sed "s|^|${file%.[ch]} |"
done | awk '$1 != $2' > "$work/arrows"
if [ -n "$build" ] && [ -d "$build/model" ]; then
    (cd "$build" && find $(for r in $rooms; do [ -d "$r" ] && echo "$r"; done) -maxdepth 1 -name '*.o' | sort | xargs nm -A) |
        awk '{ sub(/:$/, "", $1); split($1, at, ":"); sub(/\.o$/, "", at[1]) }
             $2 == "U" { uses[++n] = at[1] " " $3; next }
             NF == 3 && $2 ~ /^[TDBRC]$/ { home[$3] = at[1] }
             END { for (i = 1; i <= n; i++) { split(uses[i], u, " "); if (u[2] in home && home[u[2]] != u[1]) print u[1], home[u[2]] } }' \
        >> "$work/arrows"
fi
tsort "$work/arrows" > /dev/null 2> "$work/circles"
if [ -s "$work/circles" ]; then
    complain "files in circles"
    sed 's/^tsort: //; /input contains a loop/d' "$work/circles"
fi
[ $bad -eq 0 ] && echo "ok - no files in circles"

# A public name means one thing.
bad=0
for file in $(printf '%s/*.h ' $rooms); do
    [ -e "$file" ] || continue
    sed -n 's/^} *\([a-z_0-9]*\);.*/\1/p; s/^typedef struct [a-z_0-9]* \([a-z_0-9]*\);.*/\1/p
            s/^[a-z].*[ *]\(clump_[a-z_0-9]*\)(.*/\1()/p' "$file" | sort -u | sed "s|$| $file|"
done | sort > "$work/declared"
cut -d' ' -f1 "$work/declared" | uniq -d > "$work/twice"
while read -r name; do
    complain "$name is declared more than once:$(grep "^$name " "$work/declared" | cut -d' ' -f2 | tr '\n' ' ' | sed 's/^/ /')"
done < "$work/twice"
[ $bad -eq 0 ] && echo "ok - every public name is declared once"

# Libraries compute; they do not print, end the program, or read what the user did not name.
bad=0
libraries=$(echo "$rooms" | grep -v '^cli\|^web')
for word in printf fprintf puts fputs putchar perror exit _exit abort getenv; do
    # The processes that a calibration starts are its own: they, and only they, may end; and it looks
    # for ip and tc where the user's shell does. The store is made by a program of its own.
    case $word in
    _exit) allowed='^calibration/\(team\|udp_server\|emulation/emulation\)\.c' ;;
    getenv) allowed='^calibration/emulation/tool\.c' ;;
    *) allowed='^data/store/mkreference\.c' ;;
    esac
    grep -n "\(^\|[^a-zA-Z0-9_>.]\)$word *(" $(printf '%s/*.[ch] ' $libraries) /dev/null | grep -v "$allowed" &&
        complain "a library calls $word"
done
grep -n "\(^\|[^a-zA-Z0-9_]\)fopen *(" model/*.[ch] model/simulation/*.[ch] && complain "model/ opens files"
[ $bad -eq 0 ] && echo "ok - libraries neither print nor exit"

# Libraries of one room only.
bad=0
others() { echo "$rooms" | grep -v "^\($1\)" | sed 's|$|/*.[ch]|'; }
grep -ln 'include <\(lua\|lauxlib\|lualib\)' $(others 'scenarios') && complain "Lua outside scenarios/"
grep -ln 'include <sqlite3' $(others 'data/store') && complain "SQLite outside data/store/"
grep -ln 'include <\(jansson\|libsmartcols\)' $(others 'cli') && complain "output outside cli/"
[ $bad -eq 0 ] && echo "ok - each library in its room"
exit 0
