# SPDX-License-Identifier: GPL-3.0-or-later
# Pictures: files by gnuplot, scripts that hold the numbers of the CSV; and titles that would like to be commands.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

begins() { [ "$(head -c "${#2}" "$1")" = "$2" ]; }

# ---- files
run predict figure-8.2 --format csv
mv out plain.csv
for kind in svg png pdf; do
    run predict figure-8.2 --plot "picture.$kind" --format csv
    check "a $kind is made" exits 0
    check "$kind: the numbers stay the same" cmp -s out plain.csv
    check "$kind: nothing is said" empty err
done
check "svg is SVG" begins picture.svg '<?xml'
check "png is PNG" [ "$(head -c 4 picture.png | tail -c 3)" = PNG ]
check "pdf is PDF" begins picture.pdf '%PDF'
for text in 'Slowdown of 8 processors that share 4 NICs' 'Utilization U on the NOW' 'Slowdown X' \
    independent correlated scheduled 'as fast as the NOW'; do
    check "the picture says '$text'" has picture.svg "$text"
done
# A parent that ignores SIGCHLD, as some service managers do: a picture that is done is done.
rm -f picture.svg
env --ignore-signal=CHLD "$CLUMPMODEL" predict figure-8.2 --plot picture.svg > out 2> err < /dev/null
status=$? ran='predict, SIGCHLD ignored'
check "SIGCHLD ignored: the picture is there" eval 'exits 0 && begins picture.svg "<?xml"'
check "files left behind: none" [ "$(ls -A | grep -c 'picture.*\..*\.\|clumpmodel-')" -eq 0 ]

# ---- the script holds every number, and gnuplot makes the same picture of it
run predict figure-8.2 --plot picture.svg --plot figure.gp
check "script and picture" exits 0
awk '/^\$data/ { inside = 1; next } /^END_OF_DATA/ { inside = 0 } inside && !/^#/ { print $1 + 0, $2 + 0 }' \
    figure.gp | sort > drawn
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { print $at["utilization"] + 0, $at["slowdown"] + 0 }' plain.csv | sort > computed
check "the script has the 303 points of the CSV" cmp -s drawn computed
check "all 303" [ "$(wc -l < drawn)" -eq 303 ]
check "the script makes the same picture" eval 'gnuplot -d figure.gp 2> err | cmp -s - picture.svg'
run predict clump-vs-now --plot measured.gp
check "measured points have their intervals: 1.354 +- 0.031" \
    grep -q '^ [0-9.]* 1\.3541* *1\.3[0-9]* 1\.38[0-9]*$\|^ [0-9.]* 1\.35[0-9]* 1\.3[12][0-9]* 1\.38[0-9]*$' measured.gp
check "each of them once, whatever demand is assumed" \
    [ -z "$(grep '^ [0-9.]* [0-9.]* [0-9.]* [0-9.]*$' measured.gp | sort | uniq -d)" ]
check "two pictures, below each other" has measured.gp '^set multiplot layout 2,1$'
run predict figure-8.4 --plot share.gp
check "scenarios over the same quantity share a picture" lacks share.gp multiplot
check "one of them by its title" has share.gp ' title "NOW with two NICs in every machine"'
run predict figure-8.4 --plot-kind heat --plot heat.gp
check "a heat map of 9 times 101 values" [ "$(grep -c '^ ' heat.gp)" -eq 909 ]
check "heat map: X = 8 for one NIC and U = 1 is in it" has heat.gp '^ 1 1 .* 8$'
for wrong in 'figure-8.2 --plot-kind heat --plot x.svg' 'figure-8.2 --plot-kind heat --plot x.gp'; do
    run predict $wrong
    check "no heat map of one quantity: $wrong" eval 'exits 2 && has err "no two quantities" && [ ! -e x.svg ] && [ ! -e x.gp ]'
done

run predict clump-vs-now --plot key.gp
check "what the lines mean is in the key, in their order" [ "$(awk '/^reset/ { n++ } n == 2 && / with .* title / { sub(/.* title /, ""); sub(/, \\$/, ""); printf "%s ", $0 }' key.gp)" = \
    '"SAMPLE" "CON/comp" "CON/comm" "3-D FFT" "EM3D/naive" "EM3D/good" "measured, 95\045 interval" "as fast as the NOW" ' ]
printf 'return scenario { processors = 8, nics = 4, demand = { "independent", "correlated" }, application = { %s } }\n' \
    "$(printf 'application { name = "program_%d_with_a_long_name", utilization = 0.5 }, ' 1 2 3 4 5 6)" > names.lua
run predict names.lua --plot names.gp
check "names that have no room are rotated" eval 'exits 0 && has names.gp "^set xtics rotate" && has key.gp "^set xtics ("'
run validate --variant all --plot variants.gp
check "twelve variants differ in colour or shape" [ "$(sed -n 's/.* with points \(.*linecolor rgb .#[0-9a-f]*\).*/\1/p' variants.gp | sort -u | wc -l)" -eq 12 ]

# ---- hostile titles and names
cat > hostile.lua <<'EOF'
local evil = "'\"\"; system('touch pwned1') #`touch pwned2` @x ${y} $(touch pwned3) \\\" !touch pwned4 END_OF_DATA <script>alert(1)</script>&amp;"
return { scenario { title = evil, processors = 4, nics = { 1, 2 }, utilization = { 0.1, 0.2, 0.3 } },
         scenario { title = evil .. 2, processors = 4, nics = 1, utilization = { 0.1, 0.2, 0.3 },
                    application = application { name = evil, utilization = 0.3 } } }
EOF
kinds='svg png pdf'
again && kinds=svg
for kind in $kinds; do
    run predict hostile.lua --plot "hostile.$kind" --plot hostile.gp
    check "hostile title, $kind" eval "exits 0 && [ -s hostile.$kind ]"
done
(gnuplot -d hostile.gp > /dev/null 2>&1)
check "no title became a command" eval '! ls pwned* > /dev/null 2>&1'
check "no title became markup" lacks hostile.svg '<script'
check "the title is shown as it is" has hostile.svg '&lt;script>alert(1)&lt;/script>&amp;amp;'
picture='|touch pwned5;"`$(x)'\''.svg'
run predict figure-8.2 --plot "$picture"
check "hostile file name" eval 'exits 0 && begins "$picture" "<?xml" && ! ls pwned* > /dev/null 2>&1'

# ---- other commands: measured points as they are stored, and what the model makes of them
points() { # points FILE SERIES: x and y of the points
    awk -v name="\$data_$2 <<" 'index($0, name) == 1 { inside = 1; next } /^END_OF_DATA/ { inside = 0 }
        inside && !/^#/ { print $1 + 0, $2 + 0 }' "$1"
}
column() { # column NAME: of the CSV in out
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at + 0 }' out
}
run validate --dataset 7.8 --plot validate.svg --plot validate.gp --format csv
check "validate draws" eval 'exits 0 && begins validate.svg "<?xml" && has validate.svg "Predicted time (s)"'
column measured_time_s > x
column predicted_time_s > y
paste -d ' ' x y | sort > expected
points validate.gp 0_0 | sort > found
check "predicted over measured times, all six" eval 'cmp -s expected found && [ "$(wc -l < found)" -eq 6 ]'
check "and the line where both are the same" has validate.gp '^ *x with lines '
points validate.gp 1_1 | head -n 1 > found
check "measured slowdown of SAMPLE is 3.33/2.46 s" near "$(cut -d ' ' -f 2 found)" 1.353658537 1e-5
check "half of its interval is 1.3537 times hypot(0.07/3.33, 0.02/2.46)" near \
    "$(awk '/^\$data_1_1/ { getline; getline; print $4 - $2 }' validate.gp)" 0.0305096 2e-6
run validate --dataset no-such-table --plot none.svg
check "nothing to validate, no picture" eval '! exits 0 && [ ! -e none.svg ]'

run fit slowdown --run 1,1,10.0,hw=0.2 --run 8,4,10.5 --run 8,2,15.9 --free U,s --plot fit.svg --plot fit.gp
check "fit slowdown draws" eval 'exits 0 && begins fit.svg "<?xml" && has fit.svg "8 on 2 NICs"'
points fit.gp 0_1 | cut -d ' ' -f 2 > found
check "the times as given" [ "$(tr '\n' ' ' < found)" = '10 10.5 15.9 ' ]
points fit.gp 0_0 | cut -d ' ' -f 2 > found
check "three unknowns, three times: fitted exactly" near "$(sed -n 3p found)" 15.9 1e-6

"$CLUMPMODEL" import osu "$TOP/tests/logs/osu_latency_v74_tcp_r1.txt" --platform lab --transport tcp --db lab.db --quiet > /dev/null
run fit loggp --platform lab --db lab.db --resamples 100 --plot loggp.svg --plot loggp.gp
check "fit loggp draws" eval 'exits 0 && begins loggp.svg "<?xml" && has loggp.svg "Message size (bytes)"'
awk '/^[0-9]/ { print $1 + 0, $2 + 0 }' "$TOP/tests/logs/osu_latency_v74_tcp_r1.txt" | sed 's/^0 /1 /' | sort > expected
points loggp.gp 0_0 | sort > found
check "the points are those of the log" eval '[ -s found ] && cmp -s expected found'
check "a gap where a protocol ends" has loggp.gp '^ [0-9]* NaN$'

# ---- what goes wrong
refuses 2 "--plot: found 'x.gif', expected a name that ends in .svg, .png, .pdf or .gp" predict figure-8.2 --plot x.gif
refuses 2 "--plot: found '.svg'" predict figure-8.2 --plot .svg
refuses 2 "--plot: found '-'" predict figure-8.2 --plot -
refuses 2 "found 'b.svg', expected one picture and one script at most" predict figure-8.2 --plot a.svg --plot b.svg
refuses 2 "found 'a.svg', expected another file than that of --html" predict figure-8.2 --plot a.svg --html a.svg
refuses 2 "found './new.svg', expected another file than that of --html" predict figure-8.2 --plot ./new.svg --html new.svg
ln -s new.svg link.svg
refuses 2 "expected another file than that of --html" predict figure-8.2 --plot link.svg --html "$PWD/new.svg"
check "none of them is made" [ ! -e new.svg ]
printf 'return scenario { processors = 8, nics = 4, utilization = 0.5 }\n' > mine.lua
cp mine.lua before.lua
for words in '--html mine.lua' '--html ./mine.lua'; do
    for command in predict explore simulate; do
        refuses 2 "expected another file than the one to be read" $command mine.lua $words
    done
done
printf 'num_ranks 1\nrank 0 {\n a: calc 5\n}\n' > mine.goal
refuses 2 "expected another file than that of --schedule" simulate mine.lua --schedule mine.goal --html mine.goal
check "what is read is never written over" cmp -s mine.lua before.lua
refuses 2 "--plot-kind: found no --plot" predict figure-8.2 --plot-kind heat
run predict figure-8.2 --format csv --plot nowhere/a.svg
check "a directory that is not there" eval "exits 2 && cmp -s out plain.csv && has err \"cannot write 'nowhere/a.svg': No such\""
mkdir d.svg
run predict figure-8.2 --plot d.svg
check "a directory in the place of the file" eval 'exits 2 && has err "found a directory, expected a file"'
mkdir empty fake
echo before > kept.svg
PATH=$PWD/empty run predict figure-8.2 --plot kept.svg --format csv
check "without gnuplot the numbers come" cmp -s out plain.csv
check "and one line says what to install" eval 'exits 1 && [ "$(wc -l < err)" -eq 1 ] && has err "apt-get install gnuplot-nox"'
PATH=$PWD/empty run predict figure-8.2 --plot alone.gp
check "a script needs no gnuplot" eval 'exits 0 && cmp -s alone.gp figure.gp'
printf '#!/bin/sh\necho "line 0: it hurts" >&2\nexit 3\n' > fake/gnuplot
chmod +x fake/gnuplot
PATH=$PWD/fake run predict figure-8.2 --plot kept.svg
check "gnuplot's own message is told" eval 'exits 1 && has err "gnuplot failed: line 0: it hurts"'
check "a file is replaced by a whole one or not at all" [ "$(cat kept.svg)" = before ]
cat > many.lua <<'EOF'
return scenario { processors = range(1, 50), nics = 1, utilization = range(0, 1, 0.01) }
EOF
run predict many.lua --plot many.svg --format csv
check "more curves than can be told apart" eval 'exits 2 && has err "more than 40 curves" && [ ! -e many.svg ]'

# ---- the figures of the documents show the same; where, another gnuplot may see differently
again && exit 0
says() { grep -o '<title>[^<]*\|<text>[^0-9<][^<]*' "$1" | sort; }
while read -r figure arguments; do
    run $arguments --plot "$figure.svg"
    check "docs/figures/$figure.svg is what 'make figures' draws" eval 'exits 0 && [ "$(says "$figure.svg")" = "$(says "$TOP/docs/figures/$figure.svg")" ]'
done < "$TOP/docs/figures/commands"
