import { setTimeout as delay } from 'node:timers/promises';
import { reauthorizationLink } from '../../src/domain/authorization/reauthorize.ts';
import { newHexId, newLegacyToken } from '../../src/shared/ids.ts';
import { learnPair } from '../../src/store/accounts/id-pairs.ts';
import { browserOf, consentAt, DANA, pressIn } from '../owners/support/people.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../support/servers/old-backend.ts';
import { type OldClient, startOldClient } from './old-client.ts';

/**
 * The whole way of a token that is older than the bridge: an old client that nobody touches, a token that the bridge has
 * never seen, the old backend behind it, and one consent by a link. The client never sees a call fail.
 */

interface Answer {
  error: string | null;
  status?: number;
  data?: Array<{ id: string; service_id: string }>;
}

const TOKEN = newLegacyToken();
const LEGACY_USER = newHexId();

let accounts: OldAccount[];
let backend: OldBackend;
let old: OldClient;

beforeAll(async () => {
  accounts = [];
  backend = await startOldBackend({ accounts });
  old = await startOldClient('node-buffer.cjs', {
    env: { LEGACY_BACKEND_URL: backend.url, PROFILES_FRESH_SECONDS: '0' },
  });
});

afterAll(async () => {
  await old.stop();
  await backend.close();
});

/** The same channels as the modern side has, under the ids of the older generation. */
async function fillOldBackend(): Promise<void> {
  const shown = await read(old.system, '/1/profiles.json', await issueToken(old.system));
  const profiles = shown.json as Array<{ id: string }>;
  const aged = profiles.map((profile) => ({ ...profile, id: newHexId(), user_id: LEGACY_USER }));
  accounts.push({ tokens: [TOKEN], user: { id: LEGACY_USER }, profiles: aged });
}

/** Asks again and again, as an integration does, until it is told to stop; answers all that it was answered. */
function keepAsking(): { answers: Answer[]; stop: () => Promise<void> } {
  const answers: Answer[] = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted) {
      answers.push((await old.client.ask({ token: TOKEN, method: 'get', path: '/profiles.json' })) as Answer);
      await delay(20);
    }
  })();
  return {
    answers,
    async stop() {
      over.abort();
      await asking;
    },
  };
}

const mappingOf = async (state: 'unmapped' | 'active') =>
  old.system.bridge.context.store.durable
    .selectFrom('mappings')
    .selectAll()
    .where('source', '=', 'observed')
    .where('state', '=', state)
    .executeTakeFirst();

async function connectByLink(clientId: string): Promise<void> {
  const { system } = old;
  const link = await reauthorizationLink(system.bridge.context, { clientId, accountId: DANA.accountId });
  const browser = await browserOf(system);
  // The link of a program leads to the list of its tokens.
  const list = await browser.follow(await pressIn(browser, await browser.get(link), /connect/i));
  const left = await pressIn(browser, list, /connect/i);
  const back = await browser.get(await consentAt(system, left, { person: DANA, browser }));
  expect(back.status).toBeLessThan(400);
}

test('a token that nobody knew passes through, is observed, is connected by a link and then served by the modern side', async () => {
  await fillOldBackend();
  const { store, clock } = old.system.bridge.context;
  const pair = { kind: 'account', legacyId: LEGACY_USER, modernId: DANA.accountId } as const;
  await store.transaction((tx) => learnPair(tx, pair, clock.now()));
  const { answers, stop } = keepAsking();

  await until(async () => (await mappingOf('unmapped')) !== undefined);
  const observed = await mappingOf('unmapped');
  if (!observed) throw new Error('the token waits no more');
  expect(observed).toMatchObject({ account_id: DANA.accountId, hint_last: TOKEN.slice(-4) });
  await connectByLink(observed.client_id);
  expect(await mappingOf('active')).toMatchObject({ id: observed.id });

  // From the next call on it is the modern side; the old one may go.
  const before = answers.length;
  await until(() => answers.length > before + 2);
  const passed = backend.requests.length;
  await until(() => answers.length > before + 6);
  expect(backend.requests.length).toBe(passed);
  await backend.setBehaviour('down');
  await until(() => answers.length > before + 10);
  await stop();

  expect(answers.filter(({ error, status }) => error !== null || status !== 200)).toEqual([]);
  const idsOf = ({ data = [] }: Answer) => data.map(({ id, service_id: name }) => `${name} ${id}`).toSorted();
  const ids = idsOf(answers[0] as Answer);
  expect(ids).toHaveLength(12);
  expect(new Set(answers.map((answer) => idsOf(answer).join()))).toEqual(new Set([ids.join()]));
  expect(old.system.proxy.readings().length).toBeGreaterThan(2);
});
