import { Unavailable } from '../outcomes.ts';

/**
 * The identity provider refused a sign-in, or answered what must not be believed. The message is for the log: it has
 * neither a token nor a claim.
 */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /** The error code of the provider (RFC 6749 §4.1.2.1, §5.2); undefined where the bridge refused its answer. */
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

interface LibraryError {
  message?: string;
  code?: string;
  /** The error code in an answer of the provider. */
  error?: unknown;
  cause?: unknown;
}

/** The failure of a request stands somewhere below the library's own error. */
function unavailableIn(error: unknown, depth = 0): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (depth === 5 || typeof error !== 'object' || error === null) return undefined;
  return unavailableIn((error as LibraryError).cause, depth + 1);
}

const ERROR_CODE = /^[a-z_]{1,60}$/;

/**
 * The failure in our own words. The causes of the library hold claims, headers of tokens and answers, so nothing of them
 * is kept.
 */
export function companyFailure(error: unknown): Unavailable | SignInRefused {
  const { message = '', code, error: answered } = error as LibraryError;
  if (error instanceof SignInRefused) return error;
  const unavailable = unavailableIn(error);
  if (unavailable) return unavailable;
  if (typeof answered === 'string' && ERROR_CODE.test(answered))
    return new SignInRefused(`the identity provider answered ${answered}`, answered);
  return new SignInRefused([message, code].filter(Boolean).join(', '));
}
