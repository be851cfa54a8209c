import type { Request } from 'express';
import { LegacyError, REFUSALS } from './legacy-error.ts';
import { bodyParameters, MalformedBody, type Parameters, queryParameters } from './request-parameters.ts';

/** How a token came, for the measure of use. */
type Carrier = 'header' | 'query' | 'body';

export interface CarriedToken {
  token: string;
  carrier: Carrier;
}

/** Every `Authorization` header as it was sent: Node drops all but the first from `headers`. */
function authorizationHeaders(req: Request): string[] {
  return req.rawHeaders.filter(
    (_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'authorization',
  );
}

/** The value behind `Bearer` in any case or the older `OAuth` (draft 10 habit); other schemes carry no token. */
function headerTokens(req: Request): string[] {
  return authorizationHeaders(req).flatMap((header) => {
    const [, scheme = '', value = ''] = /^([A-Za-z]+)[ ]+(.*)$/.exec(header.trim()) ?? [];
    return /^(bearer|oauth)$/i.test(scheme) ? [value.trim()] : [];
  });
}

async function bodyOf(req: Request): Promise<Parameters> {
  try {
    return await bodyParameters(req);
  } catch (cause) {
    if (cause instanceof MalformedBody) throw new LegacyError(REFUSALS.malformed, { cause });
    throw cause;
  }
}

function carried(carrier: Carrier, tokens: readonly string[]): CarriedToken[] {
  return tokens.filter((token) => token !== '').map((token) => ({ carrier, token }));
}

/**
 * The token of a call, from the header, the query or the body (specification 5.10.8); undefined when there is none. The
 * same token twice is fine, different ones are refused.
 * @throws {LegacyError}
 */
export async function findToken(req: Request): Promise<CarriedToken | undefined> {
  const body = await bodyOf(req);
  const query = queryParameters(req);
  const found = [
    ...carried('header', headerTokens(req)),
    ...carried('query', query.all('access_token')),
    ...carried('body', body.all('access_token')),
  ];
  const [first] = found;
  if (found.some(({ token }) => token !== first?.token)) throw new LegacyError(REFUSALS.tokenTwice);
  return first;
}
