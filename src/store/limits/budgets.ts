import type { Store } from '../driver/store.ts';
import type { Budget } from '../tables/tables.ts';

/** The last report about the budget of a client of the new API, to any process. */
export async function findBudget(store: Store, modernClientId: string): Promise<Budget | undefined> {
  return store.volatile
    .selectFrom('budgets')
    .selectAll()
    .where('modern_client_id', '=', modernClientId)
    .executeTakeFirst();
}

/** Keeps a budget, replacing the earlier one. */
export async function storeBudget(store: Store, budget: Budget): Promise<void> {
  await store.volatile
    .insertInto('budgets')
    .values(budget)
    .onConflict((conflict) => conflict.column('modern_client_id').doUpdateSet(budget))
    .execute();
}

/** For a new API that was started anew and counts from zero. */
export async function forgetBudget(store: Store, modernClientId: string): Promise<void> {
  await store.volatile.deleteFrom('budgets').where('modern_client_id', '=', modernClientId).execute();
}
