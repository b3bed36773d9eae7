# Completion of supervisor for bash. Load it with: source <(supervisor completion bash)
_supervisor_completion() {
  local -a words=()
  local word before= current strip= line file index
  # Readline splits words at ":" and "=". So the parts are joined here, and removed from each answer below.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=${COMP_WORDS[index]}
    if [[ ${#words[@]} -gt 0 && ( $word == [:=]* || $before == [:=]* ) ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    before=$word
  done
  current=${words[${#words[@]} - 1]}
  if [[ $current == *[:=]* ]]; then strip=${current%"${current##*[:=]}"}; fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "${current#"$strip"}")
    else
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$strip"}")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion words -- "${words[@]}" 2>/dev/null)
}
complete -F _supervisor_completion supervisor
