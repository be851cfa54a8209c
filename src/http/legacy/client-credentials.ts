import type { Request } from 'express';
import type { Credentials } from '../../domain/authenticate-client.ts';
import { OAuthError } from '../../shared/oauth-error.ts';
import type { Parameters } from './request-parameters.ts';

/** Where an old client put its id and secret (draft 20 section 2.4.1). */
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

/** Id and secret of a Basic header, form-decoded (RFC 6749 section 2.3.1) and, for the clients that do not, raw. */
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

/** The refusal of a client; a client that used the header gets the challenge that it must have (draft 20 section 5.2). */
export function invalidClient(usedBasic: boolean): OAuthError {
  return new OAuthError(
    'invalid_client',
    'The client could not be authenticated.',
    usedBasic ? { status: 401 } : {},
  );
}

function fromBasic(header: string, body: Parameters): GivenCredentials {
  const readings = basicReadings(header);
  const bodyId = body.get('client_id');
  const differs = bodyId !== undefined && !readings.some(({ clientId }) => clientId === bodyId);
  if (body.has('client_secret') || (readings.length > 0 && differs)) {
    throw new OAuthError('invalid_request', 'The client authenticated in more than one way.');
  }
  if (readings.length === 0) throw invalidClient(true);
  return { readings, usedBasic: true };
}

/**
 * The credentials of a token request, from a Basic header or the body, never both.
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
