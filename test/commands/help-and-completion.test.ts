import { execFileSync, spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import { bashScript } from '../../src/cli/completion/bash.ts';
import { fishScript } from '../../src/cli/completion/fish.ts';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { createProgram } from '../../src/cli/program.ts';

/** What the operator's command says of itself, in its help and to a shell. */

interface Leaf {
  path: string;
  command: Command;
}

/** The commands that do something. */
const leavesOf = (above: Command, path = ''): Leaf[] =>
  above.commands.flatMap((one) => {
    const own = `${path} ${one.name()}`.trim();
    return one.commands.length > 0 ? leavesOf(one, own) : [{ path: own, command: one }];
  });

const helpOf = ({ command }: Leaf) => {
  let text = '';
  command.configureOutput({ writeOut: (part) => void (text += part) });
  command.outputHelp();
  return text;
};

const leaves = leavesOf(createProgram());

test('every command has examples, and no example is of another command', () => {
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(leaves.map(({ path }) => path).toSorted());
});

test.each(leaves.map((leaf) => [leaf.path, leaf] as const))(
  'the help of %s ends with its examples',
  (path, leaf) => {
    const lines = (EXAMPLES[path] ?? []).map((example) => `  grantbridge ${example}`);
    expect(
      helpOf(leaf)
        .trimEnd()
        .endsWith(['Examples:', ...lines].join('\n')),
    ).toBe(true);
  },
);

const examples = Object.entries(EXAMPLES).flatMap(([path, lines]) =>
  lines.map((line) => [line, path] as const),
);

/**
 * The words that a shell gives to a program for each line, without what the shell keeps for itself. One shell reads all
 * lines: to start a program from a process as large as a worker of the tests takes longer than such a test.
 */
function shellWords(lines: readonly string[]): string[][] {
  const own = lines.map((line) => line.split(/ [>|] /)[0]);
  const script = own.map((line) => `printf '%s\\0' ${line} $'\\n'`).join('\n');
  const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  const ends = words.flatMap((word, index) => (word === '\n' ? [index] : []));
  return ends.map((end, index) => words.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end));
}

const wordsOfExamples = shellWords(examples.map(([line]) => line));

test.each(examples.map((example, index) => [...example, wordsOfExamples[index] ?? []] as const))(
  'grantbridge %s is understood as %s',
  (_line, path, words) => {
    const program = createProgram();
    const run: string[] = [];
    for (const leaf of leavesOf(program)) leaf.command.action(() => void run.push(leaf.path));
    program.parse([...words], { from: 'user' });
    expect(run).toEqual([path]);
  },
);

const words = wordsOf(createProgram());

/** What bash offers at the end of a line that was typed so far. */
function completed(line: string): string[] {
  const typed = line.split(' ').map((word) => `'${word}'`);
  const call = `COMP_WORDS=(${typed.join(' ')}); COMP_CWORD=${typed.length - 1}; _grantbridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', `${bashScript(words)}\n${call}`], { encoding: 'utf8' });
  return output.split('\n').filter(Boolean);
}

test.each<[line: string, offered: string[]]>([
  ['grantbridge to', ['tokens']],
  ['grantbridge tokens ', ['import', 'find', 'revoke', 'leaked', 'assign', '--help']],
  ['grantbridge tokens import --d', ['--dry-run']],
  ['grantbridge tokens import tokens.ndjson --m', ['--max-refused']],
  ['grantbridge tokens revoke abc --reason tokens --j', ['--json']],
  ['grantbridge apps --json e', ['extend']],
  ['grantbridge nothing x', []],
])('bash offers after "%s" what can follow', (line, offered) => {
  expect(completed(line)).toEqual(offered);
});

const hasFish = spawnSync('fish', ['--version']).status === 0;

(hasFish ? test : test.skip)('fish offers what can follow too', () => {
  const script = `${fishScript(words)}\ncomplete -C 'grantbridge tokens '`;
  const output = execFileSync('fish', ['-c', script], { encoding: 'utf8' });
  expect(output.split('\n').map((line) => line.split('\t')[0])).toEqual(
    expect.arrayContaining(['find', 'assign']),
  );
});
