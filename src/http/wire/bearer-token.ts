import type { Request } from 'express';
import { LegacyError, REFUSALS } from './legacy-error.ts';
import { MalformedBody } from './bodies/malformed-body.ts';
import { bodyParameters, type Parameters, queryParameters } from './request-parameters.ts';

const AUTHORIZATION = 'authorization';

const isAuthorization = (name: string) =>
  name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION;

/** Every `Authorization` header as it was sent: Node drops all but the first from `headers`. */
export function authorizationHeaders(rawHeaders: readonly string[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (isAuthorization(rawHeaders[index] ?? '')) found.push(rawHeaders[index + 1] ?? '');
  return found;
}

/**
 * The token in an `Authorization` header: the value after `Bearer` or the older `OAuth` (draft 10 habit), in any case.
 * Undefined for other schemes, which carry no token.
 */
export function tokenInHeader(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^([A-Za-z]+)[ ]+(.*)$/.exec(header.trim()) ?? [];
  return /^(bearer|oauth)$/i.test(scheme) ? value.trim() : undefined;
}

function headerTokens(rawHeaders: readonly string[]): string[] {
  const found: string[] = [];
  for (const header of authorizationHeaders(rawHeaders)) {
    const token = tokenInHeader(header);
    if (token !== undefined) found.push(token);
  }
  return found;
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
  const [first] = tokens;
  if (first === undefined) return [];
  if (tokens.length === 1) return first === '' ? [] : [{ token: first, carrier }];
  const distinct = new Set(tokens);
  distinct.delete('');
  return [...distinct].map((token) => ({ token, carrier }));
}

/** The places of a call that may hold a token. A call without a body has no `body`. */
interface TokenPlaces {
  rawHeaders: readonly string[];
  query: Parameters;
  body?: Parameters | undefined;
}

/** The tokens in the header, the query and the body, in this order. */
export function tokensAt({ rawHeaders, query, body }: TokenPlaces): CarriedToken[] {
  return [
    ...carriedBy('header', headerTokens(rawHeaders)),
    ...carriedBy('query', query.all('access_token')),
    ...carriedBy('body', body?.all('access_token') ?? []),
  ];
}

/** The tokens in the header and the query, in this order. */
export function tokensBeforeBody(req: Request): CarriedToken[] {
  return tokensAt({ rawHeaders: req.rawHeaders, query: queryParameters(req) });
}

/**
 * The one token of a call, at the first of its places. Undefined when there is none.
 * @throws {LegacyError} two tokens differ
 */
export function onlyToken(found: readonly CarriedToken[]): CarriedToken | undefined {
  const [first] = found;
  if (found.some(({ token }) => token !== first?.token)) throw new LegacyError(REFUSALS.tokenTwice);
  return first;
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
  return onlyToken([...other, ...carriedBy('body', await bodyTokens(req, other.length > 0))]);
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
