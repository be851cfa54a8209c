import type { HttpExchange } from '../pages/brake.ts';
import { requestIdOf } from '../request-id.ts';
import type { SigninPagesDeps } from './parts.ts';
import { type SignedInPerson, startSession } from './session.ts';

/** Opens the session of a browser. Only some returns depend on sessions. */
function openSession({ sessions }: SigninPagesDeps, { req, res }: HttpExchange): Promise<void> {
  return new Promise((resolve, reject) => {
    void sessions(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
}

/** Signs the person of a claimed return in, in the browser that the return belongs to. */
export async function signInHere(
  parts: SigninPagesDeps,
  exchange: HttpExchange,
  person: SignedInPerson,
): Promise<void> {
  await openSession(parts, exchange);
  await startSession(exchange.req, person, parts.context.clock.now());
  parts.context.logger.debug('somebody signed in', { requestId: requestIdOf(exchange.res) });
}
