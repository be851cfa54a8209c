import type { CommandWords } from './words.ts';

const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** True where exactly these words of commands stand before the cursor, whatever options stand between. */
const conditionOf = (path: string) => quoted(`test (__grantbridge_path) = "${path}"`);

function linesOf({ path, commands, options }: CommandWords): string[] {
  const when = `complete -c grantbridge -n ${conditionOf(path)}`;
  return [
    ...commands.map(({ name, description }) => `${when} -f -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => `${when} -l ${option.slice(2)}`),
  ];
}

/** A script for fish. */
export function fishScript(all: readonly CommandWords[]): string {
  const known = all.flatMap(({ path }) => (path === '' ? [] : quoted(path))).join(' ');
  return `function __grantbridge_path
  set -l path ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$path $word")
    contains -- "$next" ${known}; and set path $next
  end
  echo "$path"
end
${all.flatMap(linesOf).join('\n')}`;
}
