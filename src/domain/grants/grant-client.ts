import type { CallingRequest } from '../../shared/trace/calling-request.ts';

/** A grant with its app, and the client at the new API through which the grant was obtained. */
export interface GrantClient {
  id: string;
  /** The app of the old API. */
  clientId: string;
  modernClientId: string;
  /** The request that needs the grant; undefined for the work of a job. */
  calling?: CallingRequest | undefined;
}
