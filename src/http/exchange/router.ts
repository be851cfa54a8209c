import { Router } from 'express';
import { HAND_OVER_PATH } from '../../domain/old-calls/old-calls.ts';
import type { ExchangeDeps } from './deps.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { tokenFailures } from '../legacy/failures.ts';
import { refuseExchanges } from '../overload/later.ts';
import { readFormOfExchange } from '../wire/read-body.ts';
import { exchange } from './exchange.ts';

/**
 * The one address through which apps leave the bridge. The legacy router has already checked HTTPS and set the added
 * headers, as for all of `/oauth2`.
 */
export function exchangeRouter(context: ExchangeDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.post(HAND_OVER_PATH, refuseExchanges(context), readFormOfExchange, exchange(context));
  router.all(HAND_OVER_PATH, (_req, res) => {
    res.setHeader('Allow', 'POST');
    throw new OAuthError('invalid_request', 'The exchange is served by POST alone.', { status: 405 });
  });
  router.use(HAND_OVER_PATH, tokenFailures(context, 'a hand-over'));
  return router;
}
