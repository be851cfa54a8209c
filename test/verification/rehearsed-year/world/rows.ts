import type { Store } from '../../../../src/store/driver/store.ts';
import type { Account, NewGrant, NewMapping } from '../../../../src/store/tables/tables.ts';
import { nameOfDay, DAY } from './calendar.ts';
import { BEGINNING, type Human, KNOWN_SINCE, type World, type WorldToken } from './world.ts';

/** The rows that a year begins with, written as they stand in a database, without asking the bridge. */

const AT_ONCE = 500;

async function eachPage<T>(rows: readonly T[], work: (page: T[]) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE) await work(rows.slice(from, from + AT_ONCE));
}

export function accountRow(
  { accountId, email, zone, id }: Human & { accountId: string },
  at: number,
): Account {
  return {
    account_id: accountId,
    email: email ?? null,
    name: `Name of ${id}`,
    timezone: zone,
    updated_at: at,
  };
}

/** A grant as it is when a person has just consented. */
export function grantRow(id: string, pair: { app: string; accountId: string }, at: number): NewGrant {
  return {
    id,
    client_id: pair.app,
    account_id: pair.accountId,
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    scope: 'account:read',
    access_expires_at: at + DAY,
    refresh_at: at + DAY,
    created_at: at,
    updated_at: at,
    rotated_at: at,
  };
}

const addressOf = ({ email }: Human): string | null => email?.toLowerCase() ?? null;

interface Known {
  humans: ReadonlyMap<string, Human>;
  /** By person and app. */
  grants: ReadonlyMap<string, NewGrant>;
}

function mappingRow(token: WorldToken, { humans, grants }: Known): NewMapping {
  const human = token.human === undefined ? undefined : humans.get(token.human);
  return {
    id: token.id,
    token_digest: `digest of ${token.id}`,
    hint_first: 'abcd',
    hint_last: token.id.slice(-4),
    client_id: token.app,
    account_id: human?.accountId ?? null,
    account_email: human && human.accountId === undefined ? addressOf(human) : null,
    grant_id: grants.get(`${token.human} ${token.app}`)?.id ?? null,
    state: token.state,
    source: 'imported',
    created_at: KNOWN_SINCE,
    updated_at: KNOWN_SINCE,
    last_used_at: token.lastUsedAt === undefined ? null : Math.floor(token.lastUsedAt / DAY) * DAY,
  };
}

function grantsOf({ tokens }: World, humans: ReadonlyMap<string, Human>): Map<string, NewGrant> {
  const grants = new Map<string, NewGrant>();
  for (const { human, app, state, died } of tokens) {
    const accountId = human === undefined ? undefined : humans.get(human)?.accountId;
    if (accountId === undefined || state === 'unmapped') continue;
    const row = grantRow(`first-grant-of-${human}-${app}`, { app, accountId }, BEGINNING);
    const end = died && ({ state: 'dead', dead_at: died.at, dead_cause: died.cause } as const);
    grants.set(`${human} ${app}`, { ...row, ...end });
  }
  return grants;
}

/** Writes everything that is there before the first day. */
export async function writeRows({ durable }: Store, world: World): Promise<void> {
  const humans = new Map(world.humans.map((human) => [human.id, human]));
  const grants = grantsOf(world, humans);
  const accounts = world.humans.flatMap((human) =>
    human.accountId === undefined ? [] : [accountRow({ ...human, accountId: human.accountId }, BEGINNING)],
  );
  const apps = world.apps.map(({ clientId, name, owner }) => {
    const human = owner && humans.get(owner.human);
    return {
      client_id: clientId,
      name,
      owner_account_id: owner?.by === 'account' ? (human?.accountId ?? null) : null,
      owner_email: human && owner?.by === 'email' ? addressOf(human) : null,
      source: 'imported' as const,
      created_at: BEGINNING,
    };
  });
  const contacts = world.apps.flatMap(({ clientId, contacts: addresses }) =>
    addresses.map((address) => ({ client_id: clientId, address })),
  );
  const mappings = world.tokens.map((token) => mappingRow(token, { humans, grants }));
  await eachPage(accounts, (page) => durable.insertInto('accounts').values(page).execute());
  await eachPage(apps, (page) => durable.insertInto('apps').values(page).execute());
  await eachPage(contacts, (page) => durable.insertInto('app_contacts').values(page).execute());
  await eachPage([...grants.values()], (page) => durable.insertInto('grants').values(page).execute());
  await eachPage(mappings, (page) => durable.insertInto('mappings').values(page).execute());
}

/** Calls that were answered; each by its token and its time. */
export async function writeUses(
  { volatile }: Store,
  uses: ReadonlyArray<{ token: string; at: number }>,
): Promise<void> {
  const rows = uses.map(({ token, at }) => ({
    mapping_id: token,
    day: nameOfDay(Math.floor(at / DAY)),
    endpoint: '/1/profiles.json',
    carrier: 'header',
    user_agent: 'rehearsal/1.0',
    outcome: 'ok',
    calls: 1,
    last_at: at,
  }));
  await eachPage(rows, (page) => volatile.insertInto('usage').values(page).execute());
}
