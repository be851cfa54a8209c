import type { Store } from './store.ts';

/** The modern side's last answer for a grant, as JSON text, and when it came. */
export interface StoredAnswer {
  body: string;
  organization_ids: string;
  fetched_at: number;
}

/** The last answer for a grant. */
export async function findAnswer(store: Store, grantId: string): Promise<StoredAnswer | undefined> {
  return store.volatile
    .selectFrom('answers')
    .select(['body', 'organization_ids', 'fetched_at'])
    .where('grant_id', '=', grantId)
    .executeTakeFirst();
}

/** Keeps an answer in place of the one before. */
export async function storeAnswer(store: Store, grantId: string, answer: StoredAnswer): Promise<void> {
  await store.volatile
    .insertInto('answers')
    .values({ grant_id: grantId, ...answer })
    .onConflict((conflict) => conflict.column('grant_id').doUpdateSet(answer))
    .execute();
}

/** Forgets a grant's answer. */
export async function dropAnswer(store: Store, grantId: string): Promise<void> {
  await store.volatile.deleteFrom('answers').where('grant_id', '=', grantId).execute();
}

/** Forgets answers older than the given time. */
export async function dropAnswersBefore(store: Store, time: number): Promise<void> {
  await store.volatile.deleteFrom('answers').where('fetched_at', '<', time).execute();
}
