import type { Request } from 'express';
import { LegacyError, REFUSALS } from './legacy-error.ts';
import { bodyParameters, MalformedBody, queryParameters } from './request-parameters.ts';

/** Every `Authorization` header as it was sent: Node drops all but the first from `headers`. */
function authorizationHeaders(req: Request): string[] {
  return req.rawHeaders.filter(
    (_, index, raw) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'authorization',
  );
}

/**
 * The token in an `Authorization` header: the value after `Bearer` or the older `OAuth` (draft 10 habit), in any case.
 * Undefined for other schemes, which carry no token.
 */
export function tokenInHeader(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^([A-Za-z]+)[ ]+(.*)$/.exec(header.trim()) ?? [];
  return /^(bearer|oauth)$/i.test(scheme) ? value.trim() : undefined;
}

function headerTokens(req: Request): string[] {
  return authorizationHeaders(req).flatMap((header) => tokenInHeader(header) ?? []);
}

/** The body's tokens. An unreadable body does not matter where the token came in the header or the query. */
async function bodyTokens(req: Request, hasOther: boolean): Promise<string[]> {
  try {
    return (await bodyParameters(req)).all('access_token');
  } catch (cause) {
    if (!(cause instanceof MalformedBody)) throw cause;
    if (hasOther) return [];
    throw new LegacyError(REFUSALS.malformed, { cause });
  }
}

/** A token of the old API, and where it stood: the first of these places in this order. */
export interface CarriedToken {
  token: string;
  carrier: 'header' | 'query' | 'body';
}

/** Each token once: a hostile caller repeats one a thousand times. */
function carriedBy(carrier: CarriedToken['carrier'], tokens: readonly string[]): CarriedToken[] {
  const distinct = new Set(tokens);
  distinct.delete('');
  return [...distinct].map((token) => ({ token, carrier }));
}

/** The tokens in the header and the query, in this order. */
export function tokensBeforeBody(req: Request): CarriedToken[] {
  return [
    ...carriedBy('header', headerTokens(req)),
    ...carriedBy('query', queryParameters(req).all('access_token')),
  ];
}

/** Whether a token came before the body. Then the caller need not wait for the body. */
export function hasTokenBeforeBody(req: Request): boolean {
  return tokensBeforeBody(req).length > 0;
}

/**
 * The token of a call, from the header, the query or the body (docs/old-api.md Q7). Undefined when there is none. The
 * same token may come twice; different tokens are refused.
 * @throws {LegacyError}
 */
export async function findCarriedToken(req: Request): Promise<CarriedToken | undefined> {
  const other = tokensBeforeBody(req);
  const found = [...other, ...carriedBy('body', await bodyTokens(req, other.length > 0))];
  if (new Set(found.map(({ token }) => token)).size > 1) throw new LegacyError(REFUSALS.tokenTwice);
  return found[0];
}

/** As `findCarriedToken`, but a call that `findCarriedToken` would refuse counts as a call without a token. */
export async function tokenIfAny(req: Request): Promise<CarriedToken | undefined> {
  try {
    return await findCarriedToken(req);
  } catch (error) {
    if (error instanceof LegacyError) return undefined;
    throw error;
  }
}
