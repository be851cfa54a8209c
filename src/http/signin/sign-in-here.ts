import type { HttpExchange } from '../pages/brake.ts';
import { requestIdOf } from '../request-id.ts';
import type { SigninPagesDeps } from './parts.ts';
import { loadSession, type SignedInPerson, startSession } from './session.ts';

/** Signs the person of a claimed return in, in the browser that the return belongs to. */
export async function signInHere(
  parts: SigninPagesDeps,
  exchange: HttpExchange,
  person: SignedInPerson,
): Promise<void> {
  await loadSession(parts, exchange.req, exchange.res);
  await startSession(exchange.req, { person }, parts.context.clock.now());
  parts.signedOut.remove(exchange.req, exchange.res);
  parts.context.logger.debug('somebody signed in', { requestId: requestIdOf(exchange.res) });
}
