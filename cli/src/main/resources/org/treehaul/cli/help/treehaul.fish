# Completion of treehaul for fish, made by 'treehaul completion fish'. Starts no Java.

function __treehaul_first -d 'Succeeds before the name of a command'
    test (count (commandline -opc)) -eq 1
end

function __treehaul_command -d 'Succeeds if the command is one of those given'
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv
end

function __treehaul_operand -d 'Prints the number of the operand at the cursor'
    set -l words (commandline -opc)
    set -l required @REQUIRED@
    set -l number 0
    for i in (seq 2 (count $words))
        if not string match -q -- '-*' $words[$i]; and not contains -- $words[(math $i - 1)] $required
            set number (math $number + 1)
        end
    end
    echo $number
end

function __treehaul_value -d 'Prints the part of the word that is the value'
    commandline -ct | string replace -r -- '^--[^=]*=' ''
end

function __treehaul_directories -d 'Prints directories'
    __fish_complete_directories (__treehaul_value) ''
end

function __treehaul_list -d 'Prints lists that continue with one of the words'
    set -l prefix (__treehaul_value | string replace -r '[^,]*$' '')
    printf '%s\n' $prefix$argv
end

function __treehaul_transfers -d 'Prints the ids of transfers'
    set -l state $TREEHAUL_HOME ~/.treehaul
    set -l words (commandline -opc)
    for i in (seq (count $words))
        test "$words[$i]" = --state-dir; and set state $words[(math $i + 1)] $state
        string match -q -- '--state-dir=*' $words[$i]; and set state (string replace -- --state-dir= '' $words[$i]) $state
    end
    set -l paths (string replace -r '^~' $HOME -- $state[1] | string replace -a %u $USER)/transfers/*/
    string replace -r '.*/([^/]+)/$' '$1' -- $paths
end

function __treehaul_presets -d 'Prints the presets in the files of settings'
    set -l site $TREEHAUL_SITE_CONFIG /etc/treehaul/config
    set -l user $XDG_CONFIG_HOME ~/.config
    cat $site[1] $user[1]/treehaul/config 2>/dev/null | string match -r -g '^\s*\[\s*preset\s+([^\s\]]+)\s*\]\s*$'
end

complete -c treehaul -f
complete -c treehaul -n __treehaul_first -l help -d 'Print help'
complete -c treehaul -n __treehaul_first -l version -d 'Print the version'
@COMMANDS@
@OPTIONS@
