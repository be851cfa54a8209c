import { ensureAccount } from '../../store/accounts/accounts.ts';
import type { Database } from '../../store/driver/store.ts';
import {
  giveAppsTo,
  giveTokensTo,
  letAppsWaitFor,
  letTokensWaitFor,
  rowsUnderLegacyIds,
} from '../../store/tokens/under-legacy-ids.ts';
import { attachPairs } from '../tokens/attach-tokens.ts';
import type { Origin } from '../origin.ts';
import type { AccountsDeps } from './deps.ts';
import { pinOwner } from './pin-owner.ts';
import { recordEvents } from '../history/record-event.ts';
import { groupBy } from '../../shared/group-by.ts';

/**
 * Apps and tokens under an old account id go to the account that an id pair names (docs/decisions/0016, ids and
 * identity). This happens wherever a pair is imported, learned or pinned, in the transaction of the pair. A second run
 * finds nothing left.
 */

/** The pair of an account: its new id or, while that id is unknown, the e-mail address of the account. */
export interface AccountPair {
  legacyId: string;
  modernId: string | null;
  email: string | null;
}

interface TransactionScope {
  context: AccountsDeps;
  tx: Database;
  origin: Origin;
}

type LegacyIdRows = Awaited<ReturnType<typeof rowsUnderLegacyIds>>;

const REASON = 'an id pair';

function eventsOf(
  { context, origin }: TransactionScope,
  { apps, tokens }: LegacyIdRows,
  accountId: string | null,
) {
  const by = { at: context.clock.now(), ...origin, accountId, reason: REASON };
  const action = accountId === null ? 'token_changed' : 'account_pinned';
  return [
    ...apps.map(({ clientId }) => ({ ...by, clientId, action: 'app_changed' })),
    ...tokens.map(({ id, clientId }) => ({ ...by, clientId, mappingId: id, action })),
  ];
}

async function give(step: TransactionScope, rows: LegacyIdRows, accountId: string): Promise<void> {
  const { context, tx, origin } = step;
  const now = context.clock.now();
  const clientIds = rows.apps.map(({ clientId }) => clientId);
  const ids = rows.tokens.map(({ id }) => id);
  const isNamed = ids.length > 0 && (await ensureAccount(tx, accountId, now));
  await giveAppsTo(tx, clientIds, accountId);
  await giveTokensTo(tx, ids, { accountId, now });
  const named = { at: now, ...origin, accountId, action: 'account_named', reason: REASON };
  await recordEvents(context, tx, [...(isNamed ? [named] : []), ...eventsOf(step, rows, accountId)]);
  await pinOwner(context, tx, { clientIds, accountId, ...origin });
}

async function letWait(
  step: TransactionScope,
  rows: LegacyIdRows,
  { legacyId, email }: AccountPair & { email: string },
) {
  const { context, tx } = step;
  // A token that waits for an e-mail address already keeps that address.
  const tokens = rows.tokens.filter((token) => token.isItsAccount || token.email === null);
  const clientIds = rows.apps.map(({ clientId }) => clientId);
  const ids = tokens.map(({ id }) => id);
  if (clientIds.length + ids.length === 0) return;
  await letAppsWaitFor(tx, clientIds, email);
  await letTokensWaitFor(tx, ids, { legacyId, email, now: context.clock.now() });
  await recordEvents(context, tx, eventsOf(step, { apps: rows.apps, tokens }, null));
}

async function follow(step: TransactionScope, pair: AccountPair, rows: LegacyIdRows): Promise<void> {
  const { modernId, email } = pair;
  if (modernId !== null) await give(step, rows, modernId);
  else if (email !== null) await letWait(step, rows, { ...pair, email });
}

const byLegacyId = <T extends { legacyId: string }>(rows: readonly T[]) =>
  groupBy(rows, ({ legacyId }) => legacyId);

/** Moves the apps and tokens. Returns how many of each have their account now. */
export async function applyAccountPairs(
  context: AccountsDeps,
  tx: Database,
  { pairs, origin }: { pairs: readonly AccountPair[]; origin: Origin },
): Promise<{ tokens: number; apps: number }> {
  const done = { tokens: 0, apps: 0 };
  if (pairs.length === 0) return done;
  const found = await rowsUnderLegacyIds(
    tx,
    pairs.map(({ legacyId }) => legacyId),
  );
  const [apps, tokens] = [byLegacyId(found.apps), byLegacyId(found.tokens)];
  const served: Array<{ clientId: string; accountId: string }> = [];
  for (const pair of pairs) {
    const rows = { apps: apps.get(pair.legacyId) ?? [], tokens: tokens.get(pair.legacyId) ?? [] };
    if (rows.apps.length + rows.tokens.length === 0) continue;
    await follow({ context, tx, origin }, pair, rows);
    if (pair.modernId === null) continue;
    done.apps += rows.apps.length;
    done.tokens += rows.tokens.length;
    for (const { clientId } of rows.tokens) served.push({ clientId, accountId: pair.modernId });
  }
  await attachPairs(context, tx, { pairs: served, origin });
  return done;
}
