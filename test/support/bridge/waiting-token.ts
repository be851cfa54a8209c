import { newHexId, newLegacyToken, tokenHint } from '../../../src/shared/ids.ts';
import { ensureAccount } from '../../../src/store/accounts/accounts.ts';
import { insertMapping } from '../../../src/store/tokens/mappings.ts';
import type { Mapping, MappingSource } from '../../../src/store/tables/tables.ts';
import type { StartedBridge } from './started-bridge.ts';

interface Waiting {
  clientId: string;
  token?: string;
  accountId?: string;
  source?: MappingSource;
}

/** A token from before the bridge, as an import would leave it: known, and waiting for its owner. */
export async function addWaitingToken(
  { context }: Pick<StartedBridge, 'context'>,
  { clientId, token = newLegacyToken(), accountId, source = 'imported' }: Waiting,
): Promise<{ token: string; mappingId: string }> {
  const [now, mappingId, hint] = [context.clock.now(), newHexId(), tokenHint(token)];
  await context.store.transaction(async (tx) => {
    if (accountId !== undefined) await ensureAccount(tx, accountId, now);
    await insertMapping(tx, {
      id: mappingId,
      token_digest: context.vault.digest(token),
      hint_first: hint.first,
      hint_last: hint.last,
      client_id: clientId,
      account_id: accountId ?? null,
      state: 'unmapped',
      source,
      created_at: now,
      updated_at: now,
    });
  });
  return { token, mappingId };
}

/** What the bridge knows of a token; undefined when it has never seen it. */
export async function mappingOf(
  { context }: Pick<StartedBridge, 'context'>,
  token: string,
): Promise<Mapping | undefined> {
  return context.store.durable
    .selectFrom('mappings')
    .selectAll()
    .where('token_digest', 'in', context.vault.digests(token))
    .executeTakeFirst();
}

/** The history of one token, oldest first. */
export async function actionsOf(
  { context }: Pick<StartedBridge, 'context'>,
  mappingId: string,
): Promise<string[]> {
  const rows = await context.store.durable
    .selectFrom('events')
    .select('action')
    .where('mapping_id', '=', mappingId)
    .orderBy('id')
    .execute();
  return rows.map(({ action }) => action);
}
