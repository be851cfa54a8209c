import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../../src/domain/context.ts';
import { openRefreshToken } from '../../../src/domain/grants/sealed-pair.ts';
import type { Database } from '../../../src/store/driver/store.ts';
import type { Grant, MappingState } from '../../../src/store/tables/tables.ts';
import { digestOf, type EventRow, type GrantRow, type MappingRow } from './checker/history.ts';

/** What the campaign itself reads and changes in a lane's database. */

const PATIENCE_MS = 15_000;

/** The campaign crashes the database too, and waits for it then. */
async function patiently<T>({ store }: Context, work: (db: Database) => Promise<T>): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work(store.durable);
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(100);
    }
  }
}

/** Ends the life of a grant's access token; in `presenting` too where it is wanted while the outcome is unknown. */
export async function expireAccess(context: Context, grantId: string): Promise<void> {
  await patiently(context, (db) =>
    db
      .updateTable('grants')
      .set({ access_expires_at: 0, refresh_at: 0, retry_at: 0 })
      .where('id', '=', grantId)
      .where('state', '<>', 'dead')
      .execute(),
  );
}

/** Makes a pair old enough to be renewed ahead of time, while its access token lives on. */
export async function makeDue(context: Context, grantId: string): Promise<void> {
  await patiently(context, (db) =>
    db.updateTable('grants').set({ refresh_at: 0, retry_at: 0 }).where('id', '=', grantId).execute(),
  );
}

/** Many grants that end stop all refreshing for minutes; those that the campaign ended are made to lie long ago. */
export async function ageDeaths(context: Context): Promise<void> {
  const now = context.clock.now();
  await patiently(context, (db) =>
    db
      .updateTable('grants')
      .set((eb) => ({ dead_at: eb('dead_at', '-', 600_000) }))
      .where('state', '=', 'dead')
      .where('dead_at', '>', now - 120_000)
      .execute(),
  );
}

export async function grantOf(context: Context, grantId: string): Promise<Grant | undefined> {
  return patiently(context, (db) =>
    db.selectFrom('grants').selectAll().where('id', '=', grantId).executeTakeFirst(),
  );
}

/** The grant that serves a legacy token now. */
export async function grantIdOf(context: Context, token: string): Promise<string | undefined> {
  const row = await patiently(context, (db) =>
    db
      .selectFrom('mappings')
      .select('grant_id')
      .where('token_digest', 'in', context.vault.digests(token))
      .executeTakeFirst(),
  );
  return row?.grant_id ?? undefined;
}

function tokenOf(context: Context, grant: Grant): { token?: string } {
  return grant.refresh_token_sealed === null ? {} : { token: digestOf(openRefreshToken(context, grant)) };
}

/** The grants that have ended by now. */
export async function endedGrants(context: Context): Promise<Set<string>> {
  const rows = await patiently(context, (db) =>
    db.selectFrom('grants').select('id').where('state', '=', 'dead').execute(),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Rows of grants that the last rounds touched, with a digest of the refresh token that each holds. */
export async function grantsSince(context: Context, time: number): Promise<GrantRow[]> {
  const rows = await patiently(context, (db) =>
    db.selectFrom('grants').selectAll().where('updated_at', '>=', time).execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    clientId: row.client_id,
    state: row.state,
    version: row.version,
    deadAt: row.dead_at,
    deadCause: row.dead_cause,
    accessExpiresAt: row.access_expires_at,
    ...tokenOf(context, row),
  }));
}

/** The mappings of legacy tokens that the campaign holds. */
export async function mappingsOf(context: Context, tokens: Iterable<string>): Promise<MappingRow[]> {
  // under every key: a token keeps its digest until it is next seen after a rotation
  const known = new Map(
    [...tokens].flatMap((token) =>
      context.vault.digests(token).map((digest): [string, string] => [digest, digestOf(token)]),
    ),
  );
  if (known.size === 0) return [];
  const rows = await patiently(context, (db) =>
    db
      .selectFrom('mappings')
      .selectAll()
      .where('token_digest', 'in', [...known.keys()])
      .execute(),
  );
  return rows.map((row) => ({
    id: row.id,
    clientId: row.client_id,
    grantId: row.grant_id,
    state: row.state,
    ...(known.has(row.token_digest) && { token: known.get(row.token_digest) as string }),
  }));
}

/** Whether a legacy token's mapping is in a state, and the history has its entry, as committed by now. */
export async function isRecorded(
  context: Context,
  token: string,
  { state, action }: { state: MappingState; action: string },
): Promise<boolean> {
  const row = await patiently(context, (db) =>
    db
      .selectFrom('mappings')
      .innerJoin('events', (join) =>
        join.on((eb) =>
          eb.or([
            eb('events.mapping_id', '=', eb.ref('mappings.id')),
            eb.and([
              eb('events.client_id', '=', eb.ref('mappings.client_id')),
              eb('events.mapping_id', 'is', null),
            ]),
          ]),
        ),
      )
      .select('mappings.id')
      .where('token_digest', 'in', context.vault.digests(token))
      .where('mappings.state', '=', state)
      .where('events.action', '=', action)
      .executeTakeFirst(),
  );
  return row !== undefined;
}

export async function lastEventId(context: Context): Promise<number> {
  const row = await patiently(context, (db) =>
    db
      .selectFrom('events')
      .select((eb) => eb.fn.max('id').as('id'))
      .executeTakeFirst(),
  );
  return row?.id ?? 0;
}

export async function eventsAfter(context: Context, id: number): Promise<EventRow[]> {
  const rows = await patiently(context, (db) =>
    db.selectFrom('events').selectAll().where('id', '>', id).orderBy('id').execute(),
  );
  return rows.map((row) => ({
    at: row.at,
    action: row.action,
    grantId: row.grant_id,
    mappingId: row.mapping_id,
  }));
}

/** Digests of the refresh tokens whose revocation is still owed to the modern side. */
export async function owedTokens(context: Context): Promise<string[]> {
  const rows = await patiently(context, (db) => db.selectFrom('owed_revocations').selectAll().execute());
  return rows.map((row) =>
    digestOf(context.vault.open(`owed_revocations|${row.id}|token`, row.token_sealed)),
  );
}
