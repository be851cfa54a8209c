/** A grant, and the client at the new API through which the grant was obtained. */
export interface GrantClient {
  id: string;
  modernClientId: string;
}
