/**
 * The old API, while it still runs (design 5, other v1 paths). Only the settings name its address; no redirect of it is
 * followed, and sizes and times are bounded.
 */

/** A call as it came in. */
export interface PassedCall {
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  /** Names and values in turn, as `rawHeaders` has them. */
  rawHeaders: readonly string[];
  body: Buffer;
}

/** Its answer, as it was. */
export interface PassedAnswer {
  status: number;
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface OldBackend {
  /** Sends a call as it came, without hop-by-hop headers. @throws {Unavailable} it did not answer whole */
  pass(call: PassedCall): Promise<PassedAnswer>;
  /** Reads one document with a token; undefined where the token is refused. @throws {Unavailable} anything else */
  read(path: '/1/user.json' | '/1/profiles.json', token: string): Promise<unknown>;
  /** Ends a token there, as its app would. @throws {Unavailable} */
  deauthorize(token: string): Promise<void>;
}
