import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { STANDING_WORDS } from '../../src/domain/tokens/standing/words.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { dayOf } from '../../src/shared/moments.ts';
import type { Mapping } from '../../src/store/tables/tables.ts';
import { plan, type Plan } from '../lifecycle/support/lifecycle-rows.ts';
import { browserOf, DANA, wordsOf } from '../owners/support/people.ts';
import { DANA_PERSON, letterTo, toHolder } from '../reminders/support/letters.ts';
import { staffBrowser } from '../staff/support/staff-browser.ts';
import { registerLegacyApp } from '../support/bridge/register-app.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { addWaitingToken, mappingOf } from '../support/bridge/waiting-token.ts';
import type { LegacyApp } from '../support/callers/authorize.ts';
import type { CookieWalker } from '../support/callers/cookie-walker.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { type OldAccount, startOldBackend } from '../support/servers/old-backend.ts';

/** The 401, the pages of owner and holder, support's page and the mail tell the same of one token. */

const clock = new SettableClock();
const NOW = clock.now();

const account: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };

interface Stage {
  system: System;
  dana: CookieWalker;
  staff: CookieWalker;
  close: () => Promise<void>;
}

let withOldApi: Stage;
let alone: Stage;

async function open(env: Record<string, string>, close = async () => {}): Promise<Stage> {
  const system = await startSystem({ clock, env: { LEGACY_RATE_LIMIT: '0', ...env } });
  const dana = await browserOf(system);
  return { system, dana, staff: await staffBrowser(system, 'reader'), close };
}

beforeAll(async () => {
  const old = await startOldBackend({ accounts: [account] });
  withOldApi = await open({ LEGACY_BACKEND_URL: old.url }, () => old.close());
  alone = await open({ LEGACY_BACKEND_URL: '' });
});
afterAll(async () => {
  for (const { system, close } of [withOldApi, alone]) {
    await system.stop();
    await close();
  }
});

interface Case {
  /** Which words of the catalogue everybody reads. */
  words: keyof typeof STANDING_WORDS;
  /** The status of a call, and the reason in its body where the bridge gives one. */
  call: readonly [status: number, reason?: string];
  /** What has become of the token since its import; a consent connects it otherwise. */
  row?: Partial<Mapping>;
  isConnected?: boolean;
  dates?: Plan;
  isAlone?: boolean;
  /** Which reminder tells its holder of the standing. */
  mail?: 'waits' | 'died';
}

const [PAST, AHEAD] = [NOW - DAY, NOW + DAY];

const NOT_CONNECTED = 'This token has not been connected to the new API yet.';
const RETIRED = `The old API was retired on ${dayOf(PAST)} (UTC), and this token had not been connected to the new API by then. Its owner has to authorize the app again.`;
const STOPPED = 'The connection behind this token has ended. Its owner has to authorize the app again.';

const stopped = { state: 'reauthorization_required', reason: 'grant_refused' } as const;
const runs = (rehearses: 'retirement' | 'sunset') => ({
  brownouts: [{ rehearses, startsAt: PAST, endsAt: AHEAD }],
});
const gone = { dates: { sunset: PAST } };

const CASES: Record<string, Case> = {
  'a connected token': { words: 'served', call: [200], isConnected: true },
  'a token that the old API answers': { words: 'passed', call: [200], mail: 'waits' },
  'a token in a brownout of the retirement': {
    words: 'interrupted',
    call: [401, NOT_CONNECTED],
    dates: runs('retirement'),
  },
  'a connected token in a brownout of the sunset': {
    words: 'interrupted',
    call: [410],
    isConnected: true,
    dates: runs('sunset'),
  },
  'a token after the retirement': {
    words: 'refused',
    call: [401, RETIRED],
    dates: { dates: { retirement: PAST } },
    mail: 'waits',
  },
  'a token that the bridge issued': {
    words: 'refused',
    call: [401, NOT_CONNECTED],
    row: { source: 'issued' },
    mail: 'waits',
  },
  'a token of the registration': {
    words: 'refused',
    call: [401, NOT_CONNECTED],
    row: { source: 'registration', last_used_at: NOW },
    mail: 'waits',
  },
  'a token whose grant has died': { words: 'stopped', call: [401, STOPPED], row: stopped, mail: 'died' },
  'a revoked token': {
    words: 'revoked',
    call: [401, 'This token was revoked.'],
    row: { state: 'revoked', reason: 'deauthorized' },
  },
  'a token that its app took over': {
    words: 'moved',
    call: [401, 'The app has moved to the new API and this token was retired.'],
    row: { state: 'migrated', reason: 'handed_over' },
  },
  'a connected token after the sunset': {
    words: 'ended connected',
    call: [410],
    isConnected: true,
    dates: gone,
  },
  'a token after the sunset': { words: 'ended unconnected', call: [410], dates: gone },
  'a stopped token after the sunset': { words: 'ended stopped', call: [410], row: stopped, dates: gone },
  'a token without an old API': {
    words: 'refused',
    call: [401, NOT_CONNECTED],
    isAlone: true,
    mail: 'waits',
  },
  'a token without an old API, after a retirement that takes nothing away': {
    words: 'refused',
    call: [401, NOT_CONNECTED],
    isAlone: true,
    dates: { dates: { retirement: PAST } },
    mail: 'waits',
  },
  'a token without an old API, in a brownout that takes nothing away': {
    words: 'refused',
    call: [401, NOT_CONNECTED],
    isAlone: true,
    dates: runs('retirement'),
  },
};

interface Told {
  system: System;
  token: string;
  mappingId: string;
  app: LegacyApp;
}

/** An app of Dana without the token that an app gets with its registration. */
async function ownApp({ bridge }: System): Promise<LegacyApp> {
  const app = await registerLegacyApp(bridge, 'https://stands.example/cb', DANA.accountId);
  const { durable } = bridge.context.store;
  await durable.deleteFrom('mappings').where('client_id', '=', app.clientId).execute();
  return app;
}

async function tokenOf({ system }: Stage, { row, isConnected }: Case): Promise<Told> {
  const app = await ownApp(system);
  if (isConnected) {
    const token = await issueToken(system, { app });
    const mapping = await mappingOf(system.bridge, token);
    return { system, token, mappingId: mapping?.id ?? '', app };
  }
  const waiting = { clientId: app.clientId, accountId: DANA.accountId };
  const { token, mappingId } = await addWaitingToken(system.bridge, waiting);
  account.tokens.push(token);
  const { durable } = system.bridge.context.store;
  if (row) await durable.updateTable('mappings').set(row).where('id', '=', mappingId).execute();
  return { system, token, mappingId, app };
}

async function answerTo({ system, token }: Told): Promise<Case['call']> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, json } = await sendRaw(system.bridgeUrl, { path: '/1/user.json', headers });
  const { reauthorize } = json as { reauthorize?: { reason: string } };
  return reauthorize ? [status, reauthorize.reason] : [status];
}

/** The badges of a page that have the label of a standing. */
function labelsIn(body: string): string[] {
  const known = new Set(Object.values(STANDING_WORDS).map(({ label }) => label));
  return [...body.matchAll(/<span class="badge [^"]*">([^<]*)<\/span>/g)].flatMap(([, text = '']) =>
    known.has(text) ? [text] : [],
  );
}

const mailOf = async ({ system, app }: Told, kind: 'waits' | 'died') => {
  const due =
    kind === 'died'
      ? toHolder(app, { stage: 'died' })
      : toHolder(app, { milestone: undefined, at: undefined });
  return (await letterTo(system, DANA_PERSON, [due])).text.replace(/\s+/g, ' ');
};

test.each(Object.entries(CASES))('%s is told of alike everywhere', async (_name, one) => {
  const stage = one.isAlone ? alone : withOldApi;
  const { system, dana, staff } = stage;
  await plan(system.bridge, {});
  const told = await tokenOf(stage, one);
  await plan(system.bridge, one.dates ?? {});
  const { label, headline } = STANDING_WORDS[one.words];

  expect(await answerTo(told)).toEqual(one.call);

  const list = await dana.get(`${system.bridgeUrl}/apps/${told.app.clientId}/tokens`);
  expect([...new Set(labelsIn(list.body))]).toEqual([label]);
  const home = await dana.get(`${system.bridgeUrl}/apps/${told.app.clientId}`);
  expect(new Set(labelsIn(home.body))).toEqual(new Set([label]));

  const page = await staff.get(`${system.bridgeUrl}/support/mappings/${told.mappingId}`);
  expect(labelsIn(page.body).at(0)).toBe(label);
  expect(wordsOf(page)).toContain(
    one.words === 'ended stopped' ? 'It has stopped working' : `It ${headline}`,
  );
  const found = await staff.get(`${system.bridgeUrl}/support/apps/${told.app.clientId}`);
  expect(new Set(labelsIn(found.body))).toEqual(new Set([label]));

  if (one.mail) expect((await mailOf(told, one.mail)).toLowerCase()).toContain(headline.toLowerCase());
});

test('the dates of an app count for a token only where the app is proven, on every page', async () => {
  const { system, dana, staff } = withOldApi;
  await plan(system.bridge, {});
  const told = await tokenOf(withOldApi, {
    words: 'refused',
    call: [401],
    row: { source: 'observed', app_proven: 0 },
  });
  const extensions = [{ clientId: told.app.clientId, name: 'retirement' as const, until: AHEAD }];
  await plan(system.bridge, { dates: { retirement: PAST }, extensions });
  expect(await answerTo(told)).toEqual([401, RETIRED]);
  const list = await dana.get(`${system.bridgeUrl}/apps/${told.app.clientId}/tokens`);
  expect([...new Set(labelsIn(list.body))]).toEqual(['waiting']);
  const page = await staff.get(`${system.bridgeUrl}/support/mappings/${told.mappingId}`);
  expect(labelsIn(page.body).at(0)).toBe('waiting');
  expect(wordsOf(page)).toContain('It is refused now: it was not connected to the new API before the');
  await system.bridge.context.store.durable
    .updateTable('mappings')
    .set({ app_proven: 1 })
    .where('id', '=', told.mappingId)
    .execute();
  expect(await answerTo(told)).toEqual([200]);
  const proven = await staff.get(`${system.bridgeUrl}/support/mappings/${told.mappingId}`);
  expect(wordsOf(proven)).toContain('It is not connected to the new API yet; the old API still answers');
});

test('a token that support has ended tells its reason to its holder and to support alone', async () => {
  const { system, dana, staff } = withOldApi;
  await plan(system.bridge, {});
  const told = await tokenOf(withOldApi, { words: 'revoked', call: [401] });
  const { mappingId } = told;
  const reason = 'Dana has called us';
  await revokeToken(system.bridge.context, { mappingId, reason, actor: 'command', requestId: null });
  expect(await answerTo(told)).toEqual([401, 'This token was revoked.']);
  const list = await dana.get(`${system.bridgeUrl}/apps/${told.app.clientId}/tokens`);
  const page = await staff.get(`${system.bridgeUrl}/support/mappings/${mappingId}`);
  for (const one of [list, page]) expect(wordsOf(one)).toContain(reason);
});

test('a token of a retired app is said to be refused by support', async () => {
  const { system, staff } = withOldApi;
  await plan(system.bridge, {});
  const told = await tokenOf(withOldApi, { words: 'orphaned', call: [401] });
  const { durable } = system.bridge.context.store;
  await durable
    .updateTable('apps')
    .set({ retired_at: NOW })
    .where('client_id', '=', told.app.clientId)
    .execute();
  expect((await answerTo(told))[0]).toBe(401);
  const page = await staff.get(`${system.bridgeUrl}/support/mappings/${told.mappingId}`);
  expect(labelsIn(page.body).at(0)).toBe(STANDING_WORDS.orphaned.label);
  expect(wordsOf(page)).toContain(`It ${STANDING_WORDS.orphaned.headline}.`);
});
