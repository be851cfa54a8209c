import { HELD, readDocument } from '../../support/guidance.ts';
import { run } from './operator-command.ts';
import { buildProgram } from '../running-program.ts';

/** The document's table of commands names every command of the program, and no other. */

const text = readDocument(HELD.commands);

beforeAll(buildProgram, 120_000);

async function wordsUnder(...words: string[]): Promise<string[]> {
  const { code, output } = await run({}, ...words, '--help');
  expect(code).toBe(0);
  const listed = output.split('\nCommands:\n')[1] ?? '';
  return [...listed.matchAll(/^ {2}([a-z-]+)/gm)]
    .map((match) => String(match[1]))
    .filter((word) => word !== 'help');
}

/** Each command by its whole name, as `keys init`. */
async function allCommands(): Promise<string[]> {
  const commands: string[] = [];
  for (const word of await wordsUnder()) {
    const below = await wordsUnder(word);
    commands.push(...(below.length > 0 ? below.map((second) => `${word} ${second}`) : [word]));
  }
  return commands;
}

/** The table names what stands under one word once: `keys init`, `list`, `add`. */
function commandsInTable(groups: ReadonlySet<string>): Set<string> {
  const section = text.split(/\n##+ /)[0] ?? '';
  const cells = [...section.matchAll(/^\| (`(?:[^|\\]|\\.)+) \|/gm)].map((match) => String(match[1]));
  const named = new Set<string>();
  for (const cell of cells) {
    let group = '';
    for (const [, first = '', second] of cell.matchAll(/`([a-z-]+)(?: ([a-z-]+))?/g)) {
      if (groups.has(first)) group = first;
      const isGroup = groups.has(first);
      if (isGroup) named.add(`${first} ${second}`);
      else named.add(group === '' ? first : `${group} ${first}`);
    }
  }
  return named;
}

test('the table of commands names every command, and no other', async () => {
  const commands = await allCommands();
  expect(commands).toContain('keys init');
  const groups = new Set(
    commands.filter((name) => name.includes(' ')).map((name) => String(name.split(' ')[0])),
  );
  expect([...commandsInTable(groups)].toSorted()).toEqual(commands.toSorted());
});

/** Options of every command, which the rows of the table leave out. */
const FOR_ALL = new Set(['--json', '--no-color', '--no-pager']);

test('the row of the import names each of its options', async () => {
  const { output } = await run({}, 'tokens', 'import', '--help');
  const options = [...output.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => String(match[1]));
  const [row = ''] = /^\| `tokens import .*$/m.exec(text) ?? [];
  expect(options).toContain('--max-refused');
  for (const option of options.filter((name) => !FOR_ALL.has(name))) expect(row).toContain(option);
});
