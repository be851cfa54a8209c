import type { ServerResponse } from 'node:http';
import type { Response } from 'express';
import { WithoutStack } from '../../shared/refusals/without-stack.ts';
import { NO_SUCH_UPDATE } from '../../domain/translation/old-refusal.ts';
import type { OAuthError } from '../../shared/refusals/oauth-error.ts';

/** Status, numeric code and text. */
export type LegacyRefusal = readonly [status: number, code: number, message: string];

/**
 * A refusal of a resource call in the form that every old client reads: string `error` and integer `code`
 * (docs/old-api.md Q11). Texts and numbers are as recorded.
 */
export class LegacyError extends WithoutStack {
  override readonly name = 'LegacyError';
  readonly status: number;
  readonly code: number;
  readonly headers: Record<string, string>;
  readonly extra: Record<string, unknown>;

  constructor(
    [status, code, message]: LegacyRefusal,
    options: { headers?: Record<string, string>; extra?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
  }
}

/**
 * The refusals that depend on no parameter and no post. `FIELD_CODES` in `domain/translation/call-fields.ts` has the codes
 * of parameters; `old-refusal.ts` beside it has the statuses of codes and the refusals of the new API.
 */
export const REFUSALS = {
  invalidToken: [401, 401, 'The provided access token is invalid'],
  tokenTwice: [400, 400, 'The access token was sent more than once with different values.'],
  malformed: [400, 400, 'The request body could not be read.'],
  outOfBounds: [400, 1006, 'Parameter value not within bounds.'],
  insecure: [403, 403, 'This API is served over HTTPS only.'],
  scope: [403, 1002, 'Not within application scope.'],
  unknownPath: [404, 404, 'The endpoint you requested was not found.'],
  unknownProfile: [404, 1010, 'Profile could not be found.'],
  unknownUpdate: [NO_SUCH_UPDATE.status, NO_SUCH_UPDATE.code, NO_SUCH_UPDATE.message],
  method: [405, 405, 'Method not allowed.'],
  format: [406, 1005, 'Unsupported response format.'],
  tooLarge: [413, 413, 'The request is too large.'],
  rateLimit: [429, 429, 'Too many requests.'],
  unknown: [500, 1000, 'An unknown error occurred.'],
  unavailable: [503, 1000, 'The service is temporarily unavailable. Try again later.'],
} as const satisfies Record<string, LegacyRefusal>;

/** The refusal of a caller that has to wait this many whole seconds. */
export function tooManyCalls(secondsLeft: number): LegacyError {
  return new LegacyError(REFUSALS.rateLimit, { headers: { 'Retry-After': String(secondsLeft) } });
}

/** The names and values of the headers that tell of a JSON text, as the old API did: this content type, no entity tag. */
export function headersOfJson(text: string): string[] {
  return [
    'Content-Type',
    'application/json;charset=UTF-8',
    'Content-Length',
    String(Buffer.byteLength(text)),
  ];
}

/** Sends a JSON text byte for byte. */
export function sendJsonText(res: ServerResponse, status: number, text: string): void {
  res.statusCode = status;
  const [type = '', ofType = '', length = '', ofLength = ''] = headersOfJson(text);
  res.setHeader(type, ofType);
  res.setHeader(length, ofLength);
  res.end(text);
}

/** Sends a JSON body. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendJsonText(res, status, JSON.stringify(body));
}

/** Answers a resource call with a refusal. */
export function sendLegacyError(res: Response, error: LegacyError): void {
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  sendJson(res, error.status, { error: error.message, code: error.code, ...error.extra });
}

/**
 * Answers with a refusal of the token endpoint: recorded status and `error`, plus `error_description` (RFC 6749 §5.2).
 */
export function sendTokenError(res: Response, error: OAuthError): void {
  if (error.retryAfter !== undefined) res.setHeader('Retry-After', String(error.retryAfter));
  sendJson(res, error.status, { error: error.code, error_description: error.description });
}

/** The recorded challenge of the old API to a call without a token, single quotes included (docs/old-api.md Q11). */
const CHALLENGE =
  "OAuth realm='Service', error='invalid_request', error_description='The request is missing a required parameter, includes an unsupported parameter or parameter value, repeats the same parameter, uses more than one method for including an access token, or is otherwise malformed.'";

/** Answers a call without a token: 401, the challenge, an empty body. */
export function sendChallenge(res: Response): void {
  res.statusCode = 401;
  res.setHeader('WWW-Authenticate', CHALLENGE);
  res.setHeader('Content-Type', 'text/html; charset=UTF-8');
  res.end();
}
