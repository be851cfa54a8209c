import { SESSION_IDLE, SESSION_LIFETIME, SESSION_TOUCH } from '../../shared/lifetimes.ts';
import { findZone } from '../../store/accounts/account-zone.ts';
import {
  changeSession,
  countSessionsOf,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  prolongSession,
  readSessionsOf,
} from '../../store/accounts/sessions.ts';
import type { AccountsDeps } from './deps.ts';

/**
 * The sessions of signed-in browsers. A row has the digest of the cookie's value, so a stolen database opens no
 * session. The row says when the session ends, whatever the cookie says.
 */

interface OpenSession {
  content: string;
  /** When the session ends if no request comes. */
  endsAt: number;
}

/** When a session began, and how long it lasts at most where that is not as usual. */
interface SessionStart {
  signedInAt: number;
  lifetime?: number | undefined;
}

/**
 * The end of a session that is used now: an hour without a request ends the session, and so does the limit after the
 * sign-in.
 */
function endOf({ signedInAt, lifetime = SESSION_LIFETIME }: SessionStart, now: number): number {
  return Math.min(signedInAt + lifetime, now + SESSION_IDLE);
}

/** A session by its id; undefined after its end. */
export async function openSession(context: AccountsDeps, id: string): Promise<OpenSession | undefined> {
  const row = await findSession(context.store, context.vault.digests(id), context.clock.now());
  return row && { content: row.content, endsAt: row.expires_at };
}

/** Keeps a session that begins. Returns when it ends if no request comes. */
export async function addSession(
  context: AccountsDeps,
  id: string,
  { content, accountId, ...start }: SessionStart & { content: string; accountId: string },
): Promise<number> {
  const endsAt = endOf(start, context.clock.now());
  await insertSession(context.store, {
    id_digest: context.vault.digest(id),
    content,
    account_id: accountId,
    expires_at: endsAt,
  });
  return endsAt;
}

/** Stores the new content of a session. One that was ended while its request ran does not come back. */
export async function saveSession(
  context: AccountsDeps,
  id: string,
  { content, ...start }: SessionStart & { content: string },
): Promise<void> {
  const now = context.clock.now();
  await changeSession(context.store, context.vault.digests(id), {
    content,
    expires_at: endOf(start, now),
    now,
  });
}

/** Prolongs a session when a request comes, unless the new end is hardly later than the stored end. */
export async function touchSession(
  context: AccountsDeps,
  id: string,
  { endsAt, ...start }: SessionStart & { endsAt: number },
): Promise<void> {
  const now = context.clock.now();
  const until = endOf(start, now);
  if (until - endsAt < SESSION_TOUCH) return;
  await prolongSession(context.store, context.vault.digests(id), { until, now });
}

/** Ends a session; false where it had ended. */
export function endSession(context: AccountsDeps, id: string): Promise<boolean> {
  return deleteSession(context.store, context.vault.digests(id));
}

/** Ends all sessions of an account, in other browsers and on other machines too. Returns how many sessions ended. */
export function endSessionsOf(context: AccountsDeps, accountId: string): Promise<number> {
  return deleteSessionsOf(context.store, accountId);
}

/** Ends the sessions of an account whose content a rule gives up, in other browsers and on other machines too. */
export async function endSessionsWhere(
  { store }: AccountsDeps,
  accountId: string,
  isOver: (content: string) => boolean,
): Promise<void> {
  for (const { id_digest: digest, content } of await readSessionsOf(store, accountId))
    if (isOver(content)) await deleteSession(store, [digest]);
}

/** The number of browsers in which an account is signed in, and the time zone for its mails. */
export async function signedInAs(
  context: AccountsDeps,
  accountId: string,
): Promise<{ browsers: number; zone: string | undefined }> {
  const [browsers, zone] = await Promise.all([
    countSessionsOf(context.store, accountId, context.clock.now()),
    findZone(context.store.durable, accountId),
  ]);
  return { browsers, zone };
}
