#compdef supervisor
# Completion of supervisor for zsh. Load it after compinit with: source <(supervisor completion zsh)
_supervisor() {
  local -a candidates
  local line word files=0
  for line in "${(@f)$(supervisor completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ -n $line ]]; then
      word=${line%%$'\t'*}
      candidates+=("${word//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#candidates )) && _describe -V supervisor candidates
  if (( files )); then
    compset -P '--*='
    _files
  fi
}
if [[ $funcstack[1] == _supervisor ]]; then _supervisor "$@"; else compdef _supervisor supervisor; fi
