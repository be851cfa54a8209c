import { SECOND } from '../lifetimes.ts';

/**
 * Lower than Node's own limits, so that a slow sender holds nothing for long (docs/threats.md C75); for `createServer`.
 */
export const CONNECTION_LIMITS = {
  requestTimeout: 30 * SECOND,
  headersTimeout: 15 * SECOND,
  keepAliveTimeout: 65 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
};
