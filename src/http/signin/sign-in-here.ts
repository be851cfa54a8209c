import type { HttpExchange } from '../pages/brake.ts';
import { requestIdOf } from '../request-id.ts';
import type { SigninPagesDeps } from './parts.ts';
import { loadSession, type SignedInPerson, startSession } from './session.ts';

/** Whom a claimed return signs in, and when the request that it ends began. */
export interface SignInReturn {
  person: SignedInPerson;
  began: number;
}

/**
 * Signs the person of a claimed return in, in the browser that the return belongs to. False, with nobody signed in, where
 * somebody signed out there after the request began: the request asked nobody for a password, and whoever ends it may
 * be the next user of the browser (docs/threats.md F202).
 */
export async function signInHere(
  parts: SigninPagesDeps,
  exchange: HttpExchange,
  { person, began }: SignInReturn,
): Promise<boolean> {
  const now = parts.context.clock.now();
  if (parts.signedOut.isBetween(exchange.req, began, now)) return false;
  await loadSession(parts, exchange.req, exchange.res);
  await startSession(exchange.req, { person }, now);
  parts.signedOut.remove(exchange.req, exchange.res);
  parts.context.logger.debug('somebody signed in', { requestId: requestIdOf(exchange.res) });
  return true;
}
