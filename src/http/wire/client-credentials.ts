import type { Request } from 'express';
import type { Credentials } from '../../domain/apps/authenticate-client.ts';
import { OAuthError } from '../../shared/refusals/oauth-error.ts';
import type { Parameters } from './request-parameters.ts';

/** The id and secret of an old client, and whether they came by Basic (OAuth 2.0 draft 20 §2.4.1). */
export interface GivenCredentials {
  readings: Credentials[];
  usedBasic: boolean;
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Id and secret of a Basic header: form-decoded (RFC 6749 §2.3.1), and raw for clients that do not encode. */
export function basicReadings(header: string): Credentials[] {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(header.trim())?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return [];
  const raw = { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) };
  const decoded = { clientId: formDecoded(raw.clientId), clientSecret: formDecoded(raw.clientSecret) };
  const isSame = raw.clientId === decoded.clientId && raw.clientSecret === decoded.clientSecret;
  return isSame ? [raw] : [decoded, raw];
}

/**
 * The refusal of a client. A client that used the header must get a challenge (OAuth 2.0 draft 20 §5.2). `detail` is for
 * the log alone.
 */
export function invalidClient(usedBasic: boolean, detail?: string): OAuthError {
  return new OAuthError('invalid_client', 'The client could not be authenticated.', {
    ...(usedBasic && { status: 401 }),
    ...(detail !== undefined && { detail }),
  });
}

/** Whether the body agrees with the header. A parameter without a value counts as absent, except for the secret. */
function agreesWith(body: Parameters, { clientId, clientSecret }: Credentials): boolean {
  const [bodyId, bodySecret] = [body.get('client_id'), body.all('client_secret')[0]];
  return (
    (bodyId === undefined || bodyId === clientId) && (bodySecret === undefined || bodySecret === clientSecret)
  );
}

/**
 * Two sign-in libraries send the same credentials in both places. Different credentials in the two places are refused.
 */
function fromBasic(header: string, body: Parameters): GivenCredentials {
  const readings = basicReadings(header);
  if (readings.length === 0 && !body.has('client_secret')) throw invalidClient(true);
  const agreed = readings.filter((reading) => agreesWith(body, reading));
  if (agreed.length === 0)
    throw new OAuthError('invalid_request', 'The client authenticated in more than one way.');
  return { readings: agreed, usedBasic: true };
}

/**
 * The credentials of a token request: from a Basic header, from the body, or from both where they are equal.
 * @throws {OAuthError} `invalid_request` or `invalid_client`
 */
export function clientCredentials(req: Request, body: Parameters): GivenCredentials {
  const header = req.headers.authorization;
  if (header !== undefined && /^basic\b/i.test(header)) return fromBasic(header, body);
  const clientId = body.get('client_id');
  const clientSecret = body.get('client_secret');
  if (clientId === undefined || clientSecret === undefined) throw invalidClient(false);
  return { readings: [{ clientId, clientSecret }], usedBasic: false };
}
