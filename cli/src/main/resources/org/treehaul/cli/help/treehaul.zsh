#compdef treehaul
# Completion of treehaul for zsh, made by 'treehaul completion zsh'. Starts no Java.

# Completes the given words and the ids of the transfers in the state directory.
_treehaul_transfers() {
  local directory=${opt_args[--state-dir]:-${TREEHAUL_HOME:-$HOME/.treehaul}}
  directory=${directory//\%u/$USERNAME}
  local -a ids
  ids=(${~directory}/transfers/*(N/:t))
  compadd "$@" $ids
}

# Completes the presets in the files of settings.
_treehaul_presets() {
  local -a presets
  presets=(${(f)"$(sed -n 's/^[[:blank:]]*\[[[:blank:]]*preset[[:blank:]]\{1,\}\([^][:blank:]]*\)[[:blank:]]*\][[:blank:]]*$/\1/p' \
    ${TREEHAUL_SITE_CONFIG:-/etc/treehaul/config} ${XDG_CONFIG_HOME:-$HOME/.config}/treehaul/config 2> /dev/null)"})
  compadd "$@" $presets
}

# Succeeds if the command is one of those given.
_treehaul_for() {
  (( $@[(Ie)$command] ))
}

_treehaul() {
  local curcontext=$curcontext state line command
  local -a specs commands
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[Print help]' '(- *)'{-V,--version}'[Print the version]' \
    '1:command:->command' '*::argument:->arguments' && return
  if [[ $state == command ]]; then
    commands=(
@COMMANDS@
    )
    _describe command commands
    return
  fi
  command=$words[1]
@OPTIONS@
  _arguments -s -S : $specs
}

if [[ $funcstack[1] == _treehaul ]]; then
  _treehaul "$@"
else
  compdef _treehaul treehaul
fi
