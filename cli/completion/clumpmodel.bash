# Completion of clumpmodel for bash: source it, or put it where bash-completion looks for it.
_clumpmodel() {
    local current=${COMP_WORDS[COMP_CWORD]} candidate
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=()
    [ "$current" = = ] && current=
    while IFS=$'\t' read -r candidate _; do
        case $candidate in
        ':files'*)
            local ending=${candidate#:files} file
            compopt -o filenames 2> /dev/null
            while IFS= read -r file; do
                if [ -d "$file" ] || [[ $file == *"${ending# }" ]]; then COMPREPLY+=("$file"); fi
            done < <(compgen -f -- "${current//\\/}")
            ;;
        *)
            printf -v candidate %q "$candidate"
            COMPREPLY+=("$candidate")
            ;;
        esac
    done < <("$1" completion words -- "${words[@]//\\/}" 2> /dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2> /dev/null
    return 0
}
complete -F _clumpmodel clumpmodel
