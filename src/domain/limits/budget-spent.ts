import { LimitReached } from './limit-reached.ts';

/** The budget of the client at the new API, or the app's share of the budget, is used up. Nothing was sent. */
export class BudgetSpent extends LimitReached {}
