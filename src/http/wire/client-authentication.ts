import type { Request } from 'express';
import { type Credentials, WrongSecret } from '../../domain/apps/authenticate-client.ts';
import type { WireDeps } from './deps.ts';
import { OAuthError } from '../../shared/oauth-error.ts';
import { clientCredentials, invalidClient } from './client-credentials.ts';
import { createGuessLimit } from './guess-limit.ts';
import type { Parameters } from './request-parameters.ts';

/** Finds the client of one of these readings. @throws {OAuthError} `invalid_client` */
type ClientAuthenticator<Client> = (context: WireDeps, readings: readonly Credentials[]) => Promise<Client>;

/**
 * Finds the client by the credentials of a request whose parameters are in order. Wrong credentials are counted
 * (docs/threats.md T12).
 * @throws {OAuthError} `invalid_request`, `invalid_client`, or 429 after too many wrong credentials
 */
export function createClientAuthentication<Client>(
  context: WireDeps,
  authenticate: ClientAuthenticator<Client>,
): (req: Request, body: Parameters) => Promise<Client> {
  const limit = createGuessLimit(context);
  return async (req, body) => {
    const { readings, usedBasic } = clientCredentials(req, body);
    const claimedId = readings[0]?.clientId ?? '';
    const address = req.ip ?? '';
    limit.check(claimedId, address);
    try {
      return await authenticate(context, readings);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      limit.countWrong(claimedId, address, { isShared: error instanceof WrongSecret });
      throw invalidClient(usedBasic);
    }
  };
}
