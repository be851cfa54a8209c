import { SESSION_IDLE, SESSION_LIFETIME, SESSION_TOUCH } from '../../shared/lifetimes.ts';
import { findZone } from '../../store/accounts/account-zone.ts';
import {
  countSessionsOf,
  deleteSession,
  deleteSessionsOf,
  findSession,
  keepSession,
  prolongSession,
} from '../../store/accounts/sessions.ts';
import type { Context } from '../context.ts';

/**
 * Who is signed in in which browser; kept by the digest of the cookie's value, so that a database read opens none. The
 * rows say when a session ends, whatever the cookie says.
 */

interface OpenSession {
  content: string;
  /** When it ends if no request comes. */
  endsAt: number;
}

/** Until when a session lasts that is used now: an hour without a request ends it, and the sign-in's own limit always. */
function endOf(signedInAt: number, now: number): number {
  return Math.min(signedInAt + SESSION_LIFETIME, now + SESSION_IDLE);
}

/** A session by its id; undefined when it has ended. */
export async function openSession(context: Context, id: string): Promise<OpenSession | undefined> {
  const row = await findSession(context.store, context.vault.digests(id), context.clock.now());
  return row && { content: row.content, endsAt: row.expires_at };
}

/** Keeps a session's content. */
export async function saveSession(
  context: Context,
  id: string,
  { content, accountId, signedInAt }: { content: string; accountId: string; signedInAt: number },
): Promise<void> {
  await keepSession(context.store, {
    id_digest: context.vault.digest(id),
    content,
    account_id: accountId,
    expires_at: endOf(signedInAt, context.clock.now()),
  });
}

/** A request came: the session lasts longer, unless that would be no news. */
export async function touchSession(
  context: Context,
  id: string,
  { signedInAt, endsAt }: { signedInAt: number; endsAt: number },
): Promise<void> {
  const now = context.clock.now();
  const until = endOf(signedInAt, now);
  if (until - endsAt < SESSION_TOUCH) return;
  await prolongSession(context.store, context.vault.digests(id), { until, now });
}

/** Ends a session. */
export function endSession(context: Context, id: string): Promise<void> {
  return deleteSession(context.store, context.vault.digests(id));
}

/** Ends all sessions of an account, those of other browsers and other machines too; answers how many. */
export function endSessionsOf(context: Context, accountId: string): Promise<number> {
  return deleteSessionsOf(context.store, accountId);
}

/** In how many browsers an account is signed in, and the time zone in which it gets its mails. */
export async function signedInAs(
  context: Context,
  accountId: string,
): Promise<{ browsers: number; zone: string | undefined }> {
  const [browsers, zone] = await Promise.all([
    countSessionsOf(context.store, accountId, context.clock.now()),
    findZone(context.store.durable, accountId),
  ]);
  return { browsers, zone };
}
