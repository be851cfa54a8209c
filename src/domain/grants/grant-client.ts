/** A grant and the client at the modern side that it was obtained with. */
export interface GrantClient {
  id: string;
  modernClientId: string;
}
