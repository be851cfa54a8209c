/**
 * The three ways an exchange with the modern side fails, and no other (docs/decisions/0004): rejected, unavailable, in
 * doubt. For a refresh token they decide whether it may ever be presented again, so each is a value of its own.
 */

/** Nothing of ours was processed; it may be tried again, after `retryAfter` milliseconds if that is given. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly retryAfter: number | undefined;
  /** The answer says that it speaks of the whole client, not of one grant. */
  readonly isOfClient: boolean;
  constructor(message: string, options: { cause?: unknown; retryAfter?: number; isOfClient?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
    this.isOfClient = options.isOfClient ?? false;
  }
}

/** Something of ours may have been processed; the outcome is unknown. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt';
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
  }
}

/** The modern side answered with an OAuth error. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
  readonly code: RejectionCode;
  constructor(code: RejectionCode) {
    super(`the modern side answered ${code}`);
    this.code = code;
  }
}

export type RejectionCode = 'invalid_grant' | 'invalid_client' | 'invalid_request' | 'unauthorized_client';

/** A whole token answer (RFC 6749 §5.1), its lifetime in milliseconds. */
export interface TokenPair {
  accessToken: string;
  /** Empty where none was asked for: a sign-in keeps nothing. */
  refreshToken: string;
  lifetime: number;
  scope: string;
}
