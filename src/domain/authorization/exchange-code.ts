import { newHexId, newLegacyToken, tokenHint } from '../../shared/ids.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { findLiveGrantId } from '../../store/grants/grants.ts';
import { claimCode, findCode } from '../../store/authorization/legacy-codes.ts';
import { readMapping } from '../../store/tokens/find-mappings.ts';
import { insertIssued, moveMapping } from '../../store/tokens/mappings.ts';
import { isStorageFault } from '../../store/driver/storage-fault.ts';
import type { Database } from '../../store/driver/store.ts';
import type { LegacyCode } from '../../store/tables/tables.ts';
import type { Origin } from '../origin.ts';
import type { AuthorizationDeps } from './deps.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { recordEvent } from '../history/record-event.ts';
import { afterDeauthorization } from '../tokens/deauthorize.ts';
import { endLeft } from '../tokens/revoke-token.ts';
import { tellEnded } from '../tokens/tell-ended.ts';
import { requireUsableKey, underAllKeys, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/** An exchange whose client is authenticated. */
export interface ExchangeRequest {
  clientId: string;
  code: string;
  redirectUri: string | undefined;
  /** Is told the id of the mapping of the new token, or of the token that a replayed code had given. */
  nameToken?: (mappingId: string) => void;
}

/** One public answer for every way in which a code can be wrong. So the answer is no oracle (docs/threats.md T9). */
function invalidGrant(detail: string): OAuthError {
  return new OAuthError('invalid_grant', 'The authorization code is invalid, expired or was used before.', {
    detail,
  });
}

/**
 * Whether a redirect URI matches: equal to the authorized URI, or the authorized URI followed by `?` or `&`.
 * omniauth-oauth2 repeats the callback's own query (docs/old-api.md Q6). The exchange may omit the redirect URI only
 * when the authorization request omitted the redirect URI too.
 */
function redirectMatches(
  code: Pick<LegacyCode, 'redirect_uri' | 'redirect_uri_given'>,
  given?: string,
): boolean {
  if (given === undefined) return code.redirect_uri_given === 0;
  const authorized = code.redirect_uri;
  return given === authorized || given.startsWith(`${authorized}?`) || given.startsWith(`${authorized}&`);
}

/** The reason of the end, as the token keeps it (`tokens/standing/ends.ts` has its words). */
const REPLAYED = 'code_replayed';

/**
 * Ends the token of a replayed code, and its grant where no other token or code needs it. Undefined where the token had ended before.
 */
async function revokeReplayed(context: AuthorizationDeps, tx: Database, ended: { id: string; by: Origin }) {
  const mapping = await readMapping(tx, ended.id);
  const move = { ...moveOf('revoked'), reason: REPLAYED, now: context.clock.now() };
  if (!mapping || !(await moveMapping(tx, ended.id, move))) return undefined;
  const left = await endLeft(context, tx, { mapping, ending: { ...ended.by, reason: REPLAYED } });
  return { clientId: mapping.client_id, grant: left?.grant };
}

interface Replay {
  asked: ExchangeRequest;
  origin: Origin;
}

/**
 * Records the second use of a code that gave a token. A code that a deauthorization ended gave no token, and its use is
 * no replay.
 */
async function recordReplay(
  context: AuthorizationDeps,
  code: LegacyCode,
  { asked, origin }: Replay,
): Promise<void> {
  const mappingId = code.mapping_id;
  if (mappingId === null) return;
  asked.nameToken?.(mappingId);
  const now = context.clock.now();
  const inOneStep = async (tx: Database) => {
    await recordEvent(context, tx, {
      at: now,
      ...origin,
      action: 'code_replayed',
      reason: context.settings.codeReplay,
      clientId: code.client_id,
      accountId: code.account_id,
      mappingId,
    });
    if (context.settings.codeReplay !== 'revoke') return undefined;
    return revokeReplayed(context, tx, { id: mappingId, by: origin });
  };
  const end = await withUsableKeys(context, () => context.store.transaction(inOneStep));
  if (!end) return;
  tellEnded(context, { ...origin, reason: REPLAYED, clientId: end.clientId, mappings: [mappingId] });
  await afterDeauthorization(context, end.grant);
}

async function checkedCode(
  context: AuthorizationDeps,
  asked: ExchangeRequest,
  origin: Origin,
): Promise<LegacyCode> {
  const find = () => findCode(context.store.durable, context.vault.digests(asked.code));
  const code = await underAllKeys(context, find);
  if (!code) throw invalidGrant('unknown code');
  if (code.client_id !== asked.clientId) throw invalidGrant('code of another client');
  if (code.used_at !== null) {
    await recordReplay(context, code, { asked, origin });
    throw invalidGrant('code used before');
  }
  if (!redirectMatches(code, asked.redirectUri)) throw invalidGrant('redirect_uri differs');
  return code;
}

/** A parallel exchange may have been faster. Losing that race is a replay too. */
async function recordLostRace(context: AuthorizationDeps, code: LegacyCode, replay: Replay): Promise<void> {
  const current = await findCode(context.store.durable, [code.code_digest]);
  if (current && current.used_at !== null) await recordReplay(context, current, replay);
}

interface TokenIssue {
  code: LegacyCode;
  token: string;
  mappingId: string;
  origin: Origin;
}

interface IssueForGrant {
  issue: TokenIssue;
  grantId: string;
  now: number;
}

async function keepToken(
  { vault }: AuthorizationDeps,
  tx: Database,
  { issue: { code, token, mappingId }, grantId, now }: IssueForGrant,
): Promise<void> {
  const hint = tokenHint(token);
  const tokenDigest = vault.digest(token);
  await requireUsableKey(tx, 'digest', tokenDigest);
  await insertIssued(tx, {
    id: mappingId,
    token_digest: tokenDigest,
    hint_first: hint.first,
    hint_last: hint.last,
    client_id: code.client_id,
    account_id: code.account_id,
    grant_id: grantId,
    now,
  });
}

/**
 * Spends the code and stores the mapping of the token to the live grant, in one transaction. The mapping comes first: a
 * code that named a mapping which does not exist yet would make SQLite look through all codes for it.
 */
async function spend(context: AuthorizationDeps, tx: Database, issue: TokenIssue): Promise<void> {
  const { code, mappingId, origin } = issue;
  const now = context.clock.now();
  const grantId = await findLiveGrantId(tx, code.client_id, code.account_id);
  if (grantId === undefined) throw invalidGrant('the grant has ended');
  await keepToken(context, tx, { issue, grantId, now });
  const claim = { codeDigest: code.code_digest, clientId: code.client_id, mappingId, now };
  if (!(await claimCode(tx, claim))) throw invalidGrant('code expired or just used');
  await recordEvent(context, tx, {
    at: now,
    actor: origin.actor,
    requestId: origin.requestId,
    action: 'token_issued',
    reason: 'a code was exchanged',
    clientId: code.client_id,
    accountId: code.account_id,
    grantId,
    mappingId,
  });
}

/** The answer to a commit may have been lost although the commit was made. Then the token is good. */
async function isSpentFor(
  context: AuthorizationDeps,
  { code, mappingId }: TokenIssue,
  error: unknown,
): Promise<boolean> {
  if (!isStorageFault(error)) return false;
  const current = await findCode(context.store.durable, [code.code_digest]);
  return current?.mapping_id === mappingId;
}

/**
 * Code → token (OAuth 2.0 draft 20 §4.1.3). The checks that may fail come first. Only the last step spends the code.
 * @throws {OAuthError} `invalid_grant`
 */
export async function exchangeCode(
  context: AuthorizationDeps,
  asked: ExchangeRequest,
  origin: Origin,
): Promise<string> {
  const code = await checkedCode(context, asked, origin);
  const issue = { code, token: newLegacyToken(), mappingId: newHexId(), origin };
  try {
    await withUsableKeys(context, () => context.store.transaction((tx) => spend(context, tx, issue)));
  } catch (error) {
    if (error instanceof OAuthError) await recordLostRace(context, code, { asked, origin });
    if (!(await isSpentFor(context, issue, error))) throw error;
  }
  asked.nameToken?.(issue.mappingId);
  return issue.token;
}
