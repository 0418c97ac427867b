# SPDX-License-Identifier: GPL-3.0-or-later
# Completion: what can follow, from the tables of the help; and the scripts in the shells themselves.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "completion, once; with sanitizers in make check-sanitize-all"; exit 0; }

offers() { # offers "CANDIDATES" WORD...: exactly these, in this order
    local expected=$1
    shift
    run completion words -- "$@"
    if exits 0 && empty err && [ "$(cut -f 1 out | tr '\n' ' ')" = "${expected:+$expected }" ]; then
        pass "offers '$expected': $*"
    else
        fail "offers '$expected': $*"
    fi
}
offers 'predict' p
offers 'slowdown' slow
offers 'list show export merge check remove rename' data ''
offers 'list show export merge check remove rename' --db x --quiet data ''
offers '--plot --plot-kind' predict --plot
offers '--plot-kind' predict --plot x.svg --plot-
offers 'lines heat' predict --plot-kind ''
offers 'heat' predict --plot-kind=h
offers 'heat' predict --plot-kind = h
offers 'table json csv md latex' predict figure-8.2 --format ''
offers 'json' --format j
offers 'figure-8.2 figure-8.3 figure-8.4 :files .lua' predict fig
offers '' predict figure-8.2 ''
offers 'independent correlated scheduled gang:' slowdown -P 8 --demand ''
offers '--define' predict -D a=1 --def
offers '3-D FFT' data show 3
offers 'osu' import o
offers '--platform' import auto - --pl
offers ':files' import osu ''
offers ':files' import osu a.txt ''
offers ':files' predict --html ''
offers 'e5000-clump e5000-clump-4x4 e5000-myrinet e5000-smp e5000-smp-2-banks' import osu --platform e5
offers 'platforms' data list pl
offers 'show' help data s
offers '' nonsense ''
offers '' predict --no-such-option=
printf '%s\n' 'platform,nodes' > broken.db
offers '' --db broken.db data show ''

# No second list: every command and option of the help is offered, and nothing else.
for command in '' slowdown predict import data 'data list' 'data show' 'data export' 'data check' 'data remove' 'data rename' completion; do
    "$CLUMPMODEL" help $command | sed -n '/^Options/,/^Examples/s/^ .*--\([a-z-]*\).*/--\1/p' | sort -u > in_help
    run completion words -- $command --
    cut -f 1 out | sort -u > offered
    check "options of '$command' are those of its help" cmp -s in_help offered
done
"$CLUMPMODEL" help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' > in_help
run completion words -- ''
cut -f 1 out > offered
check "commands are those of the help" cmp -s in_help offered

refuses 2 "found 'tcsh', expected bash, zsh or fish" completion tcsh
for shell in bash zsh fish; do
    run completion $shell
    check "a script for $shell" eval 'exits 0 && empty err && has out "completion words"'
    cp out "completion.$shell"
    command -v $shell > /dev/null && check "$shell understands it" $shell -n "completion.$shell"
done

# ---- in bash itself
mkdir -p bin folder
ln -sf "$CLUMPMODEL" bin/clumpmodel
touch own.lua other.txt 'a b.lua'
PATH=$PWD/bin:$PATH
bash_offers() { # bash_offers "REPLIES with |" WORD...
    local expected=$1 found
    shift
    found=$(bash --norc -c '. ./completion.bash; COMP_WORDS=(clumpmodel "$@"); COMP_CWORD=$#; _clumpmodel clumpmodel
        IFS="|"; echo "${COMPREPLY[*]}"' bash "$@" 2> err)
    ran="completion in bash: $*"
    echo "$found" > out
    check "bash: '$expected' for $*" [ "$found" = "$expected" ]
}
bash_offers 'predict' pred
bash_offers 'figure-8.2|figure-8.3|figure-8.4' predict fig
bash_offers 'own.lua' predict ow
bash_offers '' predict oth
bash_offers 'other.txt' import osu oth
bash_offers '3-D\ FFT' data show 3
bash_offers '3-D\ FFT' data show '3-D\ F'
bash_offers 'heat' predict --plot-kind = h
bash_offers 'lines|heat' predict --plot-kind =
bash_offers 'gang:' slowdown --demand g
bash_offers 'folder' predict fol
if script -qec true /dev/null > /dev/null 2>&1; then # what a user sees who presses the tabulator key
    # Each line when the prompt is there: what comes before readline does, is no key to it.
    prompts() { [ "$(grep -ao '^bash-[0-9.]*[#$]' screen 2> no | wc -l)" -ge "$1" ]; }
    {
        await prompts 1
        echo '. ./completion.bash'
        await prompts 2
        printf 'clumpmodel predict figure-8.2 --form\tcs\t> typed\n'
        await prompts 3
        echo exit
    } | TERM=dumb script -qfc 'bash --norc --noprofile -i' screen > out 2>&1
    ran='clumpmodel predict figure-8.2 --form<TAB>cs<TAB>'
    check "bash with the key itself" eval 'head -n 1 typed | grep -q "^scenario,application"'
fi

# ---- and in the others, where they are
if command -v fish > /dev/null; then
    fish_offers() { # fish_offers "CANDIDATES" "LINE"
        ran="fish: $2"
        fish --no-config -c '. ./completion.fish; complete -C "$argv"' "$2" > out 2> err
        check "fish: '$1' for $2" [ "$(cut -f 1 out | tr '\n' ' ')" = "$1 " ]
    }
    fish_offers 'predict' 'clumpmodel pred'
    fish_offers 'heat lines' 'clumpmodel predict --plot-kind '
    fish_offers '--plot-kind=heat' 'clumpmodel predict --plot-kind=h'
    fish_offers 'own.lua' 'clumpmodel predict ow'
fi
if command -v zsh > /dev/null; then
    cat > drive.zsh <<'EOF'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1='> '; fpath=($PWD/site \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; path=($PWD/bin \$path)"
sleep 1
zpty -w -n z $'clumpmodel predict figure-8.2 --form\tcs\t> typed.zsh\n'
repeat 3000; do [[ -s typed.zsh ]] && break; sleep 0.2; done
zpty -d z
EOF
    mkdir -p site
    cp completion.zsh site/_clumpmodel
    ran='clumpmodel predict figure-8.2 --form<TAB>cs<TAB> in zsh'
    zsh -f drive.zsh > out 2>&1
    check "zsh with the key itself" eval 'head -n 1 typed.zsh | grep -q "^scenario,application"'
fi
