import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { importFile } from '../../../src/domain/import/reading/import-file.ts';
import { keepMovingCalls } from '../../../src/domain/cut-over/outlook.ts';
import { keepProgress } from '../../../src/domain/progress/keep-progress.ts';
import { assignByHand } from '../../../src/domain/tokens/assign-token.ts';
import { DAY, MINUTE } from '../../../src/shared/lifetimes.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import { staffBrowser } from '../../staff/support/staff-browser.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { addWaitingToken } from '../../support/bridge/waiting-token.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { browserOf, DANA, SAM, wordsOf } from '../support/people.ts';

/**
 * An app of very many tokens: what its owner and support read of it is what the database holds, or is said to be at least
 * so much. In the minute after its import, with calls, and an hour later.
 */

const TOKENS = 5000;
/** Dana's own, of other accounts, and of an address. */
const OWN = 80;
const PEOPLE = 1640;
const CALLS = 10;

const APP = 'b16a'.repeat(6);
const hex = (text: string, length: number) =>
  createHash('sha256').update(text).digest('hex').slice(0, length);
const tokenOf = (index: number) => `1/${hex(`token ${index}`, 32)}`;
const holderOf = (index: number) =>
  index < OWN ? DANA.accountId : hex(`account ${Math.floor((index - OWN) / 3)}`, 24);

const clock = new SettableClock();
let system: System;
let dana: CookieWalker;
let staff: CookieWalker;
let folder: string;

function* rows() {
  yield {
    type: 'app',
    client_id: APP,
    name: 'Many tokens',
    callback_urls: ['https://many.example/cb'],
    owner_account_id: DANA.accountId,
  };
  for (let index = 0; index < TOKENS; index += 1)
    yield { type: 'token', access_token: tokenOf(index), client_id: APP, account_id: holderOf(index) };
}

beforeAll(async () => {
  // At noon: the calls of an hour later belong to the same day.
  clock.set(Math.floor(Date.now() / DAY) * DAY + DAY / 2);
  system = await startSystem({
    clock,
    env: { LEGACY_RATE_LIMIT: '0', LEGACY_BACKEND_URL: 'http://127.0.0.1:9' },
  });
  [dana, staff] = [await browserOf(system), await staffBrowser(system, 'lead')];
  await countCallsSince(system.bridge.context.store, 0);
  // The job of the hour has counted, and knows nothing of what comes.
  await keepProgress(system.bridge.context);
  folder = mkdtempSync(join(tmpdir(), 'grantbridge-many-'));
  const file = join(folder, 'import.ndjson');
  writeFileSync(file, [...rows()].map((row) => JSON.stringify(row)).join('\n'));
  const { new: added, refused } = await importFile(system.bridge.context, {
    file,
    folder,
    isDryRun: false,
    origin: { actor: 'test', requestId: null },
    onProgress: () => {},
  });
  expect([added, refused]).toEqual([TOKENS + 1, 0]);
});
afterAll(async () => {
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pageOf = async (browser: CookieWalker, path: string) => {
  const page = await browser.get(`${system.bridgeUrl}${path}`);
  expect([path, page.status]).toEqual([path, 200]);
  return page;
};

const words = async (browser: CookieWalker, path: string) => wordsOf(await pageOf(browser, path));

/** The part of a page that is about the app, from its name on. */
const card = (text: string, from: string) => text.slice(text.indexOf(from), text.indexOf(from) + 600);

/** Calls with tokens, those of the end of the list too, which no list of the first ones holds. */
async function call(times: number, mappingId?: string): Promise<void> {
  const { id } = await system.bridge.context.store.durable
    .selectFrom('mappings')
    .select('id')
    .where('client_id', '=', APP)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const one = { mappingId: mappingId ?? id, carrier: 'header', userAgent: 'many/1.0', status: 200 } as const;
  for (let index = 0; index < times; index += 1)
    system.bridge.context.usage.note({ ...one, endpoint: '/1/user.json' });
  await system.bridge.context.usage.flush();
}

/** What a list of the first tokens, or a count of an hour ago, would make of the app. */
const FALSE =
  /2,00[01] (?:tokens|wait|calls|of)|first 2,00|than 2,00|No token yet|There is none yet|No token was in use|They are not counted|not been counted|No call|None was seen|None in the last/i;

const OWNERS = ['', '/tokens', '/calls', '/calls?days=7', '/calls?days=90', '/move', '/new-calls'];
const SUPPORTS = [
  `/support/apps/${APP}`,
  '/support/numbers',
  '/support',
  '/support/desks',
  '/support/desks/waiting',
];

const csvOf = async (path: string) =>
  parse((await pageOf(staff, path)).body, { columns: true }) as Array<Record<string, string>>;

async function tokensAreTrue(): Promise<void> {
  const apps = card(await words(dana, '/apps'), 'Apps that you registered');
  expect(apps).toContain('5,000 tokens waiting');
  expect(await words(dana, '/apps')).toContain(`Many tokens: ${PEOPLE.toLocaleString('en-GB')} people`);
  expect(await words(dana, `/apps/${APP}`)).toMatch(/All tokens of this app 5,000 tokens waiting/);
  expect(await words(dana, `/apps/${APP}`)).toContain('80 tokens of yours are not connected');
  expect(await words(dana, `/apps/${APP}/move`)).toMatch(
    /0 of 5,000 tokens are connected or moved\. 5,000 wait/,
  );
  expect(await words(dana, '/apps/progress')).toMatch(
    /Many tokens 0 of 5,000 tokens are connected or moved; 5,000 are not connected/,
  );
  expect(await words(staff, `/support/apps/${APP}`)).toMatch(/5,000 in all: 5,000 tokens waiting/);
  const [{ waiting } = { waiting: 0 }] = await system.bridge.context.store.durable
    .selectFrom('mappings')
    .innerJoin('apps', 'apps.client_id', 'mappings.client_id')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('state', 'in', ['unmapped', 'reauthorization_required'])
    .where('retired_at', 'is', null)
    .execute();
  expect(await words(staff, '/support/numbers')).toContain(`${waiting.toLocaleString('en-GB')} tokens wait`);
  expect((await csvOf('/support/numbers.csv?by=day')).at(-1)).toMatchObject({ waiting: String(waiting) });
  const ofApp = (await csvOf('/support/numbers.csv?by=app')).filter(({ client_id }) => client_id === APP);
  expect(ofApp.at(-1)).toMatchObject({ unmapped: '5000', waiting_people: String(PEOPLE + 1) });
}

async function callsAreTrue(calls: number): Promise<void> {
  expect(await words(dana, `/apps/${APP}`)).toMatch(
    new RegExp(`${calls} in the last 30 days, the last one .* by many/1\\.0`),
  );
  expect(card(await words(dana, '/apps'), 'Apps that you registered')).toContain(
    `${calls} calls in the last 30 days`,
  );
  for (const days of ['7', '30', '90'])
    expect(await words(dana, `/apps/${APP}/calls?days=${days}`)).toMatch(
      new RegExp(`/1/ ?user\\.json the header many/1\\.0 ${calls} `),
    );
  const move = await words(dana, `/apps/${APP}/move`);
  expect(move).toMatch(/0 of 4 steps are done/);
  expect(move).toContain(`${calls} calls came to the old API in the last 7 days.`);
  expect(await words(dana, `/apps/${APP}/new-calls`)).toMatch(
    /The app made (?:at least )?one of the nineteen old calls/,
  );
  expect((await pageOf(staff, `/support/apps/${APP}`)).body).toMatch(
    new RegExp(`${calls}[^<]*</(?:title|td)>`),
  );
}

let isCounted = false;

/** True until the first hourly count, and told by the first page of support alone. */
const UNCOUNTED = 'What the retirement moves to the new API has not been counted yet.';

const nothingIsFalse = async () => {
  for (const path of OWNERS)
    expect([path, FALSE.exec(await words(dana, `/apps/${APP}${path}`))]).toEqual([path, null]);
  for (const path of SUPPORTS) {
    const said = (await words(staff, path)).replace(isCounted ? '' : UNCOUNTED, '');
    expect([path, FALSE.exec(said)]).toEqual([path, null]);
  }
};

test('in the minute after its import all its tokens are told, and that nobody called is no step that is done', async () => {
  await tokensAreTrue();
  const move = await words(dana, `/apps/${APP}/move`);
  expect(move).toMatch(/0 of 4 steps are done/);
  expect(move).toMatch(
    /No call of the old API since .* UTC ?\. Calls are counted from then on; some may be missing\./,
  );
});

test('calls with a token at the end of the list are told on every page seconds later', async () => {
  await call(CALLS);
  await callsAreTrue(CALLS);
  await nothingIsFalse();
});

test('an hour and its jobs later all of it is still true', async () => {
  clock.advance(61 * MINUTE);
  // Who looks on an hour later has to sign in again.
  [dana, staff] = [await browserOf(system), await browserOf(system, SAM)];
  await call(1);
  await keepProgress(system.bridge.context);
  await keepMovingCalls(system.bridge.context);
  isCounted = true;
  await tokensAreTrue();
  await callsAreTrue(CALLS + 1);
  await nothingIsFalse();
});

const NONE_SINCE =
  /No call of the old API since .* UTC ?\. Calls are counted from then on; some may be missing\./;

test('what was called before calls were counted by app is said to be at least what is known', async () => {
  const { volatile } = system.bridge.context.store;
  await volatile.updateTable('app_calls_begin').set({ whole_after: clock.now() }).execute();
  expect(await words(dana, `/apps/${APP}`)).toContain(`At least ${CALLS + 1} in the last 30 days`);
  expect(await words(dana, '/apps')).toContain(`at least ${CALLS + 1} calls in the last 30 days`);
  expect(await words(dana, `/apps/${APP}/calls`)).toContain(
    'There were at least these calls. Calls are counted since',
  );
  expect(await words(dana, `/apps/${APP}/move`)).toContain(`At least ${CALLS + 1} calls came`);
  expect(await words(dana, `/apps/${APP}/new-calls`)).toContain('at least one of the nineteen');
  expect(await words(staff, `/support/apps/${APP}`)).toContain('These are at least the calls that came');
});

test('without a call from before it, nothing is done for the want of one', async () => {
  const { durable, volatile } = system.bridge.context.store;
  await volatile.deleteFrom('app_calls').execute();
  await durable.updateTable('events').set({ at: 0 }).where('client_id', '=', APP).execute();
  const move = await words(dana, `/apps/${APP}/move`);
  expect(move).toMatch(NONE_SINCE);
  expect(move).toMatch(/0 of 4 steps are done/);
  expect(await words(dana, `/apps/${APP}`)).toMatch(/None since .* UTC ?\. Calls are counted from then on/);
  await volatile.updateTable('app_calls_begin').set({ whole_after: 0 }).execute();
  expect(await words(dana, `/apps/${APP}/move`)).toMatch(/No call of the old API in the last 7 days\./);
});

test('what a token called before it was given to the app is not told as none', async () => {
  const { bridge, app } = system;
  const moved = await addWaitingToken(bridge, { clientId: app.clientId, source: 'observed' });
  await call(3, moved.mappingId);
  const asked = {
    mappingId: moved.mappingId,
    clientId: APP,
    reason: 'so',
    actor: 'command',
    requestId: null,
  };
  expect(await assignByHand(bridge.context, asked)).toMatchObject({ outcome: 'assigned' });
  const move = await words(dana, `/apps/${APP}/move`);
  expect(move).toMatch(NONE_SINCE);
  clock.advance(8 * DAY);
  dana = await browserOf(system);
  expect(await words(dana, `/apps/${APP}/move`)).toMatch(/No call of the old API in the last 7 days\./);
});
