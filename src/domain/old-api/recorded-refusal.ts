import type { PassedAnswer } from '../../upstream/old-backend.ts';
import { jsonIn } from '../translation/unpack.ts';

/** The recorded refusal of a token (docs/old-api.md Q11), in any encoding that the caller accepted from the old API. */

const INVALID_TOKEN = { error: 'The provided access token is invalid', code: 401 };

/** The recorded body has a hundred bytes. A longer body is another answer and is not unpacked. */
const LONGEST_REFUSAL = 16 * 1024;

/** Whether an answer has the recorded body. A 401 may also mean the path, or a service behind the old API. */
export function saysInvalid(answer: PassedAnswer): boolean {
  const { error, code } = Object(jsonIn(answer, LONGEST_REFUSAL)) as Record<string, unknown>;
  return error === INVALID_TOKEN.error && code === INVALID_TOKEN.code;
}
