import { newHexId, newLegacyToken } from '../../../src/shared/ids.ts';
import { browserOf, consentAt, DANA, pressIn, SAM } from '../../owners/support/people.ts';
import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { until } from '../../support/servers/held-answer.ts';
import { issueToken } from '../../support/callers/legacy-calls.ts';
import { type OldAccount, type OldBackend, startOldBackend } from '../../support/servers/old-backend.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import { mappingOf } from '../../support/bridge/waiting-token.ts';

/** A running system with an old API behind it, and tokens that the bridge has just seen in use. */

/** Calls a minute. */
export const LIMIT = 5;
export const MINUTE = 60_000;

export const clock = new SettableClock();
export const danas: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
export const sams: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
export const nobodys: OldAccount = { tokens: [], user: { id: newHexId() }, profiles: [] };
export let old: OldBackend;
export let system: System;
export let dana: CookieWalker;

/** One for all tests of a file; a minute passes before each. */
export function withSeenTokens(): void {
  beforeAll(async () => {
    old = await startOldBackend({ accounts: [danas, sams, nobodys] });
    const dates = { LEGACY_RETIREMENT_AT: '2099-01-01T00:00:00Z' };
    const env = { LEGACY_BACKEND_URL: old.url, LEGACY_RATE_LIMIT: String(LIMIT), ...dates };
    system = await startSystem({ env, clock });
    await pair(danas, DANA.accountId);
    await pair(sams, SAM.accountId);
    dana = await browserOf(system, DANA);
  });

  beforeEach(() => clock.advance(MINUTE + 1));

  afterAll(async () => {
    await system.stop();
    await old.close();
  });
}

export const rows = () => system.bridge.context.store.durable;

async function pair({ user }: OldAccount, accountId: string): Promise<void> {
  const row = { kind: 'account', legacy_id: user.id, modern_id: accountId } as const;
  await rows()
    .insertInto('id_pairs')
    .values({ ...row, source: 'imported', created_at: 0 })
    .execute();
}

export function call(token: string, path: string, agent = 'backup-script/1.0'): Promise<RawAnswer> {
  return sendRaw(system.bridgeUrl, {
    path,
    headers: { authorization: `Bearer ${token}`, 'user-agent': agent },
  });
}

export const statusOf = async (token: string) => (await call(token, '/1/user.json')).status;

export async function known(token: string) {
  const mapping = await mappingOf(system.bridge, token);
  if (!mapping) throw new Error('the bridge does not know the token');
  return mapping;
}

interface Seen {
  owner?: OldAccount;
  /** The app that its call names. */
  names?: string;
  agent?: string;
}

/** A token of the old API that the bridge has just seen in use. */
export async function seen({ owner = danas, names, agent = `agent-${newHexId()}` }: Seen = {}) {
  const token = newLegacyToken();
  old.addToken(owner.user.id, token);
  const query = names === undefined ? '' : `?client_id=${names}`;
  expect((await call(token, `/1/user.json${query}`, agent)).status).toBe(200);
  await until(async () => (await mappingOf(system.bridge, token)) !== undefined);
  const { id, client_id: clientId } = await known(token);
  return { token, id, clientId };
}

export const eventsOf = (mappingId: string) =>
  rows()
    .selectFrom('events')
    .select(['actor', 'action', 'client_id'])
    .where('mapping_id', '=', mappingId)
    .orderBy('id')
    .execute();

export async function grantOf(clientId: string) {
  return rows()
    .selectFrom('grants')
    .select(['id', 'state'])
    .where('client_id', '=', clientId)
    .where('account_id', '=', DANA.accountId)
    .where('state', '<>', 'dead')
    .executeTakeFirst();
}

/** An app that Dana has let in, with its token. */
export async function connectedApp() {
  const app = await system.registerApp(`https://${newHexId()}.example/callback`);
  return { app, token: await issueToken(system, { app }) };
}

export const pageOf = (clientId: string) => `${system.bridgeUrl}/apps/${clientId}`;

/** Presses “Connect” on a page, with these tokens ticked beside those that are, and confirms it. */
export async function connect(
  page: Page,
  tokens: Record<string, string> = {},
  browser = dana,
): Promise<Page> {
  const left = await pressIn(browser, page, /^Connect$/, tokens);
  if (!left.location?.startsWith('http')) return browser.follow(left);
  const person = browser === dana ? DANA : SAM;
  return browser.follow(await browser.get(await consentAt(system, left, { person })));
}

export const ticked = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`token-${id}`, 'yes']));
