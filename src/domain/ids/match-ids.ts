import { z } from 'zod';
import { isOutsideId } from '../../shared/ids.ts';
import { findModernId, type IdPair, learnPair } from '../../store/accounts/id-pairs.ts';
import type { Database } from '../../store/driver/store.ts';
import { keepPublishedIds } from '../../store/accounts/published-ids.ts';
import type { AccountReading } from '../../upstream/main-api.ts';
import type { IdsDeps } from './deps.ts';
import { applyAccountPairs } from '../accounts/apply-account-pairs.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { recordEvent } from '../history/record-event.ts';
import type { ServedMapping } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';

/** Matches old ids with new ids: the bridge reads the same account at both APIs and compares (docs/decisions/0016). */

/** The caller: the mapping, and the token as it came, which the old API knows. */
export interface Caller {
  mapping: ServedMapping;
  token: string;
}

/** An id goes into answers, addresses and the database. */
const legacyId = z.string().refine(isOutsideId);

const oldUser = z.object({ id: legacyId });

const oldProfile = z.object({ id: legacyId, service: z.string(), service_id: z.string() });

/**
 * A profile and its channel have the same service and service id. Two profiles with the same name cannot be told apart.
 */
const networkName = (service: string, serviceId: string) => JSON.stringify([service, serviceId]);

/** Items by key. Items that share a key are left out. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return new Map(items.filter((item) => counts.get(keyOf(item)) === 1).map((item) => [keyOf(item), item]));
}

/** An entry that does not look like a profile is left out, and the other entries stay. */
function profilesIn(answer: unknown): Array<z.infer<typeof oldProfile>> {
  const entries: unknown[] = Array.isArray(answer) ? answer : [];
  const profiles = entries.flatMap((entry) => oldProfile.safeParse(entry).data ?? []);
  return [...uniqueBy(profiles, ({ id }) => id).values()];
}

/**
 * The pairs without doubt: each side has exactly one profile with this `service` and `service_id`. An old id that
 * equals the new id of another channel would make two profiles one, so such a pair is left out.
 */
function pairProfiles(answer: unknown, channels: AccountReading['channels']): IdPair[] {
  const old = uniqueBy(profilesIn(answer), (profile) => networkName(profile.service, profile.service_id));
  const modern = uniqueBy(channels, (channel) => networkName(channel.service, channel.serviceId));
  const modernIds = new Set(channels.map(({ id }) => id));
  return [...old].flatMap(([name, { id }]): IdPair[] => {
    const modernId = modern.get(name)?.id;
    if (modernId === undefined || (modernIds.has(id) && id !== modernId)) return [];
    return [{ kind: 'profile', legacyId: id, modernId }];
  });
}

function pairAccount(answer: unknown, modernId: string): IdPair[] {
  const user = oldUser.safeParse(answer).data;
  return user ? [{ kind: 'account', legacyId: user.id, modernId }] : [];
}

/**
 * Only an import vouches for the account of a token. An observed token proves itself alone: a pair would give its
 * holder every other token of that old account. So only this app is told the id.
 */
function vouches({ source }: ServedMapping): boolean {
  return source === 'imported';
}

/** Tokens and apps that wait under the old id of the account belong to the account from now on. */
function follow(context: IdsDeps, tx: Database, learned: readonly IdPair[]): Promise<unknown> {
  const accounts = learned.filter(({ kind }) => kind === 'account');
  const pairs = accounts.map((pair) => ({ ...pair, email: null }));
  return applyAccountPairs(context, tx, { pairs, origin: { actor: 'bridge', requestId: null } });
}

/** Whether the old id of a profile stands for a channel that this account does not have. */
async function isElsewhere(
  tx: Database,
  pair: IdPair,
  channels: AccountReading['channels'],
): Promise<boolean> {
  if (pair.kind !== 'profile') return false;
  const other = await findModernId(tx, pair.kind, pair.legacyId);
  return other !== undefined && channels.every(({ id }) => id !== other);
}

/**
 * Stores the pairs that are new, with an entry in the history. Two accounts may share an old profile, and each may have
 * connected it to the new API as a channel of its own. The pair is that of the account that came first; the app of the other
 * is told the old id for its own channel, which it has stored.
 */
async function keepPairs(
  context: IdsDeps,
  { mapping }: Caller,
  { found, channels }: { found: readonly IdPair[]; channels: AccountReading['channels'] },
): Promise<void> {
  const now = context.clock.now();
  const isPair = ({ kind }: IdPair) => kind === 'profile' || vouches(mapping);
  await context.store.transaction(async (tx: Database) => {
    const learned: IdPair[] = [];
    const told = found.filter((pair) => !isPair(pair));
    for (const pair of found.filter(isPair)) {
      const became = await learnPair(tx, pair, now);
      if (became === 'new') learned.push(pair);
      if (became === 'of another' && (await isElsewhere(tx, pair, channels))) told.push(pair);
    }
    const ids = told.map(({ kind, modernId, legacyId: toldId }) => ({ kind, modernId, toldId }));
    if (ids.length > 0) await keepPublishedIds(tx, mapping.client_id, { ids, now });
    if (learned.length === 0) return;
    const count = learned.filter(({ kind }) => kind === 'profile').length;
    await recordEvent(context, tx, {
      at: now,
      actor: 'bridge',
      action: 'ids_learned',
      requestId: mapping.calling?.requestId ?? null,
      reason: `${count} ${count === 1 ? 'profile' : 'profiles'}`,
      clientId: mapping.client_id,
      accountId: mapping.account_id,
    });
    await follow(context, tx, learned);
  });
}

/**
 * Asks the old API with the caller's token for account and profiles, and stores the pairs. A refused token or an answer
 * without sense gives no pairs and is no failure.
 * @throws {Unavailable} the old API did not answer
 */
export async function matchIds(context: IdsDeps, caller: Caller, reading: AccountReading): Promise<void> {
  const oldBackend = oldBackendUntilRetired(context, provenApp(caller.mapping));
  if (!oldBackend) return;
  const { token, mapping } = caller;
  const [user, profiles] = await Promise.all([
    oldBackend.read('/1/user.json', token, mapping.calling?.trace),
    oldBackend.read('/1/profiles.json', token, mapping.calling?.trace),
  ]);
  const pairs = [...pairAccount(user, reading.account.id), ...pairProfiles(profiles, reading.channels)];
  if (pairs.length > 0) await keepPairs(context, caller, { found: pairs, channels: reading.channels });
}
