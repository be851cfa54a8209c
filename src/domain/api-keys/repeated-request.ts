import { newHexId } from '../../shared/ids.ts';
import {
  claimRequestKey,
  type KeptApiAnswer,
  keepAnswerRow,
  readKeptAnswer,
  releaseRequestKey,
} from '../../store/api-keys/kept-answers.ts';
import { retryUntilStored } from '../work/retry-until-stored.ts';
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
 * - `new`: this request may do its work. `keep` keeps its answer; `release` gives the claim back where nothing was done, and does not fail.
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

/**
 * Gives a claim back: nothing was done. Where the database fails, the caller is told of the refusal all the same, and the claim is
 * given back as soon as it can be: else the key would count as under way for a day. This can come late: no other request
 * has the id.
 */
async function giveBack(context: ApiKeysDeps, id: string): Promise<void> {
  const release = () => releaseRequestKey(context.store.durable, id);
  try {
    await release();
  } catch {
    const later = () => retryUntilStored(context, 'the return of an Idempotency-Key', release);
    context.flights.run(`request key ${id}`, later).catch((error: unknown) => {
      context.logger.error('an Idempotency-Key could not be given back', { error });
    });
  }
}

/** Claims an Idempotency-Key, or says what became of the request that had it before. */
export async function claimMarkedRequest(
  context: ApiKeysDeps,
  request: MarkedRequest,
): Promise<RequestClaim> {
  const { clock, store } = context;
  const { durable } = store;
  const id = newHexId();
  if (await claimRequestKey(durable, { ...request, id, now: clock.now() }))
    return {
      is: 'new',
      keep: (answer) => keepAnswerRow(durable, id, answer),
      release: () => giveBack(context, id),
    };
  const kept = await readKeptAnswer(durable, request);
  return kept ? claimOf(kept, request.digest) : { is: 'open' };
}
