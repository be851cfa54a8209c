/**
 * The limits of the product in the proportions that it has, so short that a round takes seconds: the bridge processes of
 * the campaign are given them in place of those in shared/lifetimes. In milliseconds.
 */

const CLAIM_TO_WRITE_LIMIT = 600;
const UPSTREAM_TIMEOUT = 1500;

export const LIMITS = {
  CLAIM_TO_WRITE_LIMIT,
  UPSTREAM_TIMEOUT,
  CONNECT_TIMEOUT: 2000,
  CALLER_WAIT: 3000,
  PRESENTING_LIMIT: CLAIM_TO_WRITE_LIMIT + UPSTREAM_TIMEOUT + 300,
  RETRY_BASE: 60,
  RETRY_MAX: 250,
  BREAKER_PAUSE: 250,
  BREAKER_PAUSE_MAX: 1000,
  SILENT_AFTER: 300,
  ANSWERS_SPEAK: 300,
  DEATHS_STOP: 1000,
  STOP_LIMIT: 2000,
};

/**
 * `IN_DOUBT_QUIET_SECONDS`: longer than an exchange with the modern side may take, and clearly longer than the lease of a
 * refresh (the limits of connecting and of the claim), so that who trusts the lease is seen to come too early.
 */
export const QUIET_SECONDS = 4;
