import { newHexId } from '../../../src/shared/ids.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { linkOf } from '../../support/callers/html-forms.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import {
  browserOf,
  consentAt,
  DANA,
  mappingOf,
  pressIn,
  SAM,
  waitingToken,
  wordsOf,
} from '../support/people.ts';

/** A pasted token shows whose it is only by all of its profiles, however many there are and whatever they lack. */

let system: System;
let old: OldBackend;
let dana: CookieWalker;
const accounts: OldAccount[] = [];
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  old = await startOldBackend({ accounts });
  system = await startSystem({ clock, env: { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: '0' } });
});

// Ten tokens may be pasted in a minute; a served one teaches pairs of ids, which would decide the next test.
beforeEach(async () => {
  clock.advance(61_000);
  clock.run();
  dana = await browserOf(system);
  await system.bridge.context.store.durable.deleteFrom('id_pairs').execute();
});

afterAll(async () => {
  await system.stop();
  await old.close();
});

type Network = Record<string, unknown>;

/** A channel of the account, as the old API named it, and one of nobody. */
const OF_DANA: Network = { service: 'twitter', service_id: '164724445' };
const OF_NOBODY: Network = { service: 'twitter', service_id: '999' };

const many = (count: number): Network[] => Array.from({ length: count }, () => OF_DANA);

async function observed(networks: Network[], userId = newHexId()) {
  const waiting = await waitingToken(system, {});
  const profiles = networks.map((network) => ({ id: newHexId(), ...network }));
  accounts.push({ tokens: [waiting.token], user: { id: userId }, profiles });
  return waiting;
}

async function paste(token: string): Promise<Page> {
  const page = await dana.get(`${system.bridgeUrl}/apps/paste-token`);
  return pressIn(dana, page, /^(Compare with my account|Look it up)$/, { token });
}

async function pasteAndConsent(token: string): Promise<Page> {
  const left = await paste(token);
  return dana.follow(await dana.get(await consentAt(system, left, { person: DANA })));
}

const holderOf = async (id: string) => (await mappingOf(system, id)).accountId;

test.each<[string, Network[]]>([
  ['after six hundred that are', [...many(600), OF_NOBODY]],
  ['at the end of as many as are compared', [...many(999), OF_NOBODY]],
])('one profile of somebody else is enough to refuse the token, %s', async (_where, networks) => {
  const { id, token } = await observed(networks);
  expect(wordsOf(await pasteAndConsent(token))).toContain('not show that it is this account’s');
  expect(await holderOf(id)).toBeNull();
});

test.each<[string, Network[], string]>([
  ['one has no network', [OF_DANA, { formatted_service: 'X' }], 'does not say of every profile'],
  ['one has no id there', [OF_DANA, { service: 'twitter' }], 'does not say of every profile'],
  ['an id is no text', [OF_DANA, { service: 'twitter', service_id: 1 }], 'does not say of every profile'],
  ['there are too many', many(1001), 'reaches more than 1,000 profiles'],
])(
  'where not all profiles can be compared no consent is asked for, and the page says why: %s',
  async (...row) => {
    const [, networks, words] = row;
    const { id, token } = await observed(networks);
    const page = await paste(token);
    expect([page.status, page.location]).toEqual([422, undefined]);
    expect(wordsOf(page)).toContain(words);
    expect(await holderOf(id)).toBeNull();
  },
);

test('a known pair of ids decides also where profiles cannot be compared', async () => {
  const userId = newHexId();
  const { durable } = system.bridge.context.store;
  const pair = { kind: 'account' as const, legacy_id: userId, modern_id: DANA.accountId };
  await durable
    .insertInto('id_pairs')
    .values({ ...pair, source: 'imported', created_at: 1 })
    .execute();
  const { id, token } = await observed([{ formatted_service: 'X' }], userId);
  await pasteAndConsent(token);
  expect(await holderOf(id)).toBe(DANA.accountId);
});

test('many profiles that are all among the channels show whose the token is', async () => {
  const { id, token } = await observed(many(1000));
  await pasteAndConsent(token);
  expect(await holderOf(id)).toBe(DANA.accountId);
});

test('after a consent by another account it is pasted again, and the new API asks who is there', async () => {
  const { id, token } = await observed([OF_DANA]);
  const left = await paste(token);
  const refused = await dana.get(await consentAt(system, left, { person: SAM }));
  expect(wordsOf(refused)).toContain(`You allowed it as ${SAM.login}`);
  const form = await dana.get(linkOf(refused.body, refused.url, /^Paste the token again$/) ?? '');
  // A typing mistake changes nothing of that.
  const mistyped = await pressIn(dana, form, /^Compare/, { token: `${token}0` });
  const again = await pressIn(dana, mistyped, /^Compare/, { token });
  expect(new URL(again.location ?? '').searchParams.get('prompt')).toBe('login consent');
  await dana.get(await consentAt(system, again, { person: DANA }));
  expect(await holderOf(id)).toBe(DANA.accountId);
});
