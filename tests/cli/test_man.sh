# SPDX-License-Identifier: GPL-3.0-or-later
# The man pages: every example runs, every option and every JSON key is described.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "the examples of the manual, once; with sanitizers in make check-sanitize-all"; exit 0; }
man=$TOP/docs/man
plain() { sed 's/\\-/-/g; s/\\(ti/~/g; s/\\(dq/"/g; s/\\&//g'; }
examples() { sed -n '/^\.EX/,/^\.EE/p' "$1" | plain | sed 's/^\.EX/--8<--/; /^\.EE/d'; }

examples "$man/clumpmodel.1" | grep '^clumpmodel ' | sed 's/^clumpmodel //' > commands
check "examples in clumpmodel(1)" [ "$(wc -l < commands)" -ge 3 ]
while read -r line; do
    run $line
    check "example: clumpmodel $line" exits 0
done < commands

# What tables of a scenario may have: the lists of names in scenarios/.
missing=
for key in $(awk '/^ *static const char \*const [a-z_]*keys\[/ { on = 1 }
    on { while (match($0, /"[A-Za-z_]+"/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }
    /};/ { on = 0 }' "$TOP"/scenarios/*.c | sort -u); do
    grep -qw -- "$key" "$man/clumpmodel-scenario.5" || missing="$missing $key"
done
ran="fields of scenarios:$missing"
check "clumpmodel-scenario(5) has all fields of tables" [ -z "$missing" ]

examples "$man/clumpmodel-scenario.5" | awk '/^--8<--/ { n++; next } { print > "example" n ".lua" }'
for file in example*.lua; do
    run predict "$file"
    check "$file of clumpmodel-scenario(5)" exits 0
    check "$file has results" has out '^NICs\|Slowdown'
done

plain < "$man/clumpmodel.1" > page
words() { "$CLUMPMODEL" completion words -- "$@" '' | cut -f 1; }
for command in $(words); do
    case $command in fit | calibrate | data) words "$command" | sed "s/^/$command /" ;; *) echo "$command" ;; esac
done > commands
check "all commands" [ "$(wc -l < commands)" -ge 20 ]
while read -r command; do # in its own page, in that of its parent, or in the first one
    for own in "${command// /-}" "${command% *}" ''; do
        [ -f "$man/clumpmodel${own:+-$own}.1" ] && break
    done
    own=clumpmodel${own:+-$own}
    plain < "$man/$own.1" > own
    for option in $("$CLUMPMODEL" help $command | sed -n '/^Options:/,/^Options of/s/^ .*--\([a-z-]*\).*/\1/p' | sort -u); do
        ran="help $command"
        check "--$option of $command is in $own(1)" has own "^\.\(BI\|BR\|B\) .*--$option\( \|$\|\"\)"
    done
done < commands
for option in $("$CLUMPMODEL" help slowdown | sed -n '/^Options of/,$s/^ .*--\([a-z-]*\) .*/\1/p'); do
    check "--$option of every command is in clumpmodel(1)" has page "^\.\(BI\|BR\|B\) .*--$option\( \|$\|\"\)"
done
# The synopsis: each command with what it needs, as its help says.
{
    "$CLUMPMODEL" help | sed -n 's/^Usage: //p'
    while read -r command; do
        COLUMNS=200 "$CLUMPMODEL" help $command | sed -n '/^Usage:/,/^$/p' | tr -s '\n ' ' ' | sed 's/^Usage: //; s/ $//'
        echo
    done < commands
} > usages
sed -n '/^\.SH SYNOPSIS/,/^\.YS/p' page | awk '
    /^\.SY/ { if (line != "") print line; sub(/^\.SY /, ""); gsub(/"/, ""); line = $0; next }
    /^\.[BI] / { sub(/^\.[BI] /, ""); line = line " " $0 }
    /^\.[BIR][BIR] / { sub(/^\.[BIR][BIR] /, ""); gsub(/[" ]|\\:/, ""); line = line " " $0 }
    END { print line }' > synopsis
ran='help of every command'
check "SYNOPSIS of clumpmodel(1) is that of the help" eval 'diff usages synopsis > out 2>&1'
plain < "$man/clumpmodel-calibrate.1" > calibrate
check "all formats" [ "$(words import | wc -l)" -ge 11 ]
for format in $(words import); do
    check "format $format is in clumpmodel(1)" has page "^\.\(BR\|B\) $format\( \|$\)"
done
check "all queues" [ "$(words calibrate shm --queue | wc -l)" -ge 10 ]
for queue in $(words calibrate shm --queue); do
    check "queue $queue is in clumpmodel-calibrate(1)" grep -q "^\.B.* $queue\( \|$\)" calibrate
done
run slowdown -P 2 -N 1 -U .1,.2 --format csv
for name in $(head -n 1 out | tr , ' '); do
    check "key $name is in clumpmodel(1)" grep -q "^\(.*, \)*$name\(, .*\)*@T{" page
done
for kind in platforms applications quantities sources ''; do
    run data list $kind --format csv
    for name in $(head -n 1 out | tr , ' '); do
        check "key $name of '$kind' is in clumpmodel(1)" grep -q "^\.BR\{0,1\} $name\( \|$\)" page
    done
done
run data show e5000-clump --format csv
for name in $(head -n 1 out | tr , ' '); do
    check "key $name of samples is in clumpmodel(1)" grep -q "^\.BR\{0,1\} $name\( \|$\)" page
done

if command -v groff > /dev/null; then
    for page in $(cd "$man" && ls); do
        ran="groff $page"
        groff -t -man -ww -Tutf8 "$man/$page" > out 2> err
        status=$?
        check "$page: no warnings" empty err
    done
fi
