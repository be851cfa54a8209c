import type { Request, RequestHandler } from 'express';
import { authenticateClient } from '../../domain/apps/authenticate-client.ts';
import type { LegacyDeps } from './deps.ts';
import { exchangeCode } from '../../domain/authorization/exchange-code.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import { callingOf, checkTrace } from '../request-trace.ts';
import { tellDates } from '../wire/added-headers.ts';
import { createClientAuthentication } from '../wire/client-authentication.ts';
import { sendJson } from '../wire/legacy-error.ts';
import { bodyKind, bodyParameters, type Parameters, queryParameters } from '../wire/request-parameters.ts';
import { nameMore } from '../request-log.ts';
import { noteProvenApp } from './usage-note.ts';

/**
 * POST /1/oauth2/token.json (OAuth 2.0 draft 20 §4.1.3). The order is parameters, client, code: a malformed request or
 * a failed authentication never spends a code (docs/old-api.md Q4).
 */

const SINGLE = ['grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret'];
const NEVER_IN_ADDRESS = ['client_id', 'client_secret', 'code'];

const malformed = (description: string) => new OAuthError('invalid_request', description);

async function readBody(req: Request): Promise<Parameters> {
  if (bodyKind(req) === 'other') throw malformed('The body must be a form.');
  return bodyParameters(req);
}

/** Checks the parameters alone (OAuth 2.0 draft 20 §5.2). */
function checkParameters(req: Request, body: Parameters): { code: string; redirectUri: string | undefined } {
  const query = queryParameters(req);
  if (NEVER_IN_ADDRESS.some((name) => query.has(name))) {
    throw malformed('Credentials and codes belong in the body, not in the address.');
  }
  const [repeated] = body.repeated(SINGLE);
  if (repeated) throw malformed(`The parameter ${repeated} must be one text, sent once.`);
  const grantType = body.get('grant_type');
  if (grantType === undefined) throw malformed('The parameter grant_type is missing.');
  if (grantType !== 'authorization_code') {
    throw new OAuthError('unsupported_grant_type', 'Only the grant type authorization_code is served.');
  }
  const code = body.get('code');
  if (code === undefined) throw malformed('The parameter code is missing.');
  return { code, redirectUri: body.get('redirect_uri') };
}

/** The handler of the old token endpoint. */
export function token(context: LegacyDeps): RequestHandler {
  const clientOf = createClientAuthentication(context, {
    authenticate: authenticateClient,
    appOf: (clientId) => clientId,
  });
  return async (req, res) => {
    const body = await readBody(req);
    checkTrace(res, () => SINGLE.map((name) => body.get(name)));
    const asked = checkParameters(req, body);
    const clientId = await clientOf(req, body);
    tellDates(context, res, { clientId });
    noteProvenApp(context, clientId, req);
    const origin = { actor: `app:${clientId}`, ...callingOf(res) };
    const nameToken = (mappingId: string) => nameMore(res, { mappingId });
    const accessToken = await exchangeCode(context, { clientId, ...asked, nameToken }, origin);
    sendJson(res, 200, { access_token: accessToken });
  };
}
