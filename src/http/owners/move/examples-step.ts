/** One call of an example, independent of the language in which it is written. */

/** A text, a variable that the reader sets in the environment, or a value that the example itself makes. */
export type StepValue = string | { env: string } | { own: 'state' | 'challenge' };

interface OpenStep {
  does: 'open';
  title: string;
  address: string;
  /** With a `challenge` in the query, the example makes the challenge, its verifier and the state. */
  query: Record<string, StepValue>;
}

interface PostStep {
  does: 'post';
  title: string;
  address: string;
  form: Record<string, StepValue>;
}

interface ReadStep {
  does: 'read';
  title: string;
  address: string;
  bearer: StepValue;
}

/** The organizations of the account, then the channels of each organization. */
interface ChannelsStep {
  does: 'channels';
  title: string;
  address: StepValue;
  bearer: StepValue;
}

export type ExampleStep = OpenStep | PostStep | ReadStep | ChannelsStep;

/** A variable that the reader sets in the environment. */
export function fromEnv(env: string): StepValue {
  return { env };
}

/** Whether an address to open uses PKCE. */
export function hasChallenge(query: Record<string, StepValue>): boolean {
  return Object.hasOwn(query, 'code_challenge');
}

export const ORGANIZATIONS = '{ account { organizations { id } } }';

export const CHANNELS = 'query($input: ChannelsInput!) { channels(input: $input) { id service name } }';
