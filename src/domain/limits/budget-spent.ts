import { Unavailable } from '../../upstream/outcomes.ts';

/** Nothing is left of what the new API allows the client, or of an app's share of it; nothing was sent. */
export class BudgetSpent extends Unavailable {
  constructor(why: string, retryAfter: number) {
    super(why, { retryAfter, isOfClient: true });
  }
}
