import { Refusal } from '../../../shared/refusals/refusal.ts';
import { isStorageFault } from '../../../store/driver/storage-fault.ts';
import { Unavailable } from '../../../upstream/outcomes.ts';
import { GrantDead } from '../../grants/refresh/access-token.ts';
import type { PostsDeps } from '../deps.ts';
import { TokenRefused } from '../../tokens/resolve-token.ts';
import { CONNECTION_ENDED } from '../../tokens/standing/for-caller.ts';
import { alarmOf, isKeyFault } from '../../keys/retry-after-key-rotation.ts';
import { waitWords } from '../../translation/wait-words.ts';
import { LimitReached } from '../../limits/limit-reached.ts';
import { ScopeMissing } from '../scope-missing.ts';
import type { Writer } from './writes.ts';

const AGAIN_LATER = 'the service is not available. Try this profile again later.';

const FAULT_OF_THE_BRIDGE =
  'something went wrong on this side before anything was sent. Try this profile again later.';

/** Errors that callers or external services cause. Every other error is a fault of the bridge or of its database. */
const isExpected = (error: unknown) => error instanceof Refusal || error instanceof Unavailable;

function budgetWords({ retryAfter }: LimitReached): string {
  return `the new API takes no more requests of this app for now. Try this profile again in ${waitWords(retryAfter / 1000)}.`;
}

/** The advice for an error that callers or external services cause; undefined for other errors. */
function whyExpected(error: unknown): string | undefined {
  if (error instanceof LimitReached) return budgetWords(error);
  if (error instanceof ScopeMissing) return `${error.reauthorize.reason} ${error.reauthorize.link}`;
  if (error instanceof TokenRefused) return error.reauthorize?.reason ?? CONNECTION_ENDED;
  return error instanceof GrantDead ? CONNECTION_ENDED : undefined;
}

/** Why nothing was sent for a profile, with advice. */
export function whyNotSent(error: unknown): string {
  const isPassing = error instanceof Unavailable || isStorageFault(error) || isKeyFault(error);
  return whyExpected(error) ?? (isPassing ? AGAIN_LATER : FAULT_OF_THE_BRIDGE);
}

/** Logs unexpected errors: the answer only lists the failed profiles, and no other place logs the reason. */
export function logUnexpected(context: PostsDeps, { requestId }: Writer, errors: readonly unknown[]): void {
  const unexpected = errors.filter((error) => !isExpected(error));
  const [error] = unexpected;
  if (unexpected.length === 0) return;
  const fields = { requestId, profiles: unexpected.length, error };
  context.logger.error(`${alarmOf(error)}a legacy call failed for some of its profiles`, fields);
}
