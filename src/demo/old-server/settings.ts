/** What the old API of the demo knows when it starts. The starting process sends it; the old API reads no environment. */
export interface OldServerSettings {
  port: number;
  accounts: OldAccount[];
  logLevel: string;
}

/** An account with the tokens that the old API once gave to programs. */
export interface OldAccount {
  tokens: string[];
  user: OldRecord;
  profiles: OldRecord[];
}

/** An object of the old API with its id; docs/old-api.md names the fields. */
export interface OldRecord extends Record<string, unknown> {
  id: string;
}
