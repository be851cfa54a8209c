import type { Request } from 'express';
import type { CarriedToken } from '../wire/bearer-token.ts';
import { basicReadings } from '../wire/client-credentials.ts';
import { bodyParameters, queryParameters } from '../wire/request-parameters.ts';

/** The app that a call names. Anybody may name any app: the name proves nothing. */

const CLIENT_ID = /^[\x21-\x7e]{1,100}$/;

const plausible = (given: string | undefined) =>
  given !== undefined && CLIENT_ID.test(given) ? given : undefined;

export function clientIdInQuery(req: Request): string | undefined {
  return plausible(queryParameters(req).get('client_id'));
}

/** An unreadable body names no app. */
async function clientIdInBody(req: Request): Promise<string | undefined> {
  const inBody = await bodyParameters(req).catch(() => undefined);
  return plausible(inBody?.get('client_id'));
}

/** The app that the query names, else the app that the body names. The body must have been read. */
export async function clientIdIn(req: Request): Promise<string | undefined> {
  return clientIdInQuery(req) ?? clientIdInBody(req);
}

/** The app whose credentials a token request gives (client-credentials.ts), from its Basic header or else its body. */
export async function clientOfTokenRequest(
  req: Request,
): Promise<{ clientId: string | undefined; carrier: CarriedToken['carrier'] }> {
  const [inHeader] = basicReadings(req.headers.authorization ?? '');
  if (inHeader) return { clientId: plausible(inHeader.clientId), carrier: 'header' };
  return { clientId: await clientIdInBody(req), carrier: 'body' };
}
