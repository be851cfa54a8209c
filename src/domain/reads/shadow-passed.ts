import { MINUTE } from '../../shared/lifetimes.ts';
import { addShadowCounts } from '../../store/posts/shadow-differences.ts';
import type { PassedAnswer } from '../../upstream/old-backend.ts';
import { cachedAnswer } from '../grants/refresh/answer-cache.ts';
import { compareObjects, type Difference } from './compare-answers.ts';
import type { ReadsDeps } from './deps.ts';
import type { Caller } from '../ids/match-ids.ts';
import { takeForShadow } from '../limits/shadow-allowance.ts';
import { jsonIn } from '../translation/unpack.ts';
import { ANY_FIELD, COMPARED, NOT_ANSWERED } from './shadow.ts';
import { compareInSample } from './sampled-comparison.ts';
import { compareUpdates } from './compare-updates.ts';

/**
 * LEGACY_SHADOW in the opposite direction. A share of the reads of connected tokens that the old API answered is sent
 * to the new API too: an operator sees before a cut-over which answers would change. The comparison runs after the
 * answer went out, fails no call, publishes no id, and never concerns a call that writes.
 */

/** A longer answer is not read. In bytes. */
const LONGEST_ANSWER = 1024 * 1024;

/** The addresses as the counts name them, with the requests that one answer costs while the account is known. */
const REQUESTS = {
  '/1/profiles/:id/updates/pending.json': 1,
  '/1/profiles/:id/updates/sent.json': 1,
  '/1/updates/:id.json': 2,
  '/1/profiles/:id/schedules.json': 0,
} as const;

/** Calls about posts reuse a known account for slightly longer. A new reading of the account costs two requests. */
const ACCOUNT_KNOWN = 50 * MINUTE;
const ACCOUNT_REQUESTS = 2;

type ShadowedAddress = keyof typeof REQUESTS;

export interface PassedRead {
  address: ShadowedAddress;
  answer: PassedAnswer;
  /** The answer of the new API to the same call; undefined where there is none now. No caller gets this answer. */
  ours: () => Promise<object | 'not there' | undefined>;
}

async function requestsFor(
  context: ReadsDeps,
  { mapping }: Caller,
  address: ShadowedAddress,
): Promise<number> {
  const account = await cachedAnswer(context, mapping.grant_id);
  const isKnown = account !== undefined && context.clock.now() - account.fetched_at < ACCOUNT_KNOWN;
  return REQUESTS[address] + (isKnown ? 0 : ACCOUNT_REQUESTS);
}

function compare(address: ShadowedAddress, old: unknown, ours: object | 'not there'): Difference[] {
  if (ours === 'not there') return [{ field: 'update', difference: 'missing' }];
  if (address === '/1/updates/:id.json') return compareObjects(old, ours, 'update');
  if (address === '/1/profiles/:id/schedules.json') return compareObjects(old, ours, 'schedules');
  return compareUpdates(old, ours);
}

async function compareOnce(context: ReadsDeps, caller: Caller, read: PassedRead): Promise<void> {
  const { address, answer } = read;
  const old = jsonIn(answer, LONGEST_ANSWER);
  if (typeof old !== 'object' || old === null) return;
  const requests = await requestsFor(context, caller, address);
  const { modern_client_id: modernClientId } = caller.mapping;
  if (!(await takeForShadow(context, { modernClientId, requests }))) return;
  const ours = await read.ours().catch((error: unknown) => {
    context.logger.debug('a passed read could not be compared', { error });
    return undefined;
  });
  const counted = ours
    ? [{ field: ANY_FIELD, difference: COMPARED }, ...compare(address, old, ours)]
    : [{ field: ANY_FIELD, difference: NOT_ANSWERED }];
  const rows = counted.map((one) => ({ endpoint: address, ...one }));
  await addShadowCounts(context.store, rows, context.clock.now());
}

/** Compares an answer of the old API that went out, if the sample includes the call. Returns at once. */
export function shadowPassed(context: ReadsDeps, caller: Caller, read: PassedRead): void {
  const { settings, shutdown } = context;
  if (!settings.shadow || read.answer.status !== 200 || shutdown.signal.aborted) return;
  const kind = 'shadow of a passed read';
  compareInSample(context, { kind, compare: () => compareOnce(context, caller, read) });
}
