import { newHexId } from '../../../src/shared/ids.ts';
import type { MappingState, NewGrant } from '../../../src/store/tables/tables.ts';
import { waitingToken } from '../../owners/support/people.ts';
import { registerLegacyApp } from '../../support/bridge/register-app.ts';
import type { System } from '../../support/bridge/system.ts';

/** Connections that stand on desks. */

const MINUTE = 60_000;

/** Moves a token, whatever its grant is. */
export async function setState(system: System, mappingId: string, state: MappingState): Promise<void> {
  const { durable } = system.bridge.context.store;
  await durable.updateTable('mappings').set({ state }).where('id', '=', mappingId).execute();
}

/** A grant of an app and account of its own, with one token. */
export async function keepGrant(system: System, changes: Partial<NewGrant>) {
  const { store, clock } = system.bridge.context;
  const { clientId } = await registerLegacyApp(system.bridge, 'https://a.example/cb');
  const accountId = newHexId();
  const { id: mappingId } = await waitingToken(system, { app: { ...system.app, clientId }, accountId });
  const now = clock.now();
  const id = newHexId();
  const grant: NewGrant = {
    id,
    client_id: clientId,
    account_id: accountId,
    modern_client_id: 'bridge',
    state: 'ready',
    version: 1,
    access_token_sealed: 'sealed-access-pair',
    refresh_token_sealed: 'sealed-refresh-pair',
    scope: 'account:read',
    access_expires_at: now + 90 * MINUTE,
    refresh_at: now,
    created_at: now,
    updated_at: now,
    rotated_at: now,
    // What the job settles is left alone for the time of the test.
    retry_at: now + 30 * MINUTE,
    ...changes,
  };
  await store.durable.insertInto('grants').values(grant).execute();
  await store.durable.updateTable('mappings').set({ grant_id: id }).where('id', '=', mappingId).execute();
  return { id, clientId, accountId, mappingId };
}

/** What ended, with a token that has stopped unless it ended in a newer consent. */
export async function deadGrant(system: System, cause: 'refused' | 'lost' | 'replaced', at: number) {
  const kept = await keepGrant(system, { state: 'dead', dead_cause: cause, dead_at: at });
  if (cause !== 'replaced') await setState(system, kept.mappingId, 'reauthorization_required');
  return kept;
}

/** More time until the retirement, which the operator's rules did not look at; the app that has it. */
export async function keepExtension(
  system: System,
  { until, reason, ended_at = null }: { until: number; reason: string; ended_at?: number | null },
): Promise<string> {
  const { clientId } = await registerLegacyApp(system.bridge, 'https://e.example/cb');
  const granted = { granted_by: 'test', granted_at: 0, ended_at };
  const row = { id: newHexId(), client_id: clientId, name: 'retirement' as const, until, reason };
  await system.bridge.context.store.durable
    .insertInto('extensions')
    .values({ ...row, ...granted })
    .execute();
  return clientId;
}
