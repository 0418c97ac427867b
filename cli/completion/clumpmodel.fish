# Completion of clumpmodel for fish: put it as clumpmodel.fish into a folder of
# $fish_complete_path.
function __clumpmodel_words
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion words -- $words[2..-1] "$current" 2> /dev/null)
        switch $line
            case ':files' ':files *'
                __fish_complete_suffix "$current" (string replace -r '^:files ?' '' -- $line)
            case '*'
                if string match -q -- '--*=*' "$current"
                    echo (string replace -r '=.*' '=' -- "$current")$line
                else
                    echo $line
                end
        end
    end
end
complete -c clumpmodel -f -a '(__clumpmodel_words)'
