/** One call of an example, independent of the language in which it is written. */

/** A text, a variable that the reader sets in the environment, or a value that the example itself makes. */
export type Value = string | { env: string } | { own: 'state' | 'challenge' };

interface Open {
  does: 'open';
  title: string;
  address: string;
  /** With a `challenge` in the query, the example makes the challenge, its verifier and the state. */
  query: Record<string, Value>;
}

interface Post {
  does: 'post';
  title: string;
  address: string;
  form: Record<string, Value>;
}

interface Read {
  does: 'read';
  title: string;
  address: string;
  bearer: Value;
}

/** The organizations of the account, then the channels of the first organization. */
interface Channels {
  does: 'channels';
  title: string;
  address: Value;
  bearer: Value;
}

export type ExampleStep = Open | Post | Read | Channels;

/** A variable that the reader sets in the environment. */
export function fromEnv(env: string): Value {
  return { env };
}

/** Whether an address to open uses PKCE. */
export function hasChallenge(query: Record<string, Value>): boolean {
  return Object.hasOwn(query, 'code_challenge');
}

export const ORGANIZATIONS = '{ account { organizations { id } } }';

export const CHANNELS = 'query($input: ChannelsInput!) { channels(input: $input) { id service name } }';
