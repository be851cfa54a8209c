import { ACCESS_TOKEN_LIFETIME_MAX, MINUTE, SECOND } from '../shared/lifetimes.ts';
import { type HttpAnswer, jsonObject, retryAfterOf } from './http-client.ts';
import { InDoubt, Rejected, type RejectionCode, type TokenPair, Unavailable } from './outcomes.ts';

const UNSPENT: readonly string[] = ['invalid_client', 'invalid_request', 'unauthorized_client'];

/** The lifetime of an access token when the answer has no usable one. */
const UNSTATED_LIFETIME = 5 * MINUTE;

/** How long to wait after a 429 that does not say how long. */
const UNSTATED_WAIT = 1 * MINUTE;

/**
 * `expires_in` in whole milliseconds: a number or its text, cut to between one second and a year (docs/threats.md E97).
 */
function lifetimeOf(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' ? Number(expiresIn) : expiresIn;
  if (typeof seconds !== 'number' || Number.isNaN(seconds)) return UNSTATED_LIFETIME;
  return Math.floor(Math.min(Math.max(seconds * SECOND, SECOND), ACCESS_TOKEN_LIFETIME_MAX));
}

function isTokenText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value);
}

/** The expected content of an answer. */
interface ExpectedAnswer {
  scope: string;
  /** The refresh token that was presented. */
  presented?: string;
  /** False when no refresh token was requested. A refresh token that comes all the same is not kept. */
  isForGood?: boolean;
  now: number;
}

/** The refresh token to keep; empty where none was requested. Undefined where the answer lacks a usable one. */
function refreshTokenIn(body: Record<string, unknown>, isForGood: boolean): string | undefined {
  if (!isForGood) return '';
  const given = body['refresh_token'];
  return isTokenText(given) ? given : undefined;
}

function wholePair(answer: HttpAnswer, { scope, isForGood = true }: ExpectedAnswer): TokenPair | undefined {
  const body = jsonObject(answer);
  if (!body || !isTokenText(body['access_token'])) return undefined;
  const refreshToken = refreshTokenIn(body, isForGood);
  if (refreshToken === undefined) return undefined;
  if (typeof body['token_type'] !== 'string' || body['token_type'].toLowerCase() !== 'bearer')
    return undefined;
  return {
    accessToken: body['access_token'],
    refreshToken,
    lifetime: lifetimeOf(body['expires_in']),
    scope: typeof body['scope'] === 'string' ? body['scope'] : scope,
  };
}

function isClientError(status: number): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** The new API's code for "Too many requests from this client". */
const LIMIT_OF_CLIENT = 'RATE_LIMIT_EXCEEDED';

function isLimitOfClient(body: Record<string, unknown> | undefined): boolean {
  const errors = Array.isArray(body?.['errors']) ? (body['errors'] as unknown[]) : [];
  return errors.some((error) => {
    const { extensions } = Object(error) as { extensions?: unknown };
    return (Object(extensions) as { code?: unknown }).code === LIMIT_OF_CLIENT;
  });
}

function throwFailure(answer: HttpAnswer, now: number): never {
  const body = jsonObject(answer);
  const retryAfter = retryAfterOf(answer, now);
  if (answer.status === 429 && (body || retryAfter !== undefined)) {
    const isOfClient = isLimitOfClient(body);
    throw new Unavailable('the authorization server asks the bridge to slow down', {
      isOfClient,
      retryAfter: retryAfter ?? UNSTATED_WAIT,
      status: answer.status,
    });
  }
  const code = isClientError(answer.status) ? body?.['error'] : undefined;
  if (code === 'invalid_grant' || (typeof code === 'string' && UNSPENT.includes(code))) {
    throw new Rejected(code as RejectionCode);
  }
  throw new InDoubt(`the authorization server answered ${answer.status} without a usable token answer`);
}

/**
 * Reads an answer of the token endpoint (RFC 6749 §5). Only a whole pair under 200 is a success, and only a well-formed
 * refusal proves that a token was not spent. Any other answer is in doubt (docs/decisions/0004).
 * @throws {Rejected | Unavailable | InDoubt}
 */
export function processTokenAnswer(answer: HttpAnswer, expected: ExpectedAnswer): TokenPair {
  if (answer.status !== 200) throwFailure(answer, expected.now);
  const pair = wholePair(answer, expected);
  if (!pair) throw new InDoubt('the token answer has no whole token pair');
  if (pair.refreshToken === expected.presented)
    throw new InDoubt('the token answer repeats the refresh token');
  return pair;
}
