# SPDX-License-Identifier: GPL-3.0-or-later
# The page that --html writes, as far as no browser is needed: whole, alone, escaped, and with an engine
# that belongs to the sources. tests/page/ uses it in a browser (make check-page).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "the page, once; with sanitizers in make check-sanitize-all"; exit 0; }

run predict figure-8.2 --format csv
mv out plain.csv
run predict figure-8.2 --html page.html --format csv
check "a page is made" exits 0
check "the numbers come too" cmp -s out plain.csv
check "nothing is said" empty err
ran='predict figure-8.2 --html page.html'

check "begins and ends as a page" eval '[ "$(head -n 1 page.html)" = "<!DOCTYPE html>" ] && [ "$(tail -n 1 page.html)" = "</html>" ]'
for element in html head title style body header main section footer table figure form h1; do
    check "as many <$element> as </$element>" \
        [ "$(grep -o "<$element[ >]" page.html | wc -l)" -eq "$(grep -o "</$element>" page.html | wc -l)" ]
done
sed '/<script>/,/<\/script>/d' page.html > markup
check "nothing is fetched: no address in it" lacks markup '\(src\|href\)=\|url(\|https\?:'
check "the page says so to the browser" has page.html "content=\"default-src 'none'; style-src 'sha256-"
check "the title" has page.html '<h1>Slowdown of 8 processors that share 4 NICs</h1>'
check "the scenario, escaped" has page.html '^return scenario {$'
check "303 rows to read" [ "$(sed -n '/<tbody>/,/<\/tbody>/p' page.html | grep -c '^<tr>')" -eq 303 ]

# The first line answers the title: worked out from the CSV. What others show stands once.
says() { sed -n 's/.*<p id="says">\([^<]*\)<.*/\1/p' "$1"; }
up_to() { # up_to DEMAND: the greatest U below which the node is as fast as the NOW everywhere
    awk -F, -v demand="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["demand"] == demand { if ($at["slowdown"] > 1 + 1e-9) { print last; exit } last = $at["utilization"] + 0 }' plain.csv
}
check "up to which utilization" [ "$(says page.html)" = "A node is as fast as the NOW as long as its processors communicate at most a share U of their time: U = $(up_to correlated) (correlated), $(up_to independent) (independent), $(up_to scheduled) (scheduled)." ]
check "the title stands in the head and the heading, for those who listen at the table, and in the data" \
    [ "$(grep -o 'Slowdown of 8 processors that share 4 NICs' page.html | wc -l)" -eq 4 ]
run predict nics-per-node --html least.html --format csv
least() { awk -F, -v demand="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["demand"] == demand && $at["slowdown"] <= 1 { print $at["nics"]; exit }' out; }
check "how many NICs" [ "$(says least.html)" = "To be as fast as the NOW a node needs $(least independent) NICs (independent), $(least correlated) NICs (correlated), $(least scheduled) NICs (scheduled)." ]
answers() { # answers WORDS LUA: the first line of a scenario's page
    printf 'return scenario { processors = 8, %s }\n' "$2" > answers.lua
    run predict answers.lua --html answers.html
    check "answers: $2" [ "$(says answers.html)" = "$1" ]
}
answers '8 NICs are enough for a node to be as fast as the NOW: slowdown 1.0000; with 4 NICs it takes 2 times as long as the NOW.' 'nics = { 4, 8 }, utilization = 1'
answers 'No number of NICs that was tried makes a node as fast as the NOW: with 2 NICs it takes 4 times as long as the NOW.' 'nics = { 1, 2 }, utilization = 1'
answers 'To be as fast as the NOW a node needs at most 8 NICs (1 NIC/processor), at most 8 NICs (2 NICs/processor).' \
    'nics = { 4, 8 }, utilization = 1, max_nics_per_processor = { 1, 2 }'
answers 'No number of NICs that was tried makes a node as fast as the NOW. The Clump takes 4 times as long as the NOW (independent, 1 NIC) at worst, 33.3% longer than the NOW (scheduled, 3 NICs) at best.' \
    'nics = { 1, 3 }, utilization = 0.5, demand = { "independent", "scheduled" }'
answers 'The Clump takes 50.0% longer than the NOW.' 'nics = 4, utilization = 0.5, demand = "correlated"'
answers 'The Clump takes 50.0% longer than the NOW (correlated) at worst, as long as the NOW (scheduled) at best; in 1 of 2 cases it is as fast as the NOW or faster.' \
    'nics = 4, application = { application { name = "a", utilization = 0.5 } }, demand = { "correlated", "scheduled" }'
# Nine NICs on two sockets: the mean is 0.9987, but all wait for the slowest, 1.0023.
answers '10 NICs are enough for a node to be as fast as the NOW: slowdown 0.9520; with 9 NICs it takes 0.2% longer than the NOW.' \
    'nics = { 9, 10 }, utilization = 0.5, demand = "correlated", placement = { domains = 2, far = 0.77 }'

run explore nics-per-node --html explored.html
check "explore: all rows answer as those of predict" eval '[ "$(says explored.html)" = "$(says least.html)" ]'
run explore nics-per-node --where 'slowdown > 1' --html chosen.html
check "explore: rows that were chosen say nothing of those that were left out" eval 'has chosen.html "id=.says.>The Clump takes 3.68 times as long as the NOW (correlated, 1 NIC) at worst"'
run explore nics-per-node -s f=0.2,0.8 --html swept.html
check "explore: what is swept is named" eval 'has swept.html "id=.says.>To be as fast as the NOW a node needs 1 NIC (independent, f = 0.2), "'
run explore nics-per-node -s most=3,9 --html swept.html --format csv
check "explore: variables that results do not tell: best and worst of all" eval 'has swept.html "id=.says.>The Clump takes 3.68 times as long as the NOW (correlated, 1 NIC) at worst, 40.4% less time than the NOW (scheduled, 9 NICs) at best"'

# The policy allows exactly the script and the style that are in the page.
digest() { printf "$(sha256sum | cut -d ' ' -f 1 | sed 's/../\\x&/g')" | base64; }
style=$(sed -n '/^<style>/,/^<\/style>/p' page.html | sed '1s/^<style>//; $d' | digest)
script=$(sed -n '/^<script>/,/^<\/script>/p' page.html | sed '1s/^<script>//; $d' | digest)
check "the style's digest" has page.html "style-src 'sha256-$style'"
check "the script's digest" has page.html "script-src 'wasm-unsafe-eval' 'sha256-$script'"

# The engine is the one in web/, and that was made from the model as it is.
sed -n 's/.*id="engine">\([^<]*\)<.*/\1/p' page.html | base64 -d > engine.wasm
check "the page carries web/engine.wasm" cmp -s engine.wasm "$TOP/web/engine.wasm"
check "which is WebAssembly" [ "$(head -c 4 engine.wasm | tail -c 3)" = asm ]
ran='web/build.sh sum'
check "web/engine.wasm belongs to model/ as it is (if not: make web-engine)" \
    [ "$("$TOP/web/build.sh" sum)" = "$(cat "$TOP/web/engine.sum")" ]

# Where the sliders start: the numbers of the CSV, all digits.
run predict clump-vs-now --html clump.html --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { waits = $at["demand"] == "correlated" || $at["paced_by"] != ""
      print $at["processors"] "," $at["nics"] "," $at["utilization"] "," $at[waits ? "slowest_slowdown" : "slowdown"] }' out | sort > rows
grep -o '"P":[^}]*' clump.html |
    sed 's/"P":\([^,]*\),"N":\([^,]*\),"U":\([^,]*\),.*"X":\(.*\)/\1 \2 \3 \4/' |
    awk '{ printf "%d,%d,%.15g,%.15g\n", $1, $2, $3, $4 }' | sort > starts
check "36 rows to start from, as in the CSV" eval 'cmp -s rows starts && [ "$(wc -l < rows)" -eq 36 ]'
check "sources with table and page" has clump.html 'table 7.8, section'
check "what was measured is in the pictures" has clump.html '"name":"measured, 95% interval"'

# Texts of strangers.
cat > hostile.lua <<'EOF'
local evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\"'"
return scenario { title = evil, application = application { name = evil, utilization = 0.3 },
  platform = platform { name = evil, processors = 4, nics = 2 }, nics = { 1, 2 } }
EOF
run predict hostile.lua --html hostile.html
check "a hostile title" exits 0
check "three scripts: data, engine, program" [ "$(grep -o '<script' hostile.html | wc -l)" -eq 3 ]
check "no element but our own" lacks hostile.html '<img'
check "the title shows as it is" has hostile.html '<h1>&lt;/script&gt;&lt;script&gt;alert(1)'

cat > set.lua <<'EOF'
what = what or "x"
return scenario { title = what, processors = 2, nics = 1, utilization = 0.5 }
EOF
run predict set.lua -D 'what=<b>&' --html set.html
check "how it was asked for" has set.html "<pre tabindex=\"0\">clumpmodel predict &#39;set.lua&#39; --define &#39;what=&lt;b&gt;&amp;&#39; --html &#39;set.html&#39;</pre>"
"$CLUMPMODEL" predict - --html stdin.html < set.lua > out 2> err
check "a scenario from standard input" has stdin.html '<h1>x</h1>'

# Failures change nothing.
echo before > kept.html
refuses 2 "shipped" predict no-such-scenario --html kept.html
check "a failed run keeps the file" [ "$(cat kept.html)" = before ]
run predict figure-8.2 --html nowhere/page.html
check "a directory that is not there" eval "exits 2 && has err \"cannot write 'nowhere/page.html'\""
run predict figure-8.2 --html ''
check "an empty name" eval "exits 2 && has err \"--html: found '', expected the name of a file\""
cat > many.lua <<'EOF'
return scenario { processors = range(1, 50), nics = 1, utilization = range(0, 1, 0.01) }
EOF
run predict many.lua --html many.html
check "without a picture there is a page still" eval 'exits 0 && has err "more than 40 curves" && has many.html "</html>"'
check "long tables are cut, and say so" has many.html 'The first 2000 of 5050 rows'
check "at most 300 rows to start from" [ "$(grep -o '"P":' many.html | wc -l)" -le 300 ]
