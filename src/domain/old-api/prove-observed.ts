import { z } from 'zod';
import { normalEmail } from '../../shared/mail/address.ts';
import type { TraceContext } from '../../shared/trace/trace-context.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import { findPairs } from '../../store/accounts/id-pairs.ts';
import { readMapping } from '../../store/tokens/find-mappings.ts';
import type { MappingWithApp } from '../../store/tokens/mappings.ts';
import { findAccountPair, hasToken } from '../../store/tokens/observed.ts';
import { giveAccount } from '../../store/tokens/pasted-tokens.ts';
import type { Database } from '../../store/driver/store.ts';
import type { AuthorizationRequest, Mapping, MappingState } from '../../store/tables/tables.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { attachTokens } from '../tokens/attach-tokens.ts';
import type { ConsentedPair } from '../grants/consenting-account.ts';
import { mainApiOf } from '../grants/main-api-of.ts';
import type { OldApiDeps } from './deps.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { recordEvents } from '../history/record-event.ts';
import { findByToken } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * Proves the account of an observed token (docs/decisions/0017). The holder pastes the token. The old API tells which
 * profiles the token reaches. A consent then shows whether the account reaches the same profiles. The token itself is
 * stored nowhere: the answers of the old API travel with the request for the consent.
 */

const evidenceShape = z.object({
  mappingId: z.string(),
  legacyUserId: z.string(),
  /** Set where the old API tells an e-mail address. */
  email: z.string().optional(),
  /** Pairs of `service` and `service_id`, as both APIs name them. */
  networks: z.array(z.tuple([z.string(), z.string()])),
});

type Evidence = z.infer<typeof evidenceShape>;

const oldUser = z.object({ id: z.string().min(1).max(64), email: z.string().optional().catch(undefined) });
const oldProfile = z.object({ service: z.string().max(200), service_id: z.string().max(200) });

/** No account has so many profiles. Until the consent, the profiles to compare are stored in a database row. */
const MOST_PROFILES = 1000;

/** Why the profiles of a token prove nothing: not all of them can be compared. */
type ProfileProblem = 'too many profiles' | 'unnamed profiles';

/** The result for a pasted token. Only `can be proven` leads to a consent. */
export type PastedTokenResult =
  | { found: 'can be proven'; clientId: string; evidence: string }
  | { found: 'yours'; clientId: string }
  | {
      found:
        | 'unknown'
        | 'app retired'
        | 'revoked'
        | 'moved'
        | 'somebody else'
        | 'waits for e-mail'
        | 'no old backend'
        | 'refused'
        | ProfileProblem;
    };

/**
 * The networks of all profiles, or why not all profiles can be compared. A profile that is left out might belong to
 * another account.
 */
function networksIn(profiles: unknown): Evidence['networks'] | ProfileProblem {
  const entries: unknown[] = Array.isArray(profiles) ? profiles : [];
  if (entries.length > MOST_PROFILES) return 'too many profiles';
  const read = oldProfile.array().safeParse(entries).data;
  return read ? read.map(({ service, service_id: id }) => [service, id]) : 'unnamed profiles';
}

async function collectEvidence(
  context: OldApiDeps,
  mapping: MappingWithApp,
  { token, trace }: Pick<PastedToken, 'token' | 'trace'>,
): Promise<PastedTokenResult> {
  const oldBackend = oldBackendUntilRetired(context, provenApp(mapping));
  if (!oldBackend) return { found: 'no old backend' };
  const [user, profiles] = await Promise.all([
    oldBackend.read('/1/user.json', token, trace),
    oldBackend.read('/1/profiles.json', token, trace),
  ]);
  const known = oldUser.safeParse(user).data;
  if (!known || profiles === undefined) return { found: 'refused' };
  const networks = networksIn(profiles);
  const isIncomparable = typeof networks === 'string';
  // A known id pair decides alone. Without networks, only an id pair can decide.
  if (isIncomparable && !(await findAccountPair(context.store.durable, known.id))) return { found: networks };
  const evidence: Evidence = {
    mappingId: mapping.id,
    legacyUserId: known.id,
    ...(known.email && { email: known.email }),
    networks: isIncomparable ? [] : networks,
  };
  return { found: 'can be proven', clientId: mapping.client_id, evidence: JSON.stringify(evidence) };
}

/** A token that a signed-in person pasted. */
interface PastedToken {
  token: string;
  accountId: string;
  trace?: TraceContext | undefined;
}

const OWNERLESS = 'ownerless';

/** The account of a known token, as far as the bridge knows the account. */
function ownershipOf(mapping: Mapping, accountId: string): PastedTokenResult | typeof OWNERLESS {
  if (mapping.state === 'revoked') return { found: 'revoked' };
  if (mapping.state === 'migrated') return { found: 'moved' };
  if (mapping.account_id === accountId) return { found: 'yours', clientId: mapping.client_id };
  if (mapping.account_id !== null) return { found: 'somebody else' };
  return mapping.account_email === null ? OWNERLESS : { found: 'waits for e-mail' };
}

/** The tokens of a retired app are kept, and found by no call: none makes them known again. */
async function whyUnknown({ store, vault }: OldApiDeps, token: string): Promise<'unknown' | 'app retired'> {
  return (await hasToken(store, vault.digests(token))) ? 'app retired' : 'unknown';
}

/**
 * Inspects a token that a signed-in person pasted. Where no account is known for the token, asks the old API.
 * @throws {Unavailable} the old API did not answer
 */
export async function inspectPasted(
  context: OldApiDeps,
  { token, accountId, trace }: PastedToken,
): Promise<PastedTokenResult> {
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) return { found: 'unknown' };
  const mapping = await findByToken(context, token);
  if (!mapping) return { found: await whyUnknown(context, token) };
  const ownership = ownershipOf(mapping, accountId);
  return ownership === OWNERLESS ? collectEvidence(context, mapping, { token, trace }) : ownership;
}

/** The consenting account, and the token pair that reads its channels. */
interface Proof {
  account: ModernAccount;
  consented: Pick<ConsentedPair, 'pair' | 'modernClientId' | 'calling'>;
}

/**
 * Whether the account reaches every profile of the token. One common profile proves nothing: people of one team share
 * some profiles, and each of them would get the profiles of the others.
 */
async function hasAllOf(
  context: OldApiDeps,
  networks: Evidence['networks'],
  { account, consented }: Proof,
): Promise<boolean> {
  if (networks.length === 0) return false;
  const organizationIds = account.organizations.map(({ id }) => id);
  const mainApi = mainApiOf(context, consented);
  const { channels } = await mainApi.read(consented.pair.accessToken, organizationIds);
  const known = new Set(channels.map(({ service, serviceId }) => JSON.stringify([service, serviceId])));
  return networks.every((network) => known.has(JSON.stringify(network)));
}

/** What the known id pairs say: the two ids are `one` account or `two`. Undefined where neither id is in a pair. */
async function saidByPairs(
  { store }: OldApiDeps,
  { legacyUserId }: Evidence,
  accountId: string,
): Promise<'one' | 'two' | undefined> {
  const pair = await findAccountPair(store.durable, legacyUserId);
  // A pair with an e-mail address alone says `two`: the address has still to be proven.
  if (pair) return pair.modern_id === accountId ? 'one' : 'two';
  const ofAccount = await findPairs(store.durable, [accountId]);
  return ofAccount.some(({ kind }) => kind === 'account') ? 'two' : undefined;
}

/** An id pair decides where there is one. Otherwise the profiles decide, unless the e-mail addresses differ. */
async function isShown(context: OldApiDeps, evidence: Evidence, proof: Proof): Promise<boolean> {
  const said = await saidByPairs(context, evidence, proof.account.id);
  if (said !== undefined) return said === 'one';
  const { email } = evidence;
  if (email !== undefined && normalEmail(email) !== normalEmail(proof.account.email)) return false;
  return hasAllOf(context, evidence.networks, proof);
}

/** A token that belongs to the consenting account, with its present app and state. */
export interface ProvenToken {
  mappingId: string;
  clientId: string;
  state: MappingState;
}

type ProofRequest = Pick<AuthorizationRequest, 'id' | 'client_id' | 'evidence'>;

interface ProvenAssignment {
  request: ProofRequest;
  mapping: Mapping;
  accountId: string;
  /** The request that brought the proof. */
  requestId: string;
}

/** Gives a token without an account to the account. */
async function give(
  context: OldApiDeps,
  tx: Database,
  { mapping, accountId, requestId }: ProvenAssignment,
): Promise<boolean> {
  const { id: mappingId, client_id: clientId } = mapping;
  const now = context.clock.now();
  const isNamed = await ensureAccount(tx, accountId, now);
  const { from: states } = moveOf('account_proven');
  if (!(await giveAccount(tx, { mappingId, accountId, states, now }))) return false;
  const by = { at: now, actor: `account:${accountId}`, requestId, accountId, clientId };
  const proven = { ...by, action: 'account_proven', reason: 'the old API knows the same profiles' };
  const named = { ...by, action: 'account_named', reason: 'the holder of a token' };
  await recordEvents(context, tx, [...(isNamed ? [named] : []), { ...proven, mappingId }]);
  return true;
}

/**
 * Support or an import may have moved the token to another app meanwhile. The consent is for the former app, so the
 * grant of the present app has to serve the token.
 */
async function settle(
  context: OldApiDeps,
  tx: Database,
  assignment: ProvenAssignment,
): Promise<ProvenToken | undefined> {
  const { request, mapping, accountId, requestId } = assignment;
  const ownership = ownershipOf(mapping, accountId);
  // Another tab may have given the token to this account already.
  const isOurs = ownership === OWNERLESS || mapping.account_id === accountId;
  if (!isOurs) return undefined;
  if (ownership === OWNERLESS && !(await give(context, tx, assignment))) return undefined;
  const { id, client_id: clientId } = mapping;
  if (clientId !== request.client_id) {
    const origin = { actor: `account:${accountId}`, requestId };
    await attachTokens(context, tx, { clientId, accountId, ...origin });
  }
  const { state } = (await readMapping(tx, id)) ?? mapping;
  return { mappingId: id, clientId, state };
}

/**
 * Whether the token behind a request belongs to the consenting account. If so, the account gets the token before the
 * consent's grant is stored, so that this grant serves the token too. A token that has moved to another app goes onto
 * the grant of that app at once, if there is one. Undefined where the token does not belong to the account.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable} nothing was changed
 */
export async function proveObserved(
  context: OldApiDeps,
  request: ProofRequest,
  proof: Proof,
): Promise<ProvenToken | undefined> {
  const evidence = evidenceShape.parse(JSON.parse(request.evidence ?? 'null'));
  if (!(await isShown(context, evidence, proof))) return undefined;
  const accountId = proof.account.id;
  return context.store.transaction(async (tx: Database) => {
    const mapping = await readMapping(tx, evidence.mappingId);
    const requestId = proof.consented.calling?.requestId ?? request.id;
    return mapping && settle(context, tx, { request, mapping, accountId, requestId });
  });
}
