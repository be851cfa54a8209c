/**
 * The three ways an exchange with the new API fails, and no other (docs/decisions/0004): rejected, unavailable, in
 * doubt. For a refresh token the failure decides whether the token may be presented again, so each failure has its own
 * class.
 */

interface UnavailableOptions {
  cause?: unknown;
  retryAfter?: number | undefined;
  isOfClient?: boolean;
  status?: number;
}

/** The server processed no data of ours. The call may be tried again, after `retryAfter` milliseconds if given. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly retryAfter: number | undefined;
  /** The answer concerns the whole client, not only one grant. */
  readonly isOfClient: boolean;
  /** The status of the answer that says so; undefined where no answer came. */
  readonly status: number | undefined;
  constructor(message: string, options: UnavailableOptions = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
    this.isOfClient = options.isOfClient ?? false;
    this.status = options.status;
  }
}

/** The bridge itself decided to send nothing, so the call says nothing about the server. */
export class NotSent extends Unavailable {}

/**
 * The old API may have carried out a passed call, and no whole answer came. A call that reads may be tried again. A call
 * that writes is in doubt.
 */
export class AnswerLost extends Unavailable {}

/** The server may have processed data of ours. The outcome is unknown. */
export class InDoubt extends Error {
  override readonly name = 'InDoubt';
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
  }
}

/** The new API answered with an OAuth error. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
  readonly code: RejectionCode;
  constructor(code: RejectionCode) {
    super(`the authorization server answered ${code}`);
    this.code = code;
  }
}

export type RejectionCode = 'invalid_grant' | 'invalid_client' | 'invalid_request' | 'unauthorized_client';

/** A whole token answer (RFC 6749 §5.1), with the lifetime in milliseconds. */
export interface TokenPair {
  accessToken: string;
  /** Empty when no refresh token was requested: a sign-in keeps no tokens. */
  refreshToken: string;
  lifetime: number;
  scope: string;
}
