/** The person or program that asks for a change, for the history. */
export interface Origin {
  actor: string;
  requestId: string | null;
}
