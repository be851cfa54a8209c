import { PlainWords, reduceError } from '../../../shared/log/redaction.ts';
import { unreachedWords } from './reaching.ts';

/** What one check of `doctor` found. A check that did not look says so: it never counts as proven. */

type State = 'ok' | 'warning' | 'failed' | 'not looked at';

export interface Verdict {
  state: State;
  /** What the check really did and saw, or why it did not look. */
  detail: string;
}

export interface Finding extends Verdict {
  check: string;
}

export const ok = (detail: string): Verdict => ({ state: 'ok', detail });

/** It works now; somebody has to do something before it does not. */
export const warning = (detail: string): Verdict => ({ state: 'warning', detail });

export const notLookedAt = (reason: string): Verdict => ({ state: 'not looked at', detail: reason });

/** A check that failed, in words of ours: the names of settings in them are told as they stand. */
export const failure = (detail: string): Error => new PlainWords(detail);

/** The whole chain of reasons, for the outer one alone says too little to act on. */
function reasonsOf(error: unknown): string {
  const { message, cause } = reduceError(error);
  return cause ? `${message}: ${cause.message}` : message;
}

/** What is asked of another server. */
interface Question {
  /** The setting that names the server, and its address: `MODERN_API_URL: https://…`. */
  server: string;
  /** What could not be proven where it fails; else the server itself is the subject. */
  subject?: string;
}

/**
 * What comes of the work. Where it fails, the setting and one sentence where the server could not be reached, else the
 * whole chain of reasons.
 */
export async function proving<T>({ server, subject }: Question, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const unreached = unreachedWords(error);
    const start = subject === undefined ? '' : `${subject} could not be proven. `;
    if (unreached !== undefined) throw failure(`${start}${server} cannot be reached: ${unreached}`);
    throw failure(`${start}${server}: ${reasonsOf(error)}`);
  }
}

const MARKS: Record<State, string> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  failed: 'FAILED  ',
  'not looked at': '-       ',
};

/** The finding in one line for people. */
export function lineOf({ check, state, detail }: Finding): string {
  const said = state === 'not looked at' ? `not looked at: ${detail}` : detail;
  return `${MARKS[state]}${check}: ${said}`;
}

/** Ends a wait for others; what they do after it counts no more. */
async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const words = `nothing came of it within ${limit / 1000} seconds`;
    timer = setTimeout(() => reject(failure(words)), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one check; whatever it throws is what failed. */
export async function examine(check: string, run: () => Promise<Verdict>, limit?: number): Promise<Finding> {
  try {
    return { check, ...(await (limit === undefined ? run() : within(limit, run()))) };
  } catch (error) {
    return { check, state: 'failed', detail: reduceError(error).message };
  }
}
