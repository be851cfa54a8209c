import { Unavailable } from '../../upstream/outcomes.ts';

/** Nothing is left of what the new API allows the client; nothing was sent. */
export class BudgetSpent extends Unavailable {
  constructor(retryAfter: number) {
    super('the main API asked to wait', { retryAfter, isOfClient: true });
  }
}
