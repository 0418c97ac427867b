/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/output/errors.h"
#include "data/suggest.h"

#include <stdio.h>
#include <string.h>

/* COMP_WORDS has the words as they are typed, with backslashes. Candidates come back with them. */
static const char bash[] =
    "# Completion of clumpmodel for bash: source it, or put it where bash-completion looks for "
    "it.\n"
    "_clumpmodel() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} candidate\n"
    "    local -a words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\")\n"
    "    COMPREPLY=()\n"
    "    [ \"$current\" = = ] && current=\n"
    "    while IFS=$'\\t' read -r candidate _; do\n"
    "        case $candidate in\n"
    "        ':files'*)\n"
    "            local ending=${candidate#:files} file\n"
    "            compopt -o filenames 2> /dev/null\n"
    "            while IFS= read -r file; do\n"
    "                if [ -d \"$file\" ] || [[ $file == *\"${ending# }\" ]]; then "
    "COMPREPLY+=(\"$file\"); fi\n"
    "            done < <(compgen -f -- \"${current//\\\\/}\")\n"
    "            ;;\n"
    "        *)\n"
    "            printf -v candidate %q \"$candidate\"\n"
    "            COMPREPLY+=(\"$candidate\")\n"
    "            ;;\n"
    "        esac\n"
    "    done < <(\"$1\" completion words -- \"${words[@]//\\\\/}\" 2> /dev/null)\n"
    "    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2> /dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _clumpmodel clumpmodel\n";

static const char zsh[] =
    "#compdef clumpmodel\n"
    "# Completion of clumpmodel for zsh: put it as _clumpmodel into a folder of $fpath.\n"
    "_clumpmodel() {\n"
    "    local line name\n"
    "    local -a candidates\n"
    "    for line in ${(f)\"$(\"${(Q)words[1]}\" completion words -- \"${(@Q)words[2,CURRENT]}\" "
    "2> /dev/null)\"}; do\n"
    "        name=${line%%$'\\t'*}\n"
    "        case $name in\n"
    "        ':files') _files ;;\n"
    "        ':files '*) _files -g \"*${name#:files }\" ;;\n"
    "        *) candidates+=(\"${name//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    if (( $#candidates )); then _describe clumpmodel candidates; fi\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _clumpmodel ]; then _clumpmodel \"$@\"; else compdef _clumpmodel "
    "clumpmodel; fi\n";

static const char fish[] =
    "# Completion of clumpmodel for fish: put it as clumpmodel.fish into a folder of\n"
    "# $fish_complete_path.\n"
    "function __clumpmodel_words\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in ($words[1] completion words -- $words[2..-1] \"$current\" 2> /dev/null)\n"
    "        switch $line\n"
    "            case ':files' ':files *'\n"
    "                __fish_complete_suffix \"$current\" (string replace -r '^:files ?' '' -- "
    "$line)\n"
    "            case '*'\n"
    "                if string match -q -- '--*=*' \"$current\"\n"
    "                    echo (string replace -r '=.*' '=' -- \"$current\")$line\n"
    "                else\n"
    "                    echo $line\n"
    "                end\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c clumpmodel -f -a '(__clumpmodel_words)'\n";

static int run(const command_invocation *invocation)
{
    static const struct {
        const char *shell, *script;
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    const command_line *arguments = &invocation->arguments;
    const char *wanted = arguments->operands[0];
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, wanted);
    if (strcmp(wanted, "words") == 0) {
        completion_print(arguments->operands + 1, arguments->operand_count - 1);
        return EXIT_DONE;
    }
    if (arguments->operand_count > 1)
        return error_usage(arguments->command, "found '%.80s', expected nothing more",
                           arguments->operands[1]);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(wanted, shells[i].shell) == 0) {
            fputs(shells[i].script, stdout);
            return EXIT_DONE;
        }
        clump_suggest_offer(&suggestion, shells[i].shell);
    }
    return error_usage(arguments->command, "found '%.80s', expected bash, zsh or fish%s", wanted,
                       clump_suggest_text(&suggestion, "", hint));
}

const command_entry command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "Print the completion of command lines for a shell",
    .text = "'make install' puts all three where the shells look for them. The scripts ask\n"
            "'clumpmodel completion words -- WORD...' what the last word can become.",
    .examples = "clumpmodel completion bash\n"
                "clumpmodel completion words -- predict --plot-kind h",
    .least_operands = 1,
    .most_operands = 10000,
    .run = run,
};
