import { Unavailable } from '../../upstream/outcomes.ts';

/** The budget of the client at the new API, or the app's share of the budget, is used up. Nothing was sent. */
export class BudgetSpent extends Unavailable {
  constructor(why: string, retryAfter: number) {
    super(why, { retryAfter, isOfClient: true });
  }
}
