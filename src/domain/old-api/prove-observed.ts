import { z } from 'zod';
import { normalEmail } from '../../shared/mail/address.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import { findPairs } from '../../store/accounts/id-pairs.ts';
import { readMapping } from '../../store/tokens/find-mappings.ts';
import type { FoundMapping } from '../../store/tokens/mappings.ts';
import { findAccountPair } from '../../store/tokens/observed.ts';
import { giveAccount } from '../../store/tokens/pasted-tokens.ts';
import type { Database } from '../../store/driver/store.ts';
import type { AuthorizationRequest, Mapping, MappingState } from '../../store/tables/tables.ts';
import type { ModernAccount } from '../../upstream/main-api.ts';
import { attachTokens } from '../tokens/attach-tokens.ts';
import type { Consented } from '../grants/consenting-account.ts';
import type { Context } from '../context.ts';
import { moveOf, statesOf } from '../grants/mapping-state.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { recordEvents } from '../history/record-event.ts';
import { findByToken } from '../tokens/resolve-token.ts';
import { provenApp } from '../tokens/proven-app.ts';

/**
 * Whose account a token is that was seen in use alone (docs/decisions/0017). Its holder pastes it; the old backend
 * says which profiles it reaches; a consent then shows whether the account has the same ones. The token itself is kept
 * nowhere: what the old backend said of it travels with the request for the consent.
 */

const evidenceShape = z.object({
  mappingId: z.string(),
  legacyUserId: z.string(),
  /** Where the old backend tells it. */
  email: z.string().optional(),
  /** Pairs of `service` and `service_id`, as both generations name them. */
  networks: z.array(z.tuple([z.string(), z.string()])),
});

type Evidence = z.infer<typeof evidenceShape>;

const oldUser = z.object({ id: z.string().min(1).max(64), email: z.string().optional().catch(undefined) });
const oldProfile = z.object({ service: z.string().max(200), service_id: z.string().max(200) });

/** More than any account has; what is compared is kept in a row of the database meanwhile. */
const MOST_PROFILES = 1000;

/** Why the profiles of a token show nothing: then not all of them could be compared. */
type Incomparable = 'too many profiles' | 'unnamed profiles';

/** What is found of a pasted token. Only of `can be proven` is there a consent to ask for. */
export type Pasted =
  | { found: 'can be proven'; clientId: string; evidence: string }
  | { found: 'yours'; clientId: string }
  | {
      found:
        | 'unknown'
        | 'ended'
        | 'somebody else'
        | 'waits for e-mail'
        | 'no old backend'
        | 'refused'
        | Incomparable;
    };

/** The networks of all profiles, or why not all can be compared: one that is left out might be somebody else's. */
function networksIn(profiles: unknown): Evidence['networks'] | Incomparable {
  const entries: unknown[] = Array.isArray(profiles) ? profiles : [];
  if (entries.length > MOST_PROFILES) return 'too many profiles';
  const read = oldProfile.array().safeParse(entries).data;
  return read ? read.map(({ service, service_id: id }) => [service, id]) : 'unnamed profiles';
}

async function collectEvidence(context: Context, mapping: FoundMapping, token: string): Promise<Pasted> {
  const oldBackend = oldBackendUntilRetired(context, provenApp(mapping));
  if (!oldBackend) return { found: 'no old backend' };
  const [user, profiles] = await Promise.all([
    oldBackend.read('/1/user.json', token),
    oldBackend.read('/1/profiles.json', token),
  ]);
  const known = oldUser.safeParse(user).data;
  if (!known || profiles === undefined) return { found: 'refused' };
  const networks = networksIn(profiles);
  const isIncomparable = typeof networks === 'string';
  // A known pair of ids decides alone; without networks nothing else does.
  if (isIncomparable && !(await findAccountPair(context.store.durable, known.id))) return { found: networks };
  const evidence: Evidence = {
    mappingId: mapping.id,
    legacyUserId: known.id,
    ...(known.email && { email: known.email }),
    networks: isIncomparable ? [] : networks,
  };
  return { found: 'can be proven', clientId: mapping.client_id, evidence: JSON.stringify(evidence) };
}

const OWNERLESS = 'ownerless';

/** Whose a known token is, as far as the bridge knows. */
function standingOf(mapping: Mapping, accountId: string): Pasted | typeof OWNERLESS {
  if (!statesOf('granted').includes(mapping.state)) return { found: 'ended' };
  if (mapping.account_id === accountId) return { found: 'yours', clientId: mapping.client_id };
  if (mapping.account_id !== null) return { found: 'somebody else' };
  return mapping.account_email === null ? OWNERLESS : { found: 'waits for e-mail' };
}

/**
 * Looks at a token that a signed-in person pasted and, where nobody's account is known for it, asks the old backend.
 * @throws {Unavailable} the old backend did not answer
 */
export async function inspectPasted(
  context: Context,
  { token, accountId }: { token: string; accountId: string },
): Promise<Pasted> {
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) return { found: 'unknown' };
  const mapping = await findByToken(context, token);
  if (!mapping) return { found: 'unknown' };
  const standing = standingOf(mapping, accountId);
  return standing === OWNERLESS ? collectEvidence(context, mapping, token) : standing;
}

/** Who consented, and the pair by which the channels can be read. */
interface Proof {
  account: ModernAccount;
  consented: Pick<Consented, 'pair' | 'modernClientId'>;
}

/**
 * Whether the account reaches every profile that the token does. One in common shows nothing: people of one team share
 * some, and each of them would get what the others alone have.
 */
async function hasAllOf(
  context: Context,
  networks: Evidence['networks'],
  { account, consented }: Proof,
): Promise<boolean> {
  if (networks.length === 0) return false;
  const organizationIds = account.organizations.map(({ id }) => id);
  const mainApi = context.sides.mainApiFor(consented.modernClientId);
  const { channels } = await mainApi.read(consented.pair.accessToken, organizationIds);
  const known = new Set(channels.map(({ service, serviceId }) => JSON.stringify([service, serviceId])));
  return networks.every((network) => known.has(JSON.stringify(network)));
}

/** What the known pairs say of the two accounts: one, or two; undefined where neither is in a pair. */
async function saidByPairs(
  { store }: Context,
  { legacyUserId }: Evidence,
  accountId: string,
): Promise<'one' | 'two' | undefined> {
  const pair = await findAccountPair(store.durable, legacyUserId);
  // One that names an e-mail address alone waits for that address to be proven.
  if (pair) return pair.modern_id === accountId ? 'one' : 'two';
  const ofAccount = await findPairs(store.durable, [accountId]);
  return ofAccount.some(({ kind }) => kind === 'account') ? 'two' : undefined;
}

/** A pair of ids decides where there is one; else the profiles, if nothing says that it is somebody else's account. */
async function isShown(context: Context, evidence: Evidence, proof: Proof): Promise<boolean> {
  const said = await saidByPairs(context, evidence, proof.account.id);
  if (said !== undefined) return said === 'one';
  const { email } = evidence;
  if (email !== undefined && normalEmail(email) !== normalEmail(proof.account.email)) return false;
  return hasAllOf(context, evidence.networks, proof);
}

/** A token that is the consenting account's: the app that it belongs to by now, and how it is. */
export interface Proven {
  mappingId: string;
  clientId: string;
  state: MappingState;
}

type ProofRequest = Pick<AuthorizationRequest, 'id' | 'client_id' | 'evidence'>;

interface Giving {
  request: ProofRequest;
  mapping: Mapping;
  accountId: string;
}

/** Gives a token that is nobody's to the account. */
async function give(
  context: Context,
  tx: Database,
  { request, mapping, accountId }: Giving,
): Promise<boolean> {
  const { id: mappingId, client_id: clientId } = mapping;
  const now = context.clock.now();
  const isNamed = await ensureAccount(tx, accountId, now);
  const { from: states } = moveOf('account_proven');
  if (!(await giveAccount(tx, { mappingId, accountId, states, now }))) return false;
  const by = { at: now, actor: `account:${accountId}`, requestId: request.id, accountId, clientId };
  const proven = { ...by, action: 'account_proven', reason: 'the old backend knows the same profiles' };
  const named = { ...by, action: 'account_named', reason: 'the holder of a token' };
  await recordEvents(context, tx, [...(isNamed ? [named] : []), { ...proven, mappingId }]);
  return true;
}

/** A call may have named the app meanwhile, or support; what the consent is for is another app's grant then. */
async function settle(
  context: Context,
  tx: Database,
  { request, mapping, accountId }: Giving,
): Promise<Proven | undefined> {
  const standing = standingOf(mapping, accountId);
  // It may have become this account's in another tab.
  const isOurs = standing === OWNERLESS || mapping.account_id === accountId;
  if (!isOurs) return undefined;
  if (standing === OWNERLESS && !(await give(context, tx, { request, mapping, accountId }))) return undefined;
  const { id, client_id: clientId } = mapping;
  if (clientId !== request.client_id) {
    const origin = { actor: `account:${accountId}`, requestId: request.id };
    await attachTokens(context, tx, { clientId, accountId, ...origin });
  }
  const { state } = (await readMapping(tx, id)) ?? mapping;
  return { mappingId: id, clientId, state };
}

/**
 * Whether the consenting account is that of the token behind a request; then the token is given to it, before its grant
 * is stored, so that the grant serves it too; or, where the app is another by now, that app's grant at once, if there is
 * one. Undefined where it is not.
 * @throws {Unauthorized | Forbidden | OrganizationGone | Unavailable} nothing was changed
 */
export async function proveObserved(
  context: Context,
  request: ProofRequest,
  proof: Proof,
): Promise<Proven | undefined> {
  const evidence = evidenceShape.parse(JSON.parse(request.evidence ?? 'null'));
  if (!(await isShown(context, evidence, proof))) return undefined;
  const accountId = proof.account.id;
  return context.store.transaction(async (tx: Database) => {
    const mapping = await readMapping(tx, evidence.mappingId);
    return mapping && settle(context, tx, { request, mapping, accountId });
  });
}
