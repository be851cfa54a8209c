import { hintOfAny } from '../../shared/ids.ts';
import { Refusal } from '../../shared/refusals/refusal.ts';
import { keyIdOf } from '../../shared/secrets.ts';
import type { CallingRequest } from '../../shared/trace/calling-request.ts';
import {
  findMapping,
  findMappingById,
  type MappingWithApp,
  keepHint,
  moveTokenDigest,
} from '../../store/tokens/mappings.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Mapping } from '../../store/tables/tables.ts';
import { GrantDead } from '../grants/refresh/access-token.ts';
import type { GrantClient } from '../grants/grant-client.ts';
import type { TokensDeps } from './deps.ts';
import type { Brownout, LifecycleEnding } from '../lifecycle/lifecycle.ts';
import { oldApiOfCall } from '../lifecycle/old-api-status.ts';
import { oldBackendFor, retirementOf } from '../lifecycle/old-backend-for.ts';
import { provenApp } from './proven-app.ts';
import { callerReason } from './standing/for-caller.ts';
import { isFromBefore } from './standing/from-before.ts';
import { type TokenStanding, standingOf } from './standing/standing.ts';
import { requireUsableKey, underAllKeys } from '../keys/retry-after-key-rotation.ts';
import { madeOnce } from '../../shared/memory/made-once.ts';

interface ReauthorizationHint {
  reason: string;
  link: string;
}

/** A known token, as it was when it was refused. */
export type RefusedMapping = Pick<Mapping, 'state' | 'reason' | 'updated_at'>;

/**
 * A refused token. A known token comes with the reason, a link to connect again, and its `mapping`. `brownout` is set where
 * the token is refused only until the brownout is over.
 */
export class TokenRefused extends Refusal {
  readonly reauthorize: ReauthorizationHint | undefined;
  readonly brownout: Brownout | undefined;
  readonly mapping: RefusedMapping | undefined;
  constructor(
    reauthorize?: ReauthorizationHint,
    { brownout, mapping }: { brownout?: Brownout | undefined; mapping?: RefusedMapping } = {},
  ) {
    super('the legacy token is not served');
    this.reauthorize = reauthorize;
    this.brownout = brownout;
    this.mapping = mapping;
  }
}

/** The mapping of a token that a grant serves. */
export type ServedMapping = MappingWithApp & {
  grant_id: string;
  account_id: string;
  modern_client_id: string;
  /** The call with the token. */
  calling?: CallingRequest | undefined;
};

/** The standing of a token as a call meets it. `ending` says why the old API is not asked. */
function standingOfCall(
  { oldBackend }: TokensDeps,
  { state, reason, source }: Pick<Mapping, 'state' | 'reason' | 'source'>,
  ending: LifecycleEnding | undefined,
): TokenStanding {
  const oldApi = oldApiOfCall(ending, oldBackend !== undefined);
  return standingOf({ state, reason, source, oldApi });
}

const brownoutIn = (ending: LifecycleEnding | undefined): Brownout | undefined =>
  ending?.because === 'brownout' ? ending.brownout : undefined;

/**
 * The 401 for a known token, with reason and link for its caller (docs/decisions/0002). The link needs a sign-in. Only
 * a token that the old API answers at other times is refused because of a brownout.
 */
function refusalOf(context: TokensDeps, mapping: Mapping, ending?: LifecycleEnding): TokenRefused {
  const standing = standingOfCall(context, mapping, ending);
  const link = `${context.settings.publicUrl}/apps/${mapping.client_id}`;
  const brownout = standing.is === 'interrupted' ? brownoutIn(ending) : undefined;
  const { state, reason, updated_at } = mapping;
  return new TokenRefused(
    { reason: callerReason(standing), link },
    { brownout, mapping: { state, reason, updated_at } },
  );
}

function hasGrant(mapping: MappingWithApp): mapping is ServedMapping {
  const { grant_id, account_id, modern_client_id } = mapping;
  return grant_id !== null && account_id !== null && modern_client_id !== null;
}

function served(context: TokensDeps, mapping: MappingWithApp): ServedMapping {
  if (mapping.state !== 'active') throw refusalOf(context, mapping);
  if (!hasGrant(mapping)) throw new Error(`mapping ${mapping.id} has no grant`);
  return mapping;
}

/**
 * How a token is served. `served`: a grant stands behind the token. `passed`: the token is not connected, and the old
 * API answers. `refused`: neither a grant nor the old API answers; without a mapping, the bridge has never seen the
 * token and the old API is not asked. `unknown`: the bridge has never seen the token, and the old API is asked.
 * `ending` says why the old API is not asked now, where it would be at other times.
 */
export type ResolvedToken =
  | { kind: 'served'; mapping: ServedMapping }
  | { kind: 'passed'; mapping: MappingWithApp }
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
  if (mapping) return refusalOf(context, mapping, ending);
  return new TokenRefused(undefined, { brownout: context.oldBackend && brownoutIn(ending) });
}

/** Why the old API is not asked, for a token that only the old API could answer. */
function endingOfMapping(context: TokensDeps, mapping: MappingWithApp): LifecycleEnding | undefined {
  const isAskedThere = mapping.state === 'unmapped' && isFromBefore(mapping);
  return isAskedThere ? retirementOf(context, provenApp(mapping)) : undefined;
}

function resolved(context: TokensDeps, mapping: MappingWithApp): ResolvedToken {
  const ending = endingOfMapping(context, mapping);
  const { is } = standingOfCall(context, mapping, ending);
  if (is === 'served') return { kind: 'served', mapping: served(context, mapping) };
  if (is === 'passed') return { kind: 'passed', mapping };
  return { kind: 'refused', mapping, refusal: refusalOf(context, mapping, ending), ending };
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

/** Whether an active token is served, by its source: of one process nothing else decides it. */
const servedSources = new WeakMap<TokensDeps, Map<string, boolean>>();

function isServedFrom(context: TokensDeps, mapping: Pick<Mapping, 'state' | 'reason' | 'source'>): boolean {
  const known = madeOnce(servedSources, context, () => new Map<string, boolean>());
  return madeOnce(known, mapping.source, () => standingOfCall(context, mapping, undefined).is === 'served');
}

/**
 * Whether a token under the active digest key is served, with nothing that a call could learn from it. A token that the
 * old API answers while it is not connected is never served.
 */
export function isPlainlyServed(
  context: TokensDeps,
  mapping: Pick<Mapping, 'state' | 'reason' | 'source' | 'account_id' | 'hint_first'>,
): boolean {
  const isWhole = mapping.hint_first !== null && mapping.account_id !== null;
  return isWhole && mapping.state === 'active' && isServedFrom(context, mapping);
}

function grantOf(mapping: ServedMapping): GrantClient {
  const { grant_id: id, client_id: clientId, modern_client_id: modernClientId, calling } = mapping;
  return { id, clientId, modernClientId, calling };
}

/**
 * Runs a read for a mapping. When the grant has ended meanwhile, the mapping is read again: a newer consent may have
 * replaced the grant, and the newer grant may have ended too. Otherwise the token is refused, as its new state says or as
 * `reauthorization_required`. Each further read needs a consent since the one before.
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
  if (current.grant_id === mapping.grant_id) throw refusalOf(context, current);
  return servedBy(context, { ...current, calling: mapping.calling }, read);
}
