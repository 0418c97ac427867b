# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages: what tables do not put into them (clumpmodel help man) is what the program knows. Their examples run in
# tests/docs/run.sh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "the manual, once"; exit 0; }
man=$TOP/docs/man
plain() { sed 's/\\f[BIRP]//g; s/\\-/-/g; s/\\(ti/~/g; s/\\(dq/"/g; s/\\&//g'; }
words() { "$CLUMPMODEL" completion words -- "$@" '' | cut -f 1; }

# What tables of a scenario may have: the lists of names in scenarios/.
missing=
plain < "$man/clumpmodel-scenario.5" > scenario
for key in $(awk '/^ *static const char \*const [a-z_]*keys\[/ { on = 1 }
    on { while (match($0, /"[A-Za-z_]+"/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }
    /};/ { on = 0 }' "$TOP"/scenarios/*.c | sort -u); do
    grep -qw -- "$key" scenario || missing="$missing $key"
done
ran="fields of scenarios:$missing"
check "clumpmodel-scenario(5) has all fields of tables" [ -z "$missing" ]
sed -n '/^\.EX/,/^\.EE/p' "$man/clumpmodel-scenario.5" | plain |
    awk '/^\.EX/ { n++; next } /^\.EE/ { next } { print > "example" n ".lua" }'
for file in example*.lua; do
    run predict "$file" --format json
    check "$file of clumpmodel-scenario(5) has results" eval 'exits 0 && has out "\"slowdown\""'
done

# Each command's options are printed into one page: its own, that of its parent, or the first one.
for command in $(words); do
    case $command in fit | calibrate | data) words "$command" | sed "s/^/$command /" ;; *) echo "$command" ;; esac
done > commands
check "all commands" [ "$(wc -l < commands)" -ge 20 ]
while read -r command; do
    run help man $command
    [ -s out ] && check "options of $command are in one page" \
        [ "$(cat "$man"/*.1 | grep -cx "\.\\\\\"= $command")" -eq 1 ]
done < commands
run help man usage
while read -r command; do
    check "$command is in the synopsis" has out "^\.SY \"clumpmodel \($command\|${command%% *}\)\"$"
done < commands
run help man results
"$CLUMPMODEL" slowdown -P 2 -N 1 -U .1,.2 --format csv | head -n 1 | tr , '\n' > keys
check "keys of results have a meaning" eval 'while read -r key; do has out "^\.B $key\$" || exit 1; done < keys'
check "and no other is empty" eval '! grep -A1 "^\.B" out | grep -q "^\.\$"'

plain < "$man/clumpmodel.1" > page
for format in $(words import); do
    check "format $format is in clumpmodel(1)" grep -qw -- "$format" page
done
plain < "$man/clumpmodel-calibrate.1" > calibrate
for queue in $(words calibrate shm --queue); do
    check "queue $queue is in clumpmodel-calibrate(1)" grep -qw -- "$queue" calibrate
done
for kind in platforms applications quantities sources ''; do
    "$CLUMPMODEL" data list $kind --format csv | head -n 1 | tr , '\n'
done | sort -u > keys
"$CLUMPMODEL" data show e5000-clump --format csv | head -n 1 | tr , '\n' >> keys
while read -r name; do
    check "key $name of data is in clumpmodel(1)" grep -qw -- "$name" page
done < keys

pages=$(dirname "$CLUMPMODEL")/man
if command -v groff > /dev/null && [ -d "$pages" ]; then
    for page in $(cd "$man" && ls); do
        ran="groff $page"
        groff -t -man -ww -Tutf8 "$pages/$page" > out 2> err
        status=$?
        check "$page: no warnings, nothing left to fill in" eval 'empty err && ! grep -q "^\.\\\\\"=" "$pages/$page"'
    done
fi
