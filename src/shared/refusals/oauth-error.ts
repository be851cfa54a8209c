import { Refusal } from './refusal.ts';

/** The error codes of OAuth 2.0 draft 20 §4.1.2.1 and 5.2 that the old endpoints send. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'slow_down';

interface OAuthErrorOptions {
  status?: number;
  /** Seconds for `Retry-After`. */
  retryAfter?: number;
  /** For the log only; never sent. */
  detail?: string;
  cause?: unknown;
}

/**
 * A refusal of the authorize or token endpoint. `description` is public and fixed per case. The real cause goes to
 * `detail`, which only the log gets. The token endpoint has no other form of answer, so a fault that was caught there is
 * told in this form too.
 */
export class OAuthError extends Refusal {
  readonly code: OAuthErrorCode;
  readonly description: string;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly detail: string | undefined;

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(`${code}: ${description}`, { cause: options.cause });
    this.code = code;
    this.description = description;
    this.status = options.status ?? 400;
    this.retryAfter = options.retryAfter;
    this.detail = options.detail;
  }
}
