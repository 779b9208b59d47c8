# Completion of treehaul for bash, made by 'treehaul completion bash'. Starts no Java.

# Prints the ids of the transfers in the state directory.
_treehaul_transfers() {
    local state=${TREEHAUL_HOME:-$HOME/.treehaul} i path
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == --state-dir ]]; then
            state=${COMP_WORDS[i + 1]}
            [[ $state != '=' ]] || state=${COMP_WORDS[i + 2]}
        fi
    done
    state=${state//%u/${USER:-$(id -un)}}
    for path in "${state/#\~/$HOME}"/transfers/*/; do
        path=${path%/}
        # Bash would carry out commands in other names.
        [[ ${path##*/} == *[^0-9a-z-]* ]] || printf '%s\n' "${path##*/}"
    done
}

# Prints the presets in the files of settings, without those in whose names Bash would carry out commands.
_treehaul_presets() {
    local user=${XDG_CONFIG_HOME:-$HOME/.config}/treehaul/config
    sed -n 's/^[[:blank:]]*\[[[:blank:]]*preset[[:blank:]]\{1,\}\([[:alnum:]_.,:+@%-]*\)[[:blank:]]*\][[:blank:]]*$/\1/p' \
        "${TREEHAUL_SITE_CONFIG:-/etc/treehaul/config}" "$user" 2> /dev/null
}

# Sets kind and words for the value of the option $2 of the command $1; fails if it takes none.
_treehaul_value() {
    case $1/$2 in
@VALUES@
        */kind) kind=words words='regular directory symlink fifo socket block character' ;;
        *) return 1 ;;
    esac
}

# Sets kind and words for the operand number $2 of the command $1.
_treehaul_operand() {
    case $1/$2 in
@OPERANDS@
        *) kind=text ;;
    esac
}

# Sets words to the options of the command $1.
_treehaul_options() {
    kind=words
    case $1 in
@OPTIONS@
    esac
}

_treehaul() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local optional=' @OPTIONAL@ '
    local option='' kind='' words='' prefix='' operands=1 ended='' i
    COMPREPLY=()
    # Bash makes '=' a word of its own.
    if [[ $current == '=' ]]; then
        option=$previous current=
    elif [[ $previous == '=' ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $previous == -* && $optional != *" $previous "* ]]; then
        option=$previous
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            --) ended=yes ;;
            =) ((++i)) ;;
            -*)
                if [[ $optional != *" ${COMP_WORDS[i]} "* ]] && _treehaul_value "$command" "${COMP_WORDS[i]}"; then
                    [[ ${COMP_WORDS[i + 1]} == '=' ]] || ((++i))
                fi
                ;;
            *) ((++operands)) ;;
        esac
    done
    if ((COMP_CWORD == 1)); then
        kind=words words='@COMMANDS@ --help --version'
    elif [[ $option && ! $ended ]] && _treehaul_value "$command" "$option"; then
        :
    elif [[ $current == -* && ! $ended ]]; then
        _treehaul_options "$command"
    else
        _treehaul_operand "$command" "$operands"
    fi
    case $kind in
        files) ;; # Readline completes names of files where there is no reply.
        directories) compopt -o dirnames +o bashdefault +o default ;;
        text) compopt +o bashdefault +o default ;;
        words | list | condition | transfers | presets)
            compopt +o bashdefault +o default
            [[ $kind != transfers ]] || words+=" $(_treehaul_transfers)"
            [[ $kind != presets ]] || words=$(_treehaul_presets)
            [[ $kind != list || $current != *,* ]] || prefix=${current%,*},
            mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "${current#"$prefix"}")
            if [[ $kind == list || $kind == condition || ${COMPREPLY[0]-} == *= ]]; then
                compopt -o nospace
            fi
            ;;
    esac
}

complete -o bashdefault -o default -F _treehaul treehaul
