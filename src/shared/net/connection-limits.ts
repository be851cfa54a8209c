import { SECOND } from '../lifetimes.ts';

/**
 * For `createServer`. Lower than Node's own limits, so that a slow sender does not hold a connection for long
 * (docs/threats.md C75).
 */
export const CONNECTION_LIMITS = {
  requestTimeout: 30 * SECOND,
  headersTimeout: 15 * SECOND,
  keepAliveTimeout: 65 * SECOND,
  connectionsCheckingInterval: 5 * SECOND,
};
