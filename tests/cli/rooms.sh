#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The arrows of CONTRIBUTING.md: which room may include which, and what a library must not do.
set -u
[ -z "${CLUMP_TEST_AGAIN:-}" ] || { echo "ok - rooms do not depend on the build"; exit 0; }
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
bad=0

may_include() { # may_include ROOM OTHER FILE
    case $1/$2 in
    model/model | data/data | protocols/protocols | protocols/network) ;;
    emulation/emulation | emulation/protocols) ;;
    network/network | network/reliability) ;;
    network/protocols) [[ $3 == protocols/message.h || $3 == protocols/status.h ]] || return 1 ;;
    reliability/reliability | reliability/protocols) ;;
    virtual/virtual | virtual/reliability | virtual/protocols) ;;
    simulation/simulation | simulation/model) ;;
    fitting/fitting | fitting/model | fitting/simulation | fitting/data) ;;
    scenarios/scenarios | scenarios/model | scenarios/simulation | scenarios/data) ;;
    web/web | web/model) ;;
    cli/*) ;;
    *) return 1 ;;
    esac
}

complain() {
    echo "not ok - $1"
    bad=1
}

for folder in model model/simulation fitting data scenarios protocols protocols/emulation protocols/reliability protocols/network protocols/virtual web cli; do
    bad=0
    room=${folder##*/}
    for file in $(find "$folder" -maxdepth 1 -name '*.[ch]'); do
        while read -r included; do
            if [ -e "$(dirname "$file")/$included" ]; then
                other=$room
            else
                case $included in */*) other=${included%/*} ;; *) other=top ;; esac
                other=${other##*/}
                [ -e "$included" ] || complain "$file includes $included, which does not exist"
            fi
            may_include "$room" "$other" "$included" || complain "$file includes $included"
        done < <(sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$file")
        [ "$(head -n 1 "$file")" = '/* SPDX-License-Identifier: GPL-3.0-or-later */' ] ||
            complain "$file does not begin with its licence"
    done
    [ $bad -eq 0 ] && echo "ok - $folder/ includes what it may"
done

# The engine computes; it does not print, end the program, or read anything.
bad=0
for word in printf fprintf puts fputs putchar perror exit _exit abort fopen getenv; do
    grep -rn "\(^\|[^a-zA-Z0-9_]\)$word *(" model --include='*.[ch]' && complain "model/ calls $word"
    # The processes that a calibration starts are its own: they, and only they, may end; and it looks
    # for ip and tc where the user's shell does.
    case $word in
    _exit) allowed='^protocols/\(team\|emulation/emulation\)\.c' ;;
    getenv) allowed='^protocols/emulation/tool\.c' ;;
    *) allowed='^$' ;;
    esac
    grep -n "\(^\|[^a-zA-Z0-9_]\)$word *(" protocols/*.[ch] protocols/*/*.[ch] | grep -v "$allowed" &&
        complain "protocols/ calls $word"
done
[ $bad -eq 0 ] && echo "ok - model/ and protocols/ neither print nor exit"

# Libraries of one room only.
bad=0
grep -ln 'include <\(lua\|lauxlib\|lualib\)' model/*.[ch] fitting/*.[ch] data/*.[ch] cli/*.[ch] && complain "Lua outside scenarios/"
grep -ln 'include <sqlite3' model/*.[ch] fitting/*.[ch] scenarios/*.[ch] cli/*.[ch] && complain "SQLite outside data/"
grep -ln 'include <\(jansson\|libsmartcols\)' model/*.[ch] fitting/*.[ch] data/*.[ch] scenarios/*.[ch] && complain "output outside cli/"
[ $bad -eq 0 ] && echo "ok - each library in its room"
exit 0
