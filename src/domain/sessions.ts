import { deleteSession, findSession, keepSession } from '../store/sessions.ts';
import type { Context } from './context.ts';

/** Who is signed in in which browser; kept by the digest of the cookie's value, so that a database read opens none. */

/** The content of a session by its id; undefined when it has ended. */
export function openSession(context: Context, id: string): Promise<string | undefined> {
  return findSession(context.store, context.vault.digests(id), context.clock.now());
}

/** Keeps a session's content until the given time. */
export function saveSession(
  context: Context,
  id: string,
  { content, expiresAt }: { content: string; expiresAt: number },
): Promise<void> {
  return keepSession(context.store, { id_digest: context.vault.digest(id), content, expires_at: expiresAt });
}

/** Ends a session. */
export function endSession(context: Context, id: string): Promise<void> {
  return deleteSession(context.store, context.vault.digests(id));
}
