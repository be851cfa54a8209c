import { keepMovingCalls } from '../../../src/domain/cut-over/outlook.ts';
import { keepProgress } from '../../../src/domain/progress/keep-progress.ts';
import { MINUTE } from '../../../src/shared/lifetimes.ts';
import { databasesOf, modeDatabases, testMode } from '../../support/jest/test-mode.ts';
import { until } from '../../support/servers/held-answer.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { consentAt, DANA, pressIn, SAM } from '../support/people.ts';
import { wrongInCommands } from './commands.ts';
import { crawl, numbersIn, textOf } from './crawl.ts';
import { type Facts, hintOf, type MadeCall, readEnded, readTokens, type Token } from './facts.ts';
import { type Checked, holdAgainst, type Unchecked } from './rules.ts';
import { TOLD_IN_ACCOUNTS } from './told-in-accounts.ts';
import { TOLD_IN_TABLES } from './told-in-tables.ts';
import { TOLD_TO_OWNERS } from './told-to-owners.ts';
import { TOLD_TO_SUPPORT } from './told-to-support.ts';
import { APPS, BIG, SMALL, startWorld, tokenOf, WIDE, type World } from './world.ts';

/**
 * An app of 5,000 tokens, one of which one person holds thousands, and small ones: every number on every page that an owner
 * or support can reach by a link is what the database holds, or says "at least". A number that no rule knows fails, so that
 * a new page comes with a rule. The table of what was compared is printed. The bridge is new: no page takes the want of a
 * call for a fact about days before it counted.
 */

const RULES = [...TOLD_TO_OWNERS, ...TOLD_TO_SUPPORT, ...TOLD_IN_TABLES, ...TOLD_IN_ACCOUNTS];

let world: World;
let counted: Token[] = [];
const made: MadeCall[] = [];
let browsers: Record<string, number> = {};
let failed = 0;
let since = 0;
let dana: CookieWalker;
let sam: CookieWalker;

/** The digits of a token that pages show. */
function hintAt(app: (typeof APPS)[number], index: number): string {
  const token = tokenOf(app, index).slice(2);
  return `${token.slice(0, 4)}…${token.slice(-4)}`;
}

async function call(app: (typeof APPS)[number], index: number, path = '/1/user.json'): Promise<number> {
  const status = await world.call(app, index, path);
  made.push({ hint: hintAt(app, index), endpoint: path.replace('/1/', '/v1/'), status });
  return status;
}

async function signIn(): Promise<void> {
  ({ dana, sam } = await world.signIn());
  for (const { accountId } of [DANA, SAM]) browsers[accountId] = (browsers[accountId] ?? 0) + 1;
}

/** What the hour brings, by the jobs themselves. */
async function count(): Promise<void> {
  await keepProgress(world.system.bridge.context);
  await keepMovingCalls(world.system.bridge.context);
  counted = await readTokens(world);
}

async function factsNow(): Promise<Facts> {
  const tokens = await readTokens(world);
  const byHint = new Map(tokens.map((token) => [hintOf(token), token]));
  const calls = made.flatMap((one) => {
    const token = byHint.get(one.hint);
    return token ? [{ ...one, token }] : [];
  });
  expect(calls).toHaveLength(made.length);
  const ended = await readEnded(world);
  const now = world.system.bridge.context.clock.now();
  return { tokens, counted, calls, browsers, failed, ended, now };
}

const SHAPES = [
  '',
  '/live',
  '/rehearse',
  '/tokens',
  '/calls?days=7',
  '/calls?days=90',
  '/new-calls',
  '/revoke',
];

/** Tokens with a call, and some without one. */
function someTokens({ tokens, calls }: Facts): Token[] {
  const called = new Set(calls.map(({ token }) => token.id));
  return [...tokens.filter(({ id }) => called.has(id)), ...tokens.slice(0, 2), ...tokens.slice(-2)];
}

/** The pages of the apps that an account registered. */
const ofApps = (owner: string) =>
  APPS.filter((app) => app.owner === owner).flatMap(({ clientId }) =>
    SHAPES.map((shape) => `/apps/${clientId}${shape}`),
  );

/** What no bridge may say that has counted for less than the days it speaks of. */
const UNPROVEN = [
  /\b(?:No call|[Nn]one)\b[^.|]*\bin the last \d+ days/,
  /was ever seen|None was seen|never seen/,
  /The budget at the new API suffices/,
];

/** Claims on a page that rest on calls of before the bridge was there. */
const unprovenIn = (text: string) => UNPROVEN.flatMap((claim) => claim.exec(text)?.[0] ?? []);

async function holdAll(moment: string): Promise<void> {
  await world.system.bridge.context.usage.flush();
  const facts = await factsNow();
  since ||= world.clock.now();
  const ofSupport = [
    '/support',
    ...APPS.map(({ clientId }) => `/support/apps/${clientId}`),
    ...someTokens(facts).map(({ id }) => `/support/mappings/${id}`),
    `/support/accounts/${DANA.accountId}`,
  ];
  const live = `/apps/${BIG.clientId}/live?reload=on&since=${since}`;
  const readers = [
    { reader: DANA.accountId, browser: dana, starts: ['/apps', live, ...ofApps(DANA.accountId)] },
    { reader: SAM.accountId, browser: sam, starts: ['/apps', ...ofApps(SAM.accountId), ...ofSupport] },
  ];
  const [checked, unchecked]: [Checked[], Unchecked[]] = [[], []];
  const unproven: string[] = [];
  for (const { reader, browser, starts } of readers) {
    for (const [path, page] of await crawl(browser, world.system.bridgeUrl, starts)) {
      const text = textOf(page);
      const held = holdAgainst(RULES, facts, { path, text, reader, numbers: numbersIn(text) });
      unproven.push(...unprovenIn(text).map((claim) => `${path}: ${claim}`));
      checked.push(...held.checked);
      unchecked.push(...held.unchecked);
    }
  }
  print(moment, checked, unchecked);
  expect(await wrongInCommands(world, facts, someTokens(facts))).toEqual([]);
  expect({ wrong: checked.filter(({ isTrue }) => !isTrue), unchecked, unproven }).toEqual({
    wrong: [],
    unchecked: [],
    unproven: [],
  });
}

function print(moment: string, checked: Checked[], unchecked: Unchecked[]): void {
  const lines = checked.map(
    ({ path, words, told, truth, isTrue }) =>
      `${isTrue ? 'true ' : 'FALSE'} ${path.replaceAll(/[0-9a-f]{24}/g, ':id')} | ${words.slice(0, 90)} | told ${told.join(', ')} | is ${truth.join(', ')}`,
  );
  const rest = unchecked.map(({ path, words }) => `UNKNOWN ${path} | ${words}`);
  const said = [
    `${moment}: ${checked.length} numbers compared, ${rest.length} unknown`,
    ...new Set(lines),
    ...rest,
  ];
  process.stdout.write(`${said.join('\n')}\n`);
}

async function connect(clientId: string): Promise<void> {
  const { system } = world;
  const page = await dana.get(`${system.bridgeUrl}/apps/${clientId}`);
  const left = await pressIn(dana, page, /^Connect/);
  await dana.get(await consentAt(system, left, { person: DANA }));
}

/** Lets the new API refuse the next refresh, as it does of a grant that its holder has ended there. */
async function endWidely(): Promise<void> {
  world.system.proxy.onTokenAnswer = (_call, answer) => ({
    ...answer,
    status: 400,
    body: Buffer.from('{"error":"invalid_grant"}'),
  });
  expect(await call(WIDE, 1, '/1/profiles.json')).toBe(401);
  world.system.proxy.onTokenAnswer = undefined;
}

/** With `TEST_DATABASE=postgres` every bridge runs there. */
// The fast ring runs the statements of SQLite.
const kinds = testMode.database === 'sqlite' ? databasesOf('postgres') : modeDatabases;

describe.each(kinds)('on %s', (kind) => {
  beforeAll(async () => {
    [counted, failed, since] = [[], 0, 0];
    made.length = 0;
    browsers = { [SAM.accountId]: 1 };
    world = await startWorld(kind);
  });
  afterAll(() => world.stop());

  test('in the minute after the import', async () => {
    await signIn();
    await count();
    await world.importAll();
    // The import counts at its end.
    counted = await readTokens(world);
    await holdAll('the minute after the import');
  }, 300_000);

  test('after calls, consents and revocations, before anything was counted again', async () => {
    const statuses: number[] = [];
    for (const [app, index] of [
      [BIG, 0],
      [BIG, 2000],
      [BIG, 4998],
      [BIG, 4998],
      [BIG, 4999],
      [WIDE, 0],
      [WIDE, 2000],
      [WIDE, 2102],
      [SMALL, 0],
    ] as const)
      statuses.push(await call(app, index));
    expect(statuses).toEqual([200, 200, 200, 200, 401, 200, 200, 401, 200]);
    for (const { clientId } of [BIG, WIDE]) await connect(clientId);
    for (const index of [0, 1, 2]) expect(await call(BIG, index, '/1/profiles.json')).toBe(200);
    const { bridgeUrl } = world.system;
    await pressIn(dana, await dana.get(`${bridgeUrl}/apps/${SMALL.clientId}/revoke`), /^Revoke/);
    const last = (await readTokens(world)).find((token) => hintOf(token) === hintAt(BIG, BIG.tokens - 1));
    const form = await sam.get(`${bridgeUrl}/support/mappings/${last?.id}/revoke`);
    await pressIn(sam, form, /^Revoke/, { reason: 'it leaked' });
    await holdAll('after calls, consents and revocations');
  }, 300_000);

  test('an hour later', async () => {
    world.clock.advance(61 * MINUTE);
    await signIn();
    await count();
    await holdAll('an hour later');
  }, 300_000);

  test('while people look on, connections end, the owner rehearses, and before it is counted again', async () => {
    await endWidely();
    const { context } = world.system.bridge;
    const page = `${world.system.bridgeUrl}/apps/${BIG.clientId}/rehearse`;
    await pressIn(dana, await dana.get(page), /^Start/, { rehearses: 'retirement' });
    await context.lifecycle.refresh();
    since = world.clock.now();
    world.clock.advance(10_000);
    await dana.get(`${world.system.bridgeUrl}/apps/${BIG.clientId}/live`);
    for (; failed < 70; failed += 1) expect(await call(BIG, 4998)).toBe(401);
    expect(await call(BIG, 0)).toBe(200);
    await holdAll('while the owner rehearses');
    world.clock.advance(6 * MINUTE);
    await holdAll('after the rehearsal');
  }, 300_000);

  test('once a token of an unidentified program was given to the app, and an hour later', async () => {
    const seen = { name: 'Seen', index: 0 };
    world.old.addToken(world.userOf(BIG, 0), tokenOf({ ...BIG, name: seen.name }, seen.index));
    const observed = { ...BIG, name: seen.name };
    expect(await call(observed, 0)).toBe(200);
    await until(async () => (await readTokens(world)).some(({ app }) => app.startsWith('unidentified')));
    await holdAll('with an unidentified program');
    const found = (await readTokens(world)).find(({ app }) => app.startsWith('unidentified'));
    const form = await sam.get(`${world.system.bridgeUrl}/support/mappings/${found?.id}/assign`);
    await pressIn(sam, form, /^Assign/, { client_id: BIG.clientId, reason: 'its owner says so' });
    expect((await readTokens(world)).filter(({ client_id: id }) => id === BIG.clientId)).toHaveLength(5001);
    await call(observed, 0);
    await holdAll('after the assignment');
    world.clock.advance(61 * MINUTE);
    await signIn();
    await count();
    await holdAll('an hour after the assignment');
  }, 300_000);
});
