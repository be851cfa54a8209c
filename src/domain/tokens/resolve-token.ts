import { hintOfAny } from '../../shared/ids.ts';
import { dayOf } from '../../shared/moments.ts';
import { Refusal } from '../../shared/refusal.ts';
import { keyIdOf } from '../../shared/secrets.ts';
import {
  findMapping,
  findMappingById,
  type MappingWithApp,
  keepHint,
  moveTokenDigest,
} from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Mapping, MappingState } from '../../store/tables/tables.ts';
import { GrantDead } from '../grants/refresh/access-token.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { TokensDeps } from './deps.ts';
import type { Brownout, LifecycleEnding } from '../lifecycle/lifecycle.ts';
import { oldBackendFor } from '../lifecycle/old-backend-for.ts';
import { provenApp } from './proven-app.ts';
import { requireUsableKey, underAllKeys } from '../keys/retry-after-key-rotation.ts';

interface ReauthorizationHint {
  reason: string;
  link: string;
}

/**
 * A refused token. A known token comes with the reason and a link to connect again. `brownout` is set where the token
 * is refused only until the brownout is over.
 */
export class TokenRefused extends Refusal {
  readonly reauthorize: ReauthorizationHint | undefined;
  readonly brownout: Brownout | undefined;
  constructor(reauthorize?: ReauthorizationHint, brownout?: Brownout) {
    super('the legacy token is not served');
    this.reauthorize = reauthorize;
    this.brownout = brownout;
  }
}

/** The mapping of a token that a grant serves. */
export type ServedMapping = MappingWithApp & {
  grant_id: string;
  account_id: string;
  modern_client_id: string;
};

const REASONS: Record<Exclude<MappingState, 'active'>, string> = {
  unmapped: 'This token has not been connected to the new API yet.',
  reauthorization_required:
    'The connection behind this token has ended. Its owner has to authorize the app again.',
  revoked: 'This token was revoked.',
  migrated: 'The app has moved to the new API and this token was retired.',
};

/** Reason and link for the caller of a known token (docs/decisions/0002). The link needs a sign-in. */
function wayBack(
  { settings }: TokensDeps,
  mapping: Mapping,
  state: Exclude<MappingState, 'active'>,
): ReauthorizationHint {
  return { reason: REASONS[state], link: `${settings.publicUrl}/apps/${mapping.client_id}` };
}

function refusalOf(
  context: TokensDeps,
  mapping: Mapping,
  state: Exclude<MappingState, 'active'>,
): TokenRefused {
  return new TokenRefused(wayBack(context, mapping, state));
}

function served(context: TokensDeps, mapping: MappingWithApp): ServedMapping {
  if (mapping.state !== 'active') throw refusalOf(context, mapping, mapping.state);
  const { grant_id, account_id, modern_client_id } = mapping;
  if (grant_id === null || account_id === null || modern_client_id === null)
    throw new Error(`mapping ${mapping.id} has no grant`);
  return { ...mapping, grant_id, account_id, modern_client_id };
}

/**
 * Whether a token is older than the bridge, so that the old API may know the token. The old API never saw a token that
 * the bridge issued.
 */
export function isFromBefore({ source }: Pick<Mapping, 'source'>): boolean {
  return source === 'imported' || source === 'observed';
}

/**
 * Whether the old API still knows a token: the token is older than the bridge, and the old API has not refused the
 * token yet.
 */
export function isKnownThere(mapping: Pick<Mapping, 'source' | 'refused_there_at'>): boolean {
  return isFromBefore(mapping) && mapping.refused_there_at === null;
}

/**
 * How a token is served. `served`: a grant stands behind the token. `waiting`: the token is not connected, and the old
 * API answers. `refused`: neither a grant nor the old API answers; without a mapping, the bridge has never seen the
 * token and the old API is not asked. `unknown`: the bridge has never seen the token, and the old API is asked.
 * `ending` says why the old API is not asked now, where it would be at other times.
 */
export type ResolvedToken =
  | { kind: 'served'; mapping: ServedMapping }
  | { kind: 'waiting'; mapping: MappingWithApp }
  | {
      kind: 'refused';
      mapping: MappingWithApp | undefined;
      refusal: TokenRefused;
      ending?: LifecycleEnding | undefined;
    }
  | { kind: 'unknown'; mapping: undefined };

/**
 * The 401 for a token that only the old API could know. `ending` says why the old API is not asked; pass the value that
 * the caller already has. `mapping` is undefined for a token that the bridge has never seen. Without an old API a
 * brownout takes nothing away, so the refusal names none.
 */
export function refusalWithout(
  context: TokensDeps,
  mapping: Mapping | undefined,
  ending: LifecycleEnding | undefined,
): TokenRefused {
  const reauthorize = mapping && wayBack(context, mapping, 'unmapped');
  if (ending?.because === 'brownout')
    return new TokenRefused(reauthorize, context.oldBackend && ending.brownout);
  if (!ending || !reauthorize) return new TokenRefused(reauthorize);
  const reason = `The old API was retired on ${dayOf(ending.at)} (UTC), and this token had not been connected to the new API by then. Its owner has to authorize the app again.`;
  return new TokenRefused({ ...reauthorize, reason });
}

function unmapped(context: TokensDeps, mapping: MappingWithApp): ResolvedToken {
  const { oldBackend, ending } = oldBackendFor(context, provenApp(mapping));
  if (oldBackend) return { kind: 'waiting', mapping };
  return { kind: 'refused', mapping, refusal: refusalWithout(context, mapping, ending), ending };
}

function resolved(context: TokensDeps, mapping: MappingWithApp): ResolvedToken {
  const { state } = mapping;
  if (state === 'active') return { kind: 'served', mapping: served(context, mapping) };
  if (state === 'unmapped' && isFromBefore(mapping)) return unmapped(context, mapping);
  return { kind: 'refused', mapping, refusal: refusalOf(context, mapping, state) };
}

/** The brownout because of which a call with this token is refused, if any. */
export function brownoutFor(token: ResolvedToken): Brownout | undefined {
  return token.kind === 'refused' ? token.refusal.brownout : undefined;
}

type MappingUpdate = (tx: Database) => Promise<void>;

type DigestedMapping = Pick<Mapping, 'id' | 'token_digest' | 'hint_first' | 'hint_last'>;

/**
 * A digest under another key needs the token itself. So the digest moves to the active key when the token is first
 * seen.
 */
function moveToActiveKey(
  context: TokensDeps,
  mapping: DigestedMapping,
  token: string,
): MappingUpdate | undefined {
  const from = mapping.token_digest;
  if (keyIdOf(from) === context.keyring.activeId('digest')) return undefined;
  return async (tx) => {
    const to = context.vault.digest(token);
    // A process that was paused could move the digest back to a dropped key. Nobody would find the token there.
    await requireUsableKey(tx, 'digest', to);
    await moveTokenDigest(tx, { id: mapping.id, from, to });
  };
}

/** A token that was imported as a digest has no hint until the token is first seen (docs/decisions/0007). */
function newHint({ hint_first }: DigestedMapping, token: string): ReturnType<typeof hintOfAny> {
  return hint_first === null ? hintOfAny(token) : undefined;
}

function learnHint(mapping: DigestedMapping, token: string): MappingUpdate | undefined {
  const hint = newHint(mapping, token);
  return hint && ((tx) => keepHint(tx, mapping.id, hint));
}

/** Stores the facts that only the token itself shows, each once. Returns the mapping with these facts. */
export function learnFrom<Known extends DigestedMapping>(
  context: TokensDeps,
  mapping: Known,
  token: string,
): Known {
  keepLessons(context, mapping, token);
  const hint = newHint(mapping, token);
  return hint ? { ...mapping, hint_first: hint.first, hint_last: hint.last } : mapping;
}

function keepLessons(context: TokensDeps, mapping: DigestedMapping, token: string): void {
  const lessons = [moveToActiveKey(context, mapping, token), learnHint(mapping, token)];
  if (lessons.every((lesson) => lesson === undefined)) return;
  const learn = async (tx: Database) => {
    for (const lesson of lessons) await lesson?.(tx);
  };
  // No call waits for this write, and no call fails when the database cannot write: the token will be seen again.
  context.flights
    .run(`learn ${mapping.id}`, () => context.store.transaction(learn))
    .catch((error: unknown) => {
      context.logger.warn('the facts that a token showed could not be stored', {
        mappingId: mapping.id,
        error,
      });
    });
}

/**
 * The mapping of a token in any state; undefined for a token that the bridge has never seen.
 * @throws {KeyMissing}
 */
export async function findByToken(context: TokensDeps, token: string): Promise<MappingWithApp | undefined> {
  return underAllKeys(context, () => findMapping(context.store, context.vault.digests(token)));
}

/**
 * Token → mapping. The state is read on every call, so that a revocation counts at once. For a token that the bridge
 * has never seen, the dates for all apps count, whatever app the call names: anybody may name an app.
 * @throws {TokenRefused | KeyMissing}
 */
export async function resolveToken(context: TokensDeps, token: string): Promise<ResolvedToken> {
  const mapping = await findByToken(context, token);
  if (mapping) {
    learnFrom(context, mapping, token);
    return resolved(context, mapping);
  }
  if (!context.oldBackend) throw new TokenRefused();
  const { oldBackend, ending } = oldBackendFor(context, undefined);
  if (oldBackend) return { kind: 'unknown', mapping: undefined };
  return { kind: 'refused', mapping, refusal: refusalWithout(context, mapping, ending), ending };
}

function grantOf(mapping: ServedMapping): GrantClient {
  return { id: mapping.grant_id, modernClientId: mapping.modern_client_id };
}

/**
 * Runs a read for a mapping. When the grant has ended meanwhile, the mapping is read again: a newer consent may have
 * replaced the grant. Otherwise the token is refused, as its new state says or as `reauthorization_required`.
 */
export async function servedBy<T>(
  context: TokensDeps,
  mapping: ServedMapping,
  read: (grant: GrantClient) => Promise<T>,
): Promise<T> {
  try {
    return await read(grantOf(mapping));
  } catch (error) {
    if (!(error instanceof GrantDead)) throw error;
  }
  const row = await findMappingById(context.store, mapping.id);
  if (!row) throw new TokenRefused();
  const current = served(context, row);
  if (current.grant_id === mapping.grant_id) throw refusalOf(context, mapping, 'reauthorization_required');
  return read(grantOf(current));
}
