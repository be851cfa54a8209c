import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import type { Context } from '../../../src/domain/context.ts';
import { type Preview, previewReminders } from '../../../src/domain/reminders/plan-reminders.ts';
import { normalEmail } from '../../../src/shared/mail/address.ts';
import { outdateOtherDays } from '../../../src/store/reminders/reminders.ts';
import type { DateName } from '../../../src/store/tables/lifecycle.ts';
import { countCallsSince } from '../../../src/store/usage/known-calls.ts';
import type { Mapping, NewMapping, Tables } from '../../../src/store/tables/tables.ts';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { copyMigratedFile, migratedDatabase } from '../../support/database/migrated.ts';
import type { SettableClock } from '../../support/bridge/settable-clock.ts';
import type { DatabaseKind } from '../../store/support/stores.ts';

/** One database on which any number of bridges plan, none of which serves: rows go in, and reminders come out. */
export interface Ground {
  /** Another bridge on the database, as a process of its own would be. */
  open(): Promise<Context>;
  close(): Promise<void>;
}

export async function openGround(kind: DatabaseKind, clock: SettableClock): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'planning-'));
  const database = kind === 'postgres' ? await migratedDatabase() : undefined;
  const config = readConfig({
    VAR_DIR: folder,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
    LOG_LEVEL: 'error',
    ...(database && { DATABASE_URL: database.url }),
  });
  copyMigratedFile(config.database);
  const { upstream } = config;
  if (!upstream) throw new Error('the settings name a modern side');
  const opened: OpenContext[] = [];
  return {
    async open() {
      const one = await openContext(config, upstream, { clock });
      opened.push(one);
      return one.context;
    },
    async close() {
      for (const one of opened) await one.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing is left of the test before. */
export async function emptyGround({ store: { durable, volatile } }: Context): Promise<void> {
  for (const table of [
    'reminders',
    'stopped_addresses',
    'mails',
    'extensions',
    'lifecycle_dates',
    'last_use_reading',
  ] as const)
    await durable.deleteFrom(table).execute();
  for (const table of ['app_contacts', 'mappings', 'grants', 'apps', 'accounts'] as const)
    await durable.deleteFrom(table).execute();
  await volatile.deleteFrom('usage').execute();
  // All calls are counted, unless a test says otherwise.
  await countCallsSince({ volatile }, 0);
}

/** What all plan to send now, without planning it. */
export async function previewAll(context: Context): Promise<Preview[]> {
  const all: Preview[] = [];
  for await (const each of previewReminders(context)) all.push(each);
  return all;
}

let made = 0;

/** An id that sorts by the order of making. */
const newId = (of: string) => `${of}${String((made += 1)).padStart(6, '0')}`;

export async function addAccount(
  { store, clock }: Context,
  account: { email?: string; name?: string; timezone?: string } = {},
): Promise<string> {
  const account_id = newId('account');
  await store.durable
    .insertInto('accounts')
    .values({ account_id, ...account, updated_at: clock.now() })
    .execute();
  return account_id;
}

type NewApp = Partial<Pick<Tables['apps'], 'source'>> & {
  owner?: string;
  ownerEmail?: string;
  name?: string;
  retired?: boolean;
};

export async function addApp(
  { store, clock }: Context,
  { owner, ownerEmail, name = 'An app', retired = false, source = 'imported' }: NewApp = {},
): Promise<string> {
  const [client_id, now] = [newId('app'), clock.now()];
  const owners = {
    owner_account_id: owner ?? null,
    owner_email: ownerEmail ? normalEmail(ownerEmail) : null,
  };
  const app = { client_id, name, ...owners, source, created_at: now, retired_at: retired ? now : null };
  await store.durable.insertInto('apps').values(app).execute();
  return client_id;
}

/** A token of an app; unmapped, and used just now. */
export async function addToken(
  { store, clock }: Context,
  clientId: string,
  token: Partial<NewMapping> = {},
): Promise<string> {
  const [id, now] = [newId('token'), clock.now()];
  await store.durable
    .insertInto('mappings')
    .values({
      id,
      token_digest: id,
      client_id: clientId,
      state: 'unmapped',
      source: 'imported',
      created_at: now,
      updated_at: now,
      last_used_at: now,
      ...token,
    })
    .execute();
  return id;
}

/** A grant that has died just now, for a token that waits on it. */
export async function addDeadGrant(
  { store, clock }: Context,
  grant: {
    clientId: string;
    accountId: string;
    cause: NonNullable<Tables['grants']['dead_cause']['__select__']>;
  },
): Promise<string> {
  const [id, now] = [newId('grant'), clock.now()];
  await store.durable
    .insertInto('grants')
    .values({
      id,
      client_id: grant.clientId,
      account_id: grant.accountId,
      modern_client_id: 'bridge',
      state: 'dead',
      version: 1,
      scope: 'account:read',
      access_expires_at: now,
      refresh_at: now,
      created_at: now,
      updated_at: now,
      rotated_at: now,
      dead_at: now,
      dead_cause: grant.cause,
    })
    .execute();
  return id;
}

export async function changeToken(
  { store }: Context,
  id: string,
  changes: Partial<Pick<Mapping, 'state' | 'account_id' | 'last_used_at' | 'woken_at' | 'grant_id'>>,
): Promise<void> {
  await store.durable.updateTable('mappings').set(changes).where('id', '=', id).execute();
}

export async function readToken({ store }: Context, id: string): Promise<Mapping> {
  return store.durable.selectFrom('mappings').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Sets a date for all apps, as of now for this bridge. */
export async function setDate(context: Context, name: DateName, at: string): Promise<void> {
  const row = { name, at: Date.parse(at), changed_at: context.clock.now(), changed_by: 'test' };
  await context.store.durable
    .insertInto('lifecycle_dates')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ at: row.at }))
    .execute();
  await context.lifecycle.refresh();
}

/** Gives one app more time. */
export async function extend(context: Context, clientId: string, until: string): Promise<void> {
  await context.store.durable
    .insertInto('extensions')
    .values({
      id: newId('extension'),
      client_id: clientId,
      name: 'retirement',
      until: Date.parse(until),
      reason: 'test',
      granted_by: 'test',
      granted_at: context.clock.now(),
    })
    .execute();
  await context.lifecycle.refresh();
}

/** Ends the time that one app has. */
export async function endExtension(context: Context, clientId: string): Promise<void> {
  await context.store.durable
    .updateTable('extensions')
    .set({ ended_at: context.clock.now(), ended_by: 'test' })
    .where('client_id', '=', clientId)
    .where('ended_at', 'is', null)
    .execute();
  await context.lifecycle.refresh();
}

/** Ends what waits to be sent, as if it had been. */
export async function sendAll({ store, clock }: Context): Promise<void> {
  const now = clock.now();
  const sent = await store.durable
    .updateTable('mails')
    .set({ state: 'sent', ended_at: now })
    .where('state', '=', 'due')
    .returning(['id', 'person'])
    .execute();
  for (const { id, person } of sent)
    await outdateOtherDays(store.durable, { mailId: id, person, names: [person], now });
}

/** The ledger, one line for each reminder: whom, as what, of what. */
export async function readLedger({ store }: Context): Promise<string[]> {
  const rows = await store.durable
    .selectFrom('reminders')
    .innerJoin('mails', 'mails.id', 'reminders.mail_id')
    .select(['reminders.person', 'client_id', 'role', 'stage', 'planned_for', 'day', 'state'])
    .where('dropped_at', 'is', null)
    .orderBy('day')
    .orderBy('reminders.person')
    .orderBy('client_id')
    .orderBy('role')
    .orderBy('stage')
    .execute();
  return rows.map(({ person, client_id, role, stage, planned_for, day }) =>
    [day, person, client_id, role, stage, planned_for].join(' ').trim(),
  );
}

/** How many mails there are that were not dropped. */
export async function countMails({ store }: Context): Promise<number> {
  const rows = await store.durable.selectFrom('mails').select('id').where('state', '<>', 'dropped').execute();
  return rows.length;
}
