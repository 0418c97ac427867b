#!/bin/bash
# Install into a folder of our own, use the library as somebody else's program would, uninstall.
# usage: run.sh BUILD-FOLDER, below the top folder
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
folder=$1
CLUMP_TEST_JOBS=1 # each step needs those before
. "$top/tests/jobs.sh"
# The prefix must not contain spaces, even if the path of this checkout does.
prefix=$work/prefix

steps=() commands=()
step() { # description, command...
    steps+=("$1")
    commands+=("${*:2}")
}
job() {
    local i=0
    until [ "${steps[i]}" = "$1" ]; do i=$((i + 1)); done
    ${commands[i]} && echo "ok - $1"
}

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
external() { # compiler
    # shellcheck disable=SC2046 # flags are several words
    "$1" -std=c11 -Wall -Wextra -Werror "$here/external.c" -o "$prefix/external" \
        $(pkg-config --cflags --libs clumpmodel)
    "$prefix/external"
}
in_cpp() {
    # shellcheck disable=SC2046
    echo "#include <clumpmodel.h>" | clang -x c++ -fsyntax-only -Wall -Werror $(pkg-config --cflags clumpmodel) -
}
external_static() {
    # shellcheck disable=SC2046
    gcc -std=c11 "$here/external.c" -o "$prefix/external" $(pkg-config --cflags --libs clumpmodel-static)
    "$prefix/external" && ! ldd "$prefix/external" | grep libclumpmodel
}
documented() { # the program of docs/library.md, with each of its command lines
    local lines=0 line
    mkdir "$prefix/documented" && cd "$prefix/documented" || return
    awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$top/docs/library.md" > program.c
    while IFS= read -r line; do
        lines=$((lines + 1))
        case $line in
        ./*) [ "$(sh -c "$line")" = "${line##*\# }" ] || return ;;
        *) rm -f program && sh -c "$line" || return ;;
        esac
    done < <(awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$top/docs/library.md")
    cd / && rm -r "$prefix/documented" && [ "$lines" = 4 ]
}
external_protocols() { # nothing but that library, zlib and the C library
    # shellcheck disable=SC2046
    gcc -std=c11 -Wall -Wextra -Werror "$here/protocols.c" -o "$prefix/external" $(pkg-config --cflags clumpmodel) \
        "$prefix/lib/libclumpprotocols.a" -lz
    "$prefix/external"
}
python_module() { # from the tree, with the library and the program that were installed
    command -v python3 > /dev/null || { echo "skip the Python module: there is no python3"; return 0; }
    PYTHONPATH=$top/python PYTHONDONTWRITEBYTECODE=1 CLUMPMODEL_LIBRARY=$prefix/lib/libclumpmodel.so \
        CLUMPMODEL_PROGRAM=$prefix/bin/clumpmodel python3 "$here/python.py"
}
promised() { # what the installed headers declare, by gcc's own list, is what the shared library exports
    echo '#include <clumpmodel.h>' > "$work/promise.c"
    # shellcheck disable=SC2046
    gcc -std=c11 $(pkg-config --cflags clumpmodel) -aux-info "$work/declared" -S -o /dev/null "$work/promise.c" || return
    {
        awk -v here="/* $prefix/" 'index($0, here) == 1 && / extern / && match($0, /clump_[a-z0-9_]+ \(/) {
            print substr($0, RSTART, RLENGTH - 2) }' "$work/declared"
        grep -rhE '^extern [^(]*;' "$prefix/include/clumpmodel" | sed 's/[[;].*//; s/.*[ *]//' # no functions
    } | LC_ALL=C sort -u > "$work/promised"
    nm -D --defined-only "$prefix/lib/libclumpmodel.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
        LC_ALL=C sort -u | diff "$work/promised" - && [ -s "$work/promised" ]
}
moved_program() { # the installed program needs nothing of the source tree
    cd / && "$prefix/bin/clumpmodel" predict nics-per-node --format csv | grep SAMPLE >/dev/null
}
completions() { # of the installed program, in bash as it is found there
    cd / && PATH=$prefix/bin:$PATH bash --norc -c '. "$1"; COMP_WORDS=(clumpmodel predict nics); COMP_CWORD=2
        _clumpmodel clumpmodel; [ "${COMPREPLY[*]}" = nics-per-node ]' bash \
        "$prefix/share/bash-completion/completions/clumpmodel" &&
        grep -q '^#compdef clumpmodel' "$prefix/share/zsh/site-functions/_clumpmodel" &&
        grep -q '^complete -c clumpmodel' "$prefix/share/fish/vendor_completions.d/clumpmodel.fish"
}
nothing_left() { # but what was there before
    [ "$(cd "$prefix" && find . | LC_ALL=C sort | tr '\n' ' ')" = '. ./external ./share ./share/man ./share/man/man1 ' ]
}
# Where the loader looks it is told; as it would be told below /usr/local by root.
known_folder() {
    mkdir -p "$work/known/bin" "$work/known/lib/pkgconfig" &&
        printf '#!/bin/sh\n[ "$1" = -v ] && echo "%s: (from here)" || echo told >> %s\n' "$work/known/lib" \
            "$work/known/told" > "$work/known/bin/ldconfig" && chmod +x "$work/known/bin/ldconfig" &&
        (cd "$top" && PATH=$work/known/bin:$PATH .ci/loader installed 1.2.3 '' "$work/known" "$work/known/lib") \
            > "$work/known/said" && [ "$(cat "$work/known/told")" = told ] && [ ! -s "$work/known/said" ] &&
        grep -q '^Libs: -L${libdir} -lclumpmodel$' "$work/known/lib/pkgconfig/clumpmodel.pc" &&
        grep -q '^Version: 1.2.3$' "$work/known/lib/pkgconfig/clumpmodel.pc"
}
staged() { # for a package: no folder of this machine in its files, nothing left of the stage but itself
    local stage=$work/stage
    mkdir "$stage" && make -C "$top" --no-print-directory install PREFIX="$prefix" BUILD="$folder" \
        DESTDIR="$stage" && ! grep -rqs "$stage" "$stage$prefix/lib/pkgconfig" &&
        ! grep -q rpath "$stage$prefix/lib/pkgconfig/clumpmodel.pc" && [ ! -e "$stage$prefix/share/clumpmodel/folders" ] &&
        make -C "$top" --no-print-directory uninstall PREFIX="$prefix" BUILD="$folder" DESTDIR="$stage" &&
        [ -z "$(ls -A "$stage" 2> /dev/null)" ]
}

make_here() { # TARGET
    make -C "$top" --no-print-directory "$1" PREFIX="$prefix" BUILD="$folder"
}
make_install() { # what is built already serves here, too, but for what knows the prefix
    local part
    rm -rf "$folder" && mkdir -p "$folder" || return
    for part in "$(dirname "$folder")"/*; do
        case ${part##*/} in
        "${folder##*/}" | sanitize | threads | fuzzing | spin | tests) ;;
        *) cp -a "$part" "$folder/" || return ;;
        esac
    done
    mkdir -p "$prefix/share/man/man1" # they are not ours, and stay
    make_here install && make_here install
}
same_version() {
    test "$(pkg-config --modversion clumpmodel)" = "$("$prefix/bin/clumpmodel" --version | sed 's/.* //;q')"
}
packaging() { # debian/ is of this version, and of this binary interface
    local soname
    soname=$(cd "$prefix/lib" && echo libclumpmodel.so.*) &&
        grep -q "^clumpmodel ($(pkg-config --modversion clumpmodel)) " "$top/debian/changelog" &&
        grep -q "^Package: libclumpmodel${soname##*.}$" "$top/debian/control" &&
        [ -f "$top/debian/libclumpmodel${soname##*.}.install" ]
}
step "make install" make_install
step "external program with gcc" external gcc
step "external program with clang" external clang
step "headers in C++" in_cpp
step "external program, static" external_static
step "the program of docs/library.md" documented
step "external program of the protocols alone" external_protocols
step "version of pkg-config" same_version
step "versions of debian/" packaging
step "the headers and the shared library have the same names" promised
step "the Python module" python_module
step "installed program and scenarios" moved_program
step "completion for shells" completions
step "where the loader looks it is told" known_folder
step "a stage for packages" staged
step "make uninstall" make_here uninstall
step "nothing is left behind" nothing_left
run_jobs install "${steps[@]}"
