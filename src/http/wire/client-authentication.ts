import type { Request, Response } from 'express';
import { type Credentials, RetiredClient, WrongSecret } from '../../domain/apps/authenticate-client.ts';
import type { WireDeps } from './deps.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { clientCredentials, invalidClient } from './client-credentials.ts';
import { createGuessLimit } from './guess-limit.ts';
import type { Parameters } from './request-parameters.ts';
import { Note } from '../../shared/memory/note.ts';

/**
 * The apps of token requests, for the lines of their refusals. An app is noted where the bridge knows it, whether or not
 * its secret was right: a request can name any text, and no such text may fill the log.
 */
const apps = new Note<Response, string>();

const noteApp = ({ res }: Request, clientId: string) => res && apps.set(res, clientId);

/** The app of a token request; undefined where the bridge knows none. */
export const knownClientOf = (res: Response): string | undefined => apps.get(res);

interface ClientAuthentication<Client> {
  /** Finds the client of one of these readings. @throws {OAuthError} `invalid_client` */
  authenticate: (context: WireDeps, readings: readonly Credentials[]) => Promise<Client>;
  /** The app of a client. */
  appOf: (client: Client) => string;
}

/**
 * Finds the client by the credentials of a request whose parameters are in order. Wrong credentials are counted
 * (docs/threats.md T12).
 * @throws {OAuthError} `invalid_request`, `invalid_client`, or 429 after too many wrong credentials
 */
export function createClientAuthentication<Client>(
  context: WireDeps,
  { authenticate, appOf }: ClientAuthentication<Client>,
): (req: Request, body: Parameters) => Promise<Client> {
  const limit = createGuessLimit(context);
  return async (req, body) => {
    const { readings, usedBasic } = clientCredentials(req, body);
    const claimedId = readings[0]?.clientId ?? '';
    const address = req.ip ?? '';
    limit.check(claimedId, address);
    try {
      const client = await authenticate(context, readings);
      noteApp(req, appOf(client));
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const isShared = error instanceof WrongSecret;
      if (isShared || error instanceof RetiredClient) noteApp(req, error.clientId);
      limit.countWrong(claimedId, address, { isShared });
      throw invalidClient(usedBasic, error.detail);
    }
  };
}
