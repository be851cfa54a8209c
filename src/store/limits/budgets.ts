import type { Store } from '../driver/store.ts';
import type { Budget } from '../tables/tables.ts';

/** What any process was last told of a modern client's budget. */
export async function findBudget(store: Store, modernClientId: string): Promise<Budget | undefined> {
  return store.volatile
    .selectFrom('budgets')
    .selectAll()
    .where('modern_client_id', '=', modernClientId)
    .executeTakeFirst();
}

/** Keeps it in place of what was known before. */
export async function storeBudget(store: Store, budget: Budget): Promise<void> {
  await store.volatile
    .insertInto('budgets')
    .values(budget)
    .onConflict((conflict) => conflict.column('modern_client_id').doUpdateSet(budget))
    .execute();
}

/** For a modern side that has begun anew and counts from nothing. */
export async function forgetBudget(store: Store, modernClientId: string): Promise<void> {
  await store.volatile.deleteFrom('budgets').where('modern_client_id', '=', modernClientId).execute();
}
