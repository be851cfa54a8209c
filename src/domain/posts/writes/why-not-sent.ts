import { GrantDead } from '../../access-token.ts';
import { TokenRefused } from '../../resolve-token.ts';
import { BudgetSpent } from '../budget-spent.ts';
import { ScopeMissing } from '../scope-missing.ts';

const CONNECTION_ENDED =
  'the connection behind this token has ended. Its owner has to authorize the app again.';

const AGAIN_LATER = 'the service is not available. Try this profile again later.';

/** Why nothing was sent for a profile, in words that say what helps. */
export function whyNotSent(error: unknown): string {
  if (error instanceof BudgetSpent) {
    const seconds = Math.max(1, Math.ceil((error.retryAfter ?? 1000) / 1000));
    return `the new API takes no more requests for now. Wait ${seconds} seconds and try this profile again.`;
  }
  if (error instanceof ScopeMissing) return `${error.reauthorize.reason} ${error.reauthorize.link}`;
  if (error instanceof TokenRefused) return error.reauthorize?.reason ?? CONNECTION_ENDED;
  return error instanceof GrantDead ? CONNECTION_ENDED : AGAIN_LATER;
}
