import type { CommandWords } from './words.ts';

const namesOf = ({ commands, options }: CommandWords) =>
  [...commands.map(({ name }) => name), ...options].join(' ');

/** A script for bash. After a command with operands, files are completed too. */
export function bashScript(all: readonly CommandWords[]): string {
  const cases = all.map((words) => `    '${words.path}') words='${namesOf(words)}' ;;`);
  const known = all.map(({ path }) => `'${path}'`).join('|');
  return `_grantbridge() {
  local path='' next word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in ${known}) path="$next" ;; esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _grantbridge grantbridge`;
}
