#compdef clumpmodel
# Completion of clumpmodel for zsh: put it as _clumpmodel into a folder of $fpath.
_clumpmodel() {
    local line name
    local -a candidates
    for line in ${(f)"$("${(Q)words[1]}" completion words -- "${(@Q)words[2,CURRENT]}" 2> /dev/null)"}; do
        name=${line%%$'\t'*}
        case $name in
        ':files') _files ;;
        ':files '*) _files -g "*${name#:files }" ;;
        *) candidates+=("${name//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    if (( $#candidates )); then _describe clumpmodel candidates; fi
}
if [ "$funcstack[1]" = _clumpmodel ]; then _clumpmodel "$@"; else compdef _clumpmodel clumpmodel; fi
