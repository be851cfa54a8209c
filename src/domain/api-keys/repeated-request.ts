import { newHexId } from '../../shared/ids.ts';
import {
  claimRequestKey,
  type KeptApiAnswer,
  keepAnswerRow,
  readKeptAnswer,
  releaseRequestKey,
} from '../../store/api-keys/kept-answers.ts';
import type { ApiKeysDeps } from './deps.ts';

/**
 * A write that a program sends again with the same Idempotency-Key is carried out once. The key is claimed before the
 * write, by one statement, and the answer is kept after it. Where the process ended in between, nobody knows the outcome:
 * the program is told so, and nothing is done a second time.
 */

interface MarkedRequest {
  keyId: string;
  requestKey: string;
  /** The digest of the operation and of everything that was asked. */
  digest: string;
}

interface ApiAnswer {
  status: number;
  /** JSON. */
  answer: string;
}

/**
 * - `new`: this request may do its work. `keep` keeps its answer; `release` gives the claim back where nothing was done.
 * - `answered`: the same request was answered before.
 * - `open`: the same request runs, or ended without an answer.
 * - `other`: the Idempotency-Key belongs to another request.
 */
export type RequestClaim =
  | { is: 'new'; keep(answer: ApiAnswer): Promise<void>; release(): Promise<void> }
  | ({ is: 'answered' } & ApiAnswer)
  | { is: 'open' | 'other' };

function claimOf({ request_digest, status, answer }: KeptApiAnswer, digest: string): RequestClaim {
  if (request_digest !== digest) return { is: 'other' };
  return status === null || answer === null ? { is: 'open' } : { is: 'answered', status, answer };
}

/** Claims an Idempotency-Key, or says what became of the request that had it before. */
export async function claimMarkedRequest(
  { store, clock }: Pick<ApiKeysDeps, 'store' | 'clock'>,
  request: MarkedRequest,
): Promise<RequestClaim> {
  const { durable } = store;
  const id = newHexId();
  if (await claimRequestKey(durable, { ...request, id, now: clock.now() }))
    return {
      is: 'new',
      keep: (answer) => keepAnswerRow(durable, id, answer),
      release: () => releaseRequestKey(durable, id),
    };
  const kept = await readKeptAnswer(durable, request);
  return kept ? claimOf(kept, request.digest) : { is: 'open' };
}
