# SPDX-License-Identifier: GPL-3.0-or-later
# The first minute: make on a machine where nothing is installed, which commands of our own in front of
# the real ones play; how many jobs it takes; what `make run` says in the end. Nothing is compiled.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
again && { pass "does not depend on how the program was built"; exit 0; }

unset MAKEFLAGS MFLAGS MAKELEVEL GNUMAKEFLAGS MAKEOVERRIDES PKG_CONFIG CC BUILD
mkdir bin
fake() { # COMMAND SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
    chmod +x "bin/$1"
}
make_here() {
    ran="(make $*)"
    PATH=$PWD/bin:$PATH make -C "$TOP" --no-print-directory BUILD="$PWD/b" "$@" > out 2> err < /dev/null
    status=$?
}
once() { [ "$(cat out err | grep -c -- "$1")" = 1 ]; }

# Without packages and without the right to install them.
fake pkg-config 'exit 1'
fake dpkg-query 'exit 1'
fake gcc "echo \"\$*\" >> $PWD/gcc.log; exit 1"
fake sudo 'exit 1'
fake id 'echo 1000'
fake apt-get "echo \"\$*\" >> $PWD/apt.log"
everything='apt-get install -y.* libgsl-dev .*libcmocka-dev .*libomp-dev'
make_here PKG_CONFIG=no-such-program
check "make: without even pkg-config" once 'Missing: pkg-config libsqlite3-dev liblua5.4-dev libgsl-dev libjansson-dev libsmartcols-dev libhwloc-dev libxml2-dev nettle-dev zlib1g-dev$'
make_here
check "make: fails" exits 2
check "make: says once what is missing" once 'Missing: libsqlite3-dev liblua5.4-dev libgsl-dev libjansson-dev libsmartcols-dev libhwloc-dev libxml2-dev nettle-dev zlib1g-dev$'
check "make: one line to paste, for run and check" once "    sudo apt-get update && sudo $everything"
check "make: compiles nothing" [ ! -e gcc.log ]
make_here check-unit
check "make check-unit: says once what is missing" once 'Missing: .*libgsl-dev'
for goal in run setup check; do
    make_here $goal
    check "make $goal: fails" exits 2
    check "make $goal: one line to paste, for run and check" once "    sudo apt-get update && sudo $everything"
done
check "nothing was installed" [ ! -e apt.log ]
make_here clean
check "make clean needs no packages" exits 0
make_here help
check "make help needs no packages" exits 0

# Packages that are there and not found.
fake dpkg-query 'echo installed'
make_here PKG_CONFIG=false
check "make: packages that pkg-config does not find" once "'false' does not find: sqlite3 lua5.4 gsl jansson smartcols hwloc libxml-2.0 nettle zlib$"
check "make: where to look" once 'PKG_CONFIG_PATH'
check "make: compiles nothing then either" [ ! -e gcc.log ]
fake dpkg-query 'exit 1'

# With the right to.
fake id 'echo 0'
make_here
check "make, as root: says what is missing" once 'Missing: .* libgsl-dev'
check "make, as root: names make run" once "make run"
check "make, as root: the line has no sudo" once "^    apt-get update && $everything"
check "make, as root: installs nothing" [ ! -e apt.log ]
fake id 'echo 1000'
fake sudo '[ "$1" != -n ] || shift
exec "$@"'
make_here
check "make, with sudo: the line has it" once "    sudo apt-get update && sudo $everything"
fake apt-get "echo \"\$*\" >> $PWD/apt.log
case \$1 in install) rm -f $PWD/bin/pkg-config $PWD/bin/dpkg-query $PWD/bin/gcc ;; esac"
mkdir -p b
ln -sf "$CLUMPMODEL" b/clumpmodel
make_here run MAKE=true # what would build
check "make run: ends well" exits 0
check "make run: installs what building needs" has apt.log 'install .*libgsl-dev'
check "make run: and no more" lacks apt.log 'libcmocka-dev\|spin'

# What it shows in the end: few lines, a sentence with numbers, and commands that work.
check "make run: short" [ "$(wc -l < out)" -le 35 ]
check "make run: the six programs" [ "$(grep -c '^[A-Z3][^ ]* *\(FFT\)\? *[0-9.]*  *[0-9.]*  *[-+][0-9.]*%$' out)" = 6 ]
check "make run: a sentence that says what was seen" has out 'took 1.55 times as long and .* 0.63 times'
check "make run: what to do next" has out '^Next:'
check "make run: make install" has out '^  make install'
cp out shown
sed -n "s|^  \($PWD/b/clumpmodel .*\)|\1|p" shown > next
check "make run: commands to try" [ "$(wc -l < next)" -ge 2 ]
while read -r command; do
    (cd "$TOP" && $command) > out 2> err < /dev/null
    status=$? ran=${command#* }
    check "make run: '${command##*/}' works" exits 0
done < next

# Elsewhere than on Debian, with nothing but a shell.
mkdir elsewhere
for tool in sh basename id cat; do ln -s "$(command -v $tool)" elsewhere/; done
PATH=$PWD/elsewhere "$TOP/.ci/packages" build > out 2> err
status=$? ran="(packages build, not on Debian)"
check "not on Debian: says what is missing" has err 'Missing: gcc pkg-config .*libgsl-dev'
check "not on Debian: and goes no further" exits 1

# As many jobs as processors, unless somebody says otherwise.
echo 'show-flags: ; @: $(info =$(filter -j%,$(MAKEFLAGS))=)' > flags.mk
flags() { # ARGUMENTS...: those of the recipes
    make_here -f Makefile -f "$PWD/flags.mk" "$@"
}
flags show-flags jobs=7
check "make: in parallel" has out '^=-j7=$'
flags show-flags
check "make: as many as processors" has out "^=-j$(nproc)=$"
flags show-flags jobs=7 -j3
check "make -j3: three" has out '^=-j3=$'
flags show-flags jobs=7 -j1
check "make -j1: one" has out '^=-j1=$'
MAKEFLAGS=-j3 flags show-flags jobs=7
check "MAKEFLAGS=-j3: three" has out '^=-j3=$'
MAKEFLAGS=-s flags show-flags jobs=7
check "MAKEFLAGS=-s: in parallel" has out '^=-j7=$'
flags clean show-flags jobs=7
check "several goals: one after the other" has out '^==$'
MAKELEVEL=1 flags show-flags jobs=7
check "within another make: its own business" has out '^==$'

# What the documents show can be tried with the package's copy of them.
for folder in "$TOP"/docs/*/; do
    folder=docs/$(basename "$folder")
    [ "$folder" = docs/man ] || check "the package has $folder" grep -q -w -- "$folder" "$TOP/debian/clumpmodel.install"
done

# What `make run` ends with: each error is that of the numbers beside it, as far as their digits tell.
"$TOP/.ci/first-look" "$CLUMPMODEL" > out 2> err
status=$? ran='first-look'
check "the first look: six programs" eval 'exits 0 && [ "$(grep -c "%$" out)" = 6 ]'
check "the first look: errors are those of the numbers shown" awk '/%$/ {
    error = $NF; sub("%", "", error); predicted = $(NF - 1); measured = $(NF - 2)
    d = 100 * (predicted / measured - 1) - error; if (d < 0) d = -d
    if (d > 100 * 0.005 * (1 + predicted / measured) / measured + 0.1) exit 1 }' out
