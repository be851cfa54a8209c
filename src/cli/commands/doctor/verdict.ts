import { PlainWords, reduceError } from '../../../shared/log/redaction.ts';
import { type Paint, plain } from '../../terminal/paint.ts';
import type { CheckFinding, CheckState, CheckVerdict } from '../../../domain/checks/verdict.ts';
import { unreachedWords } from '../../../shared/net/unreached-words.ts';

/** A failed check, in words of our own: log redaction leaves the names of settings in these words as they are. */
export const failure = (detail: string): Error => new PlainWords(detail);

/** The whole chain of causes: the outermost message alone is too little to act on. */
function reasonsOf(error: unknown): string {
  const { message, cause } = reduceError(error);
  return cause ? `${message}: ${cause.message}` : message;
}

/** A request to another server. */
interface ServerRequest {
  /** The setting that names the server, and its address: `MODERN_API_URL: https://…`. */
  server: string;
  /** The claim that could not be proven when the request fails. Without a subject the server itself is the subject. */
  subject?: string;
}

/**
 * The result of the work. A failure names the setting, with one sentence where the server could not be reached, else
 * with the whole chain of causes.
 */
export async function proving<T>({ server, subject }: ServerRequest, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const unreached = unreachedWords(error);
    const start = subject === undefined ? '' : `${subject} could not be checked. `;
    if (unreached !== undefined) throw failure(`${start}${server} cannot be reached: ${unreached}`);
    throw failure(`${start}${server}: ${reasonsOf(error)}`);
  }
}

const MARKS: Record<CheckState, string> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  failed: 'FAILED  ',
  'not looked at': '-       ',
};

const COLOURS = { ok: 'green', warning: 'yellow', failed: 'red', 'not looked at': 'dim' } as const;

/** The finding in one line for people. */
export function lineOf({ check, state, detail }: CheckFinding, paint: Paint = plain): string {
  const said = state === 'not looked at' ? `not looked at: ${detail}` : detail;
  return `${paint(COLOURS[state], MARKS[state])}${check}: ${said}`;
}

/** Stops waiting for another server. A result that comes later is ignored. */
async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const words = `the check got no answer within ${limit / 1000} seconds`;
    timer = setTimeout(() => reject(failure(words)), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one check. An error that the check throws becomes the finding `failed`. */
export async function examine(
  check: string,
  run: () => Promise<CheckVerdict>,
  limit?: number,
): Promise<CheckFinding> {
  try {
    return { check, ...(await (limit === undefined ? run() : within(limit, run()))) };
  } catch (error) {
    return { check, state: 'failed', detail: reduceError(error).message };
  }
}
