import type { Request, RequestHandler } from 'express';
import {
  type AppClient,
  authenticateModernClient,
  authenticateTaker,
} from '../../domain/handover/authenticate-modern-client.ts';
import type { ExchangeDeps } from './deps.ts';
import { confirm, type HandoverResult, handOver } from '../../domain/handover/hand-over.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { tellDates } from '../wire/added-headers.ts';
import { createClientAuthentication } from '../wire/client-authentication.ts';
import { sendJson } from '../wire/legacy-error.ts';
import { bodyKind, bodyParameters, type Parameters, queryParameters } from '../wire/request-parameters.ts';
import { noteProvenApp } from '../legacy/usage-note.ts';
import { nameMore } from '../request-log.ts';
import { callingOf, checkTrace } from '../request-trace.ts';

/**
 * POST /oauth2/exchange (RFC 8693, docs/migrate/own-client-and-hand-over.md): an app shows its own client and an old
 * token, and gets the token pair of the new API behind the token. At the same address the app confirms that it has
 * stored the pair.
 */

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const CONFIRMATION = 'urn:grantbridge:params:oauth:grant-type:confirm-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const SINGLE = [
  'grant_type',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'client_id',
  'client_secret',
];

const malformed = (description: string) => new OAuthError('invalid_request', description);

async function readForm(req: Request): Promise<Parameters> {
  if (bodyKind(req) !== 'form')
    throw malformed('The body must be a form (application/x-www-form-urlencoded).');
  return bodyParameters(req);
}

function requireType(body: Parameters, name: string): void {
  const type = body.get(name);
  if (type !== undefined && type !== ACCESS_TOKEN) throw malformed(`The ${name} must be ${ACCESS_TOKEN}.`);
}

/** The consent has decided what a grant covers. The exchange narrows nothing and takes no target. */
const NOT_SERVED = ['actor_token', 'actor_token_type', 'resource', 'audience', 'scope'];

interface HandOverRequest {
  grantType: typeof TOKEN_EXCHANGE | typeof CONFIRMATION;
  token: string;
}

function checkParameters(req: Request, body: Parameters): HandOverRequest {
  const query = queryParameters(req);
  if (SINGLE.some((name) => query.has(name)))
    throw malformed('Credentials and tokens belong in the body, not in the address.');
  const [repeated] = body.repeated(SINGLE);
  if (repeated) throw malformed(`The parameter ${repeated} must be one text, sent once.`);
  const grantType = body.get('grant_type');
  if (grantType === undefined) throw malformed('The parameter grant_type is missing.');
  if (grantType !== TOKEN_EXCHANGE && grantType !== CONFIRMATION) {
    throw new OAuthError('unsupported_grant_type', `Only ${TOKEN_EXCHANGE} and ${CONFIRMATION} are served.`);
  }
  const token = body.get('subject_token');
  if (token === undefined) throw malformed('The parameter subject_token is missing.');
  const unserved = NOT_SERVED.find((name) => body.has(name));
  if (unserved !== undefined) throw malformed(`The parameter ${unserved} is not served.`);
  requireType(body, 'subject_token_type');
  requireType(body, 'requested_token_type');
  return { grantType, token };
}

function tokenAnswer({ accessToken, refreshToken, expiresIn, scope, migratedTokens }: HandoverResult) {
  return {
    access_token: accessToken,
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope,
    migrated_tokens: migratedTokens,
  };
}

const appOf = (client: AppClient) => client.client_id;

/** The handler of the exchange and of its confirmation. */
export function exchange(context: ExchangeDeps): RequestHandler {
  const takerOf = createClientAuthentication(context, { authenticate: authenticateTaker, appOf });
  const confirmerOf = createClientAuthentication(context, {
    authenticate: authenticateModernClient,
    appOf,
  });
  return async (req, res) => {
    const body = await readForm(req);
    checkTrace(res, () => SINGLE.map((name) => body.get(name)));
    const { grantType, token } = checkParameters(req, body);
    const isConfirmation = grantType === CONFIRMATION;
    const client = await (isConfirmation ? confirmerOf : takerOf)(req, body);
    tellDates(context, res, { clientId: client.client_id });
    noteProvenApp(context, client.client_id, req);
    const nameToken = (mappingId: string) => nameMore(res, { mappingId });
    const origin = { actor: `app:${client.client_id}`, ...callingOf(res) };
    const asked = { client, token, origin, nameToken };
    if (isConfirmation) {
      const migrated = await confirm(context, asked);
      return sendJson(res, 200, { confirmed: true, migrated_tokens: migrated });
    }
    sendJson(res, 200, tokenAnswer(await handOver(context, asked)));
  };
}
