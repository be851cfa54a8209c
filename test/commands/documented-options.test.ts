import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { HELD, readDocument } from '../support/guidance.ts';

/** The document of the commands lists those that ask a question, and those that have no JSON. */

interface Leaf {
  path: string;
  options: Array<{ long: string | undefined; description: string }>;
}

const leavesOf = (above: Command, path = ''): Leaf[] =>
  above.commands.flatMap((one) => {
    const own = `${path} ${one.name()}`.trim();
    const options = one.options.map(({ long, description }) => ({ long: long ?? undefined, description }));
    return one.commands.length > 0 ? leavesOf(one, own) : [{ path: own, options }];
  });

const leaves = leavesOf(createProgram());
const document = readDocument(HELD.commands).replaceAll(/\s+/g, ' ');

/** The commands in a part of the document, without their options. */
function commandsIn(part: RegExp): string[] {
  const [, text = ''] = part.exec(document) ?? [];
  return [...text.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command.replace(/ --.*/, '')).toSorted();
}

test('every command that asks a question stands in the list of questions, and no other', () => {
  // `dates set` and `apps cut-over` have a `--yes` of their own, which the document tells apart.
  const asking = leaves.filter(({ options }) =>
    options.some(({ long, description }) => long === '--yes' && description === 'do it without a question'),
  );
  expect(asking.length).toBeGreaterThan(0);
  expect(commandsIn(/\*\*Questions\*\*: before (.*?) a person is asked/)).toEqual(
    asking.map(({ path }) => path).toSorted(),
  );
});

test('every command without --json is named as such, and no other', () => {
  const without = leaves.filter(({ options }) => options.every(({ long }) => long !== '--json'));
  expect(commandsIn(/All commands but (.*?) have it/)).toEqual(without.map(({ path }) => path).toSorted());
});
