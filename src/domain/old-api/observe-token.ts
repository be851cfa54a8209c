import { hintOfAny, newHexId } from '../../shared/ids.ts';
import { normalEmail } from '../../shared/mail/address.ts';
import { redactText } from '../../shared/log/redaction.ts';
import type { TraceContext } from '../../shared/trace/trace-context.ts';
import { ensureAccount } from '../../store/accounts/accounts.ts';
import {
  findAccountPair,
  findUnidentified,
  insertObserved,
  insertUnidentified,
  isIdentifiedApp,
  isTokenKnown,
} from '../../store/tokens/observed.ts';
import type { Database } from '../../store/driver/store.ts';
import type { NewMapping } from '../../store/tables/tables.ts';
import type { OldApiDeps } from './deps.ts';
import { claimReason } from './note-claim.ts';
import { oldBackendUntilRetired } from '../lifecycle/old-backend-for.ts';
import { recordEvent, recordEvents } from '../history/record-event.ts';
import { requireUsableKey, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * Observed tokens: the bridge had never seen the token, and the old API accepts it. An observed token waits under an
 * unidentified program. A claim of its calls is stored beside the token and gives no right.
 */

/** A token in use, and what its call said of the calling program. */
export interface ObservedCall {
  token: string;
  clientId: string | undefined;
  userAgent: string | undefined;
  requestId: string;
  trace?: TraceContext | undefined;
  /**
   * Called with the id of the mapping once the token is stored. The call that made the token known is counted for the
   * mapping.
   */
  onKept?: (mappingId: string) => void;
}

const BY_BRIDGE = { actor: 'bridge' };

const NAME_MAX = 60;

/**
 * A web address in a user agent names a program best and stays whole. In other words, the part after a slash is a
 * version.
 */
function withoutVersion(word: string): string {
  return /^https?:/i.test(word) ? word : (word.split('/')[0] ?? '');
}

/**
 * The name has the products of the user agent without versions and comments, so that an update makes no new program.
 */
function programName(userAgent = ''): string {
  const printable = redactText(userAgent.replace(/[^\x20-\x7e]/g, ''));
  const words = printable.replace(/\([^()]*\)/g, ' ').split(/[\s;,()]+/);
  const name = words.map(withoutVersion).filter(Boolean).join(' ').slice(0, NAME_MAX).trim();
  return `unidentified program: ${name === '' ? 'no user agent' : name}`;
}

/** The id by which the old API knows an account; undefined where its answer is no user. */
function userIdIn(user: unknown): string | undefined {
  if (typeof user !== 'object' || user === null) return undefined;
  const { id, _id } = user as Record<string, unknown>;
  const given = id ?? _id;
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string') return undefined;
  return /^[\x21-\x7e]{1,64}$/.test(text) ? text : undefined;
}

function hintOf(token: string): { hint_first: string | null; hint_last: string | null } {
  const hint = hintOfAny(token);
  return { hint_first: hint?.first ?? null, hint_last: hint?.last ?? null };
}

interface TransactionScope {
  context: OldApiDeps;
  tx: Database;
  now: number;
}

/** The unidentified program of a call, by its user agent. A new program is added. */
async function programOf({ context, tx, now }: TransactionScope, { userAgent, requestId }: ObservedCall) {
  const name = programName(userAgent);
  const known = await findUnidentified(tx, name);
  if (known !== undefined) return known;
  const added = newHexId();
  await insertUnidentified(tx, { clientId: added, name, now });
  const by = { at: now, ...BY_BRIDGE, requestId, clientId: added };
  await recordEvent(context, tx, {
    ...by,
    action: 'app_observed',
    reason: 'a program that nobody registered',
  });
  return added;
}

/** The app that the call named, if that app exists. */
async function claimOf({ tx, now }: TransactionScope, { clientId }: ObservedCall) {
  if (clientId === undefined || !(await isIdentifiedApp(tx, clientId))) return undefined;
  return { claimed_client_id: clientId, claimed_at: now };
}

/** The account of the token, as far as an id pair proves the account. */
async function ownerOf(tx: Database, userId: string) {
  const pair = await findAccountPair(tx, userId);
  const accountId = pair?.modern_id ?? null;
  const email = accountId === null ? (pair?.email ?? null) : null;
  return {
    account_id: accountId,
    account_email: email === null ? null : normalEmail(email),
    legacy_account_id: userId,
  };
}

/** Returns the id of the mapping; undefined where the token was stored meanwhile. */
async function keep(
  step: TransactionScope,
  sighting: ObservedCall,
  userId: string,
): Promise<string | undefined> {
  const { context, tx, now } = step;
  const { token, requestId } = sighting;
  const digest = context.vault.digest(token);
  await requireUsableKey(tx, 'digest', digest);
  if (await isTokenKnown(tx, context.vault.digests(token))) return undefined;
  const owner = await ownerOf(tx, userId);
  const accountId = owner.account_id;
  const isNamed = accountId !== null && (await ensureAccount(tx, accountId, now));
  const clientId = await programOf(step, sighting);
  const claim = await claimOf(step, sighting);
  const mapping: NewMapping = {
    id: newHexId(),
    token_digest: digest,
    ...hintOf(token),
    client_id: clientId,
    ...owner,
    ...claim,
    state: 'unmapped',
    source: 'observed',
    created_at: now,
    updated_at: now,
  };
  if (!(await insertObserved(tx, mapping))) return undefined;
  const by = { at: now, ...BY_BRIDGE, requestId, accountId };
  const seen = { ...by, clientId, mappingId: mapping.id };
  await recordEvents(context, tx, [
    ...(isNamed ? [{ ...by, action: 'account_named', reason: 'the owner of an observed token' }] : []),
    { ...seen, action: 'token_observed', reason: 'the old API accepted it' },
    ...(claim ? [{ ...seen, action: 'app_claimed', reason: claimReason(claim.claimed_client_id) }] : []),
  ]);
  return mapping.id;
}

/**
 * Asks the old API for the account of the token, and stores the token. The user object is asked because some paths of
 * the old API answer any token. False where the old API refuses the token.
 * @throws {Unavailable}
 */
export async function observeToken(context: OldApiDeps, sighting: ObservedCall): Promise<boolean> {
  const oldBackend = oldBackendUntilRetired(context, undefined);
  // Without an old API to ask, nothing refuses the token.
  if (!oldBackend) return true;
  const user = await oldBackend.read('/1/user.json', sighting.token, sighting.trace);
  if (user === undefined) return false;
  const userId = userIdIn(user);
  if (userId === undefined) return true;
  const now = context.clock.now();
  const kept = await withUsableKeys(context, () =>
    context.store.transaction((tx) => keep({ context, tx, now }, sighting, userId)),
  );
  if (kept !== undefined) sighting.onKept?.(kept);
  return true;
}
