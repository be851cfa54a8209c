import { DEAD_GRANT_KEPT, SECOND } from '../../shared/lifetimes.ts';
import { momentText } from '../../shared/moments.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { findGrant, findLiveGrant } from '../../store/grants/grants.ts';
import {
  claimHandover,
  confirmHandover,
  findHandover,
  type Handover,
  insertHandover,
} from '../../store/grants/handovers.ts';
import { voidCodes } from '../../store/authorization/legacy-codes.ts';
import { findMapping, moveMappings, type AppAccount } from '../../store/tokens/mappings.ts';
import { newestDeedOn } from '../../store/history/deeds.ts';
import type { Database } from '../../store/driver/store.ts';
import type { Grant } from '../../store/tables/tables.ts';
import { forgetAnswer } from '../grants/refresh/answer-cache.ts';
import { type AppClient, requireTaker } from './authenticate-modern-client.ts';
import type { Origin } from '../origin.ts';
import type { HandoverDeps } from './deps.ts';
import { openWritesBy } from './open-writes.ts';
import { moveOf } from '../grants/mapping-state.ts';
import { recordDeed } from '../history/record-deed.ts';
import { ofMappings, recordEvent, recordEvents } from '../history/record-event.ts';
import { openAccessToken, openRefreshToken } from '../grants/sealed-pair.ts';
import { underAllKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * The hand-over (RFC 8693): an app takes the token pair behind its token into its own client, so that no account holder
 * has to consent again. One commit, before the first answer, moves the pair to the app. From then on the bridge never
 * presents the pair, and all tokens of the app and account are `migrated`. A repeated call gets the same pair until the
 * app confirms, or until the pair is erased with the pairs of other ended grants. A client that its app no longer uses
 * gets no pair, not even a repeated one; the client can still confirm.
 */

/** The token pair for the app. Times are in whole seconds. */
export interface HandoverResult {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scope: string;
  migratedTokens: number;
}

/** The error for a subject token without a pair to give (RFC 8693 §2.2.2). */
function unacceptable(description: string, detail = description): OAuthError {
  return new OAuthError('invalid_request', description, { detail });
}

function tryAgain(detail: string): OAuthError {
  const description = 'The connection is being renewed. Try again in a moment.';
  return new OAuthError('temporarily_unavailable', description, { status: 503, retryAfter: 5, detail });
}

/** A write of the account has no outcome yet. The bridge needs the token pair to look for the post. */
function whileInDoubt({ underWay, inDoubt }: { underWay: number; inDoubt: number }): OAuthError {
  const description =
    'A post of this account was sent, and it is not known yet whether it is there. Try again in a minute.';
  const detail = `${underWay} writes are under way and ${inDoubt} in doubt`;
  return new OAuthError('temporarily_unavailable', description, { status: 503, retryAfter: 60, detail });
}

/**
 * Runs in the transaction of the hand-over. No write begins beside that transaction (`requireLiveGrant`). @throws
 * {OAuthError}
 */
async function requireNoOpenWrite(context: HandoverDeps, tx: Database, grant: Grant): Promise<void> {
  const whose = { modernClientId: grant.modern_client_id, accountId: grant.account_id };
  const open = await openWritesBy(context, tx, whose);
  if (open.underWay + open.inDoubt > 0) throw whileInDoubt(open);
}

interface HandoverRequest {
  client: AppClient;
  token: string;
  origin: Origin;
  /** Is told the id of the mapping of the token, once the token is known to be one of this app. */
  nameToken?: (mappingId: string) => void;
}

/** The app, account and grant behind a token of this client's app. */
interface Subject {
  pair: AppAccount;
  isMigrated: boolean;
  grantId: string | null;
}

async function subjectOf(
  context: HandoverDeps,
  { client, token, nameToken }: HandoverRequest,
): Promise<Subject> {
  const find = () => findMapping(context.store, context.vault.digests(token));
  const mapping = await underAllKeys(context, find);
  if (!mapping || mapping.client_id !== client.client_id)
    throw unacceptable('The subject token is not one of this app.');
  nameToken?.(mapping.id);
  if (mapping.state === 'revoked') throw unacceptable('The subject token was revoked.');
  if (mapping.account_id === null)
    throw unacceptable('The subject token is not connected to an account yet.');
  const pair = { clientId: mapping.client_id, accountId: mapping.account_id };
  return { pair, isMigrated: mapping.state === 'migrated', grantId: mapping.grant_id };
}

/**
 * The hand-over that migrated a token. A token that never had a grant moved with the other tokens of its app and
 * account.
 */
async function earlierOf(context: HandoverDeps, subject: Subject): Promise<Handover | undefined> {
  return subject.isMigrated ? findHandover(context.store.durable, subject.pair, subject.grantId) : undefined;
}

function answerOf(context: HandoverDeps, grant: Grant, migratedTokens: number): HandoverResult {
  const left = grant.access_expires_at - context.clock.now();
  return {
    accessToken: openAccessToken(context, grant),
    refreshToken: openRefreshToken(context, grant),
    expiresIn: Math.max(0, Math.floor(left / SECOND)),
    scope: grant.scope,
    migratedTokens,
  };
}

/** Hands the grant over if its pair is ready; undefined otherwise. Returns how many tokens moved. */
async function moveOwnership(
  context: HandoverDeps,
  grant: Grant,
  { clientId, accountId, origin, client }: AppAccount & Pick<HandoverRequest, 'origin' | 'client'>,
): Promise<number | undefined> {
  const pair = { clientId, accountId };
  const inOneStep = async (tx: Database) => {
    const now = context.clock.now();
    // The owner may have removed the client since the client was authenticated.
    await requireTaker(tx, client);
    await requireNoOpenWrite(context, tx, grant);
    if (!(await claimHandover(tx, grant, { now, instance: context.instance.seen() }))) return undefined;
    const reason = 'the app took the grant over';
    const moved = await moveMappings(tx, pair, { ...moveOf('handed_over'), reason: 'handed_over', now });
    await voidCodes(tx, pair, now);
    await insertHandover(tx, {
      grant_id: grant.id,
      client_id: clientId,
      account_id: accountId,
      version: grant.version,
      migrated_tokens: moved.length,
      handed_at: now,
      confirmed_at: null,
    });
    const by = { at: now, ...origin, ...pair, grantId: grant.id, reason };
    await recordEvents(context, tx, [
      { ...by, action: 'grant_handed_over' },
      ...ofMappings({ ...by, action: 'token_migrated' }, moved),
    ]);
    return moved.length;
  };
  const moved = await context.store.transaction(inOneStep);
  // The epoch has to rise, so that a copy from before the hand-over does not pass for the newest database.
  if (moved !== undefined) context.instance.noteClaim();
  return moved;
}

const ERASED = 'The grant was handed over, and its tokens are no longer kept here.';

/** For an app that confirmed before it had stored the pair: who can mend that, where and until when. */
async function confirmedWords({ settings, clock, store }: HandoverDeps, handover: Handover): Promise<string> {
  const until = handover.handed_at + DEAD_GRANT_KEPT;
  if (until <= clock.now()) return ERASED;
  const deed = await newestDeedOn(store.durable, 'handover', handover.grant_id);
  const place = deed ? `handovers/${deed.entry_id}/take-back` : 'move';
  const page = `${settings.publicUrl}/apps/${encodeURIComponent(handover.client_id)}/${place}`;
  const moment = momentText(until - (until % SECOND));
  return `The app has confirmed this hand-over. The owner of the app can take the confirmation back on ${page} until ${moment}.`;
}

/** Returns the pair of an earlier hand-over again, until the app has confirmed or the pair is erased. */
async function repeat(
  context: HandoverDeps,
  asked: HandoverRequest,
  handover: Handover,
): Promise<HandoverResult> {
  const grant = await findGrant(context.store.durable, handover.grant_id);
  if (!grant || grant.modern_client_id !== asked.client.id) throw notOfThisClient();
  if (grant.refresh_token_sealed === null) throw unacceptable(ERASED);
  // The words for the app hold a link, which stands in no line.
  if (handover.confirmed_at !== null)
    throw unacceptable(await confirmedWords(context, handover), 'the app has confirmed this hand-over');
  return answerOf(context, grant, handover.migrated_tokens);
}

function notOfThisClient(): OAuthError {
  return new OAuthError(
    'unauthorized_client',
    'The grant was not obtained with this client. The account has to connect the app once more, now that it has its own.',
  );
}

/** Another call may have handed the grant over since the subject was read. Then this call returns the same pair. */
async function repeatOfFaster(
  context: HandoverDeps,
  asked: HandoverRequest,
): Promise<HandoverResult | undefined> {
  const subject = await subjectOf(context, asked);
  const handover = await earlierOf(context, subject);
  return handover && repeat(context, asked, handover);
}

/** Hands over a ready grant and returns its pair. Undefined where the grant is not ready, or no longer ready. */
async function take(
  context: HandoverDeps,
  asked: HandoverRequest,
  { grant, pair }: { grant: Grant; pair: AppAccount },
): Promise<HandoverResult | undefined> {
  if (grant.modern_client_id !== asked.client.id) throw notOfThisClient();
  if (grant.state !== 'ready') return undefined;
  // A pair that cannot be opened is not handed over either.
  const answer = answerOf(context, grant, 0);
  const migratedTokens = await moveOwnership(context, grant, { ...pair, ...asked });
  if (migratedTokens === undefined) return undefined;
  context.watch.forget(grant.id);
  await forgetAnswer(context, grant.id);
  return { ...answer, migratedTokens };
}

async function handOverNow(
  context: HandoverDeps,
  asked: HandoverRequest,
  { pair }: Subject,
): Promise<HandoverResult> {
  const grant = await findLiveGrant(context.store.durable, pair.clientId, pair.accountId);
  const taken = grant && (await take(context, asked, { grant, pair }));
  const answer = taken ?? (await repeatOfFaster(context, asked));
  if (answer) return answer;
  if (!grant) throw unacceptable('No grant stands behind the subject token.');
  throw tryAgain(`the grant is ${grant.state}`);
}

/**
 * Gives the token pair behind a token to the app's own client, for good.
 * @throws {OAuthError} `invalid_request`, `unauthorized_client`, or `temporarily_unavailable` while the grant is not
 * ready or a write of the account has no outcome
 */
export async function handOver(context: HandoverDeps, asked: HandoverRequest): Promise<HandoverResult> {
  if (context.instance.isCopy()) throw tryAgain('a restored copy hands nothing over');
  const subject = await subjectOf(context, asked);
  const earlier = await earlierOf(context, subject);
  return earlier ? repeat(context, asked, earlier) : handOverNow(context, asked, subject);
}

/**
 * The app has stored the pair, so the bridge gives it to nobody any more. For the rest of the seven days in which an
 * ended grant keeps its sealed pair, the confirmation can be taken back. Returns how many tokens moved. A repeated call
 * changes nothing.
 * @throws {OAuthError} `invalid_request` where no hand-over was made, `unauthorized_client`
 */
export async function confirm(context: HandoverDeps, asked: HandoverRequest): Promise<number> {
  const subject = await subjectOf(context, asked);
  const { pair } = subject;
  const handover = await earlierOf(context, subject);
  if (!handover) throw unacceptable('Nothing was handed over for the subject token.');
  const grant = await findGrant(context.store.durable, handover.grant_id);
  if (grant?.modern_client_id !== asked.client.id) throw notOfThisClient();
  await context.store.transaction(async (tx) => {
    const now = context.clock.now();
    if (!(await confirmHandover(tx, handover.grant_id, now))) return;
    const by = { at: now, ...asked.origin, ...pair, grantId: handover.grant_id };
    const change = { ...by, action: 'handover_confirmed', reason: 'the app has its pair' };
    const entry = await recordEvent(context, tx, change);
    const [was, left] = [{ confirmed_at: null }, { confirmed_at: now }];
    const named = { thing: 'handover' as const, subject: handover.grant_id, clientId: pair.clientId };
    const part = { ...named, entry, was, left };
    await recordDeed(tx, { kind: 'confirm', at: now, actor: asked.origin.actor, parts: [part] });
  });
  return handover.migrated_tokens;
}
