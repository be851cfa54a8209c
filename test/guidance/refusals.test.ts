import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BudgetSpent } from '../../src/domain/limits/budget-spent.ts';
import { GrantDead, LimitReached, ScopeMissing, TokenRefused } from '../../src/domain/failures.ts';
import { PageOutOfReach } from '../../src/domain/posts/lists/read-list.ts';
import { FIELD_CODES, FieldRefused } from '../../src/domain/translation/call-fields.ts';
import { answerOfRefusal } from '../../src/http/legacy/refusal-answers.ts';
import { projectRoot } from '../../src/shared/project-root.ts';
import type { Refusal } from '../../src/shared/refusals/refusal.ts';

/** ARCHITECTURE.md lists every refusal, and every error that is none. */

const source = join(projectRoot, 'src');

/** The embedded new API and the demo are programs of their own. */
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^(?:modern|demo)\//.test(name))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));

const parents = new Map(
  files.flatMap(({ text }) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+)(?:<[^>]*>)? extends (\w+)/gm)].map(
      ([, name = '', parent = '']) => [name, parent] as const,
    ),
  ),
);

function comesFrom(name: string, ancestor: string): boolean {
  const parent = parents.get(name);
  return parent === ancestor || (parent !== undefined && comesFrom(parent, ancestor));
}

const names = [...parents.keys()];
const refusals = names.filter((name) => comesFrom(name, 'Refusal'));
const others = names.filter(
  (name) => comesFrom(name, 'Error') && !refusals.includes(name) && name !== 'Refusal',
);

const section =
  readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8')
    .split('\n## How a use case says no\n')[1]
    ?.split('\n## ')[0] ?? '';

const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()));

const quoted = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

interface RefusalRow {
  name: string;
  thrownIn: string[];
  /** The status of the answer to an old client; undefined where old clients never get the refusal. */
  status: number | undefined;
}

const told: RefusalRow[] = rows
  .filter(({ length }) => length === 6)
  .map(([name, , thrownIn, oldClient = '']) => ({
    name: quoted(name)[0] ?? '',
    thrownIn: quoted(thrownIn),
    status: oldClient.startsWith('–') ? undefined : Number.parseInt(oldClient, 10),
  }));

const toldOthers = rows.filter(({ length }) => length === 2).flatMap(([cell]) => quoted(cell));

/** The rooms below `src` in which an error of this type is made. */
function roomsThatThrow(name: string): string[] {
  const made = new RegExp(String.raw`(?:new|=) ${name}\b`);
  const found = files.filter(({ text }) => made.test(text));
  return found.map((file) => /^(?:(?:domain|http)\/)?[^/]+/.exec(file.name)?.[0] ?? '');
}

test('every refusal stands in the table once, and nothing else does', () => {
  expect(refusals.length).toBeGreaterThan(15);
  expect(told.map(({ name }) => name).toSorted()).toEqual(refusals.toSorted());
});

test('every error that is no refusal is listed with its reason, those of the domain too', () => {
  expect(toldOthers.toSorted()).toEqual(others.toSorted());
});

test.each(told)('$name is thrown where the table says', ({ name, thrownIn }) => {
  expect(new Set(thrownIn)).toEqual(new Set(roomsThatThrow(name)));
  expect(thrownIn.every((room) => existsSync(join(source, room)))).toBe(true);
});

const settings = { publicUrl: 'https://bridge.example' };
const forOldClients: Record<string, Refusal> = {
  TokenRefused: new TokenRefused(),
  GrantDead: new GrantDead('lost'),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the refusal reads one setting
  ScopeMissing: new ScopeMissing({ settings } as never, { client_id: 'app' }, 'posts:read'),
  FieldRefused: new FieldRefused('text', FIELD_CODES.missing, 'The parameter text is missing.'),
  PageOutOfReach: new PageOutOfReach('too far'),
  LimitReached: new LimitReached('too many', 1500),
  BudgetSpent: new BudgetSpent('nothing left', 1500),
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the refusal of a brownout reads the context
const statusOf = (refusal: Refusal) => answerOfRefusal({} as never, refusal)?.status;

test('the error function of old clients answers the refusals that the table gives a status', () => {
  const answered = Object.entries(forOldClients).map(([name, refusal]) => [name, statusOf(refusal)]);
  const listed = told.filter(({ status }) => status !== undefined).map(({ name, status }) => [name, status]);
  expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(listed));
});

test('no answer to old clients is missing in the table', () => {
  const text = files.find(({ name }) => name === 'http/legacy/refusal-answers.ts')?.text ?? '';
  const types = [...text.matchAll(/answerTo\((\w+)/g)].map(([, type]) => type);
  const withStatus = told.filter(({ status }) => status !== undefined).map(({ name }) => name);
  expect(types.filter((type) => type !== undefined && !withStatus.includes(type))).toEqual([]);
});

test('a refusal bears the name of its own type', () => {
  for (const [name, refusal] of Object.entries(forOldClients)) expect(refusal.name).toBe(name);
});
