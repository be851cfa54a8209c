import type { Database } from './database.ts';

/** Longer than any session lives, so a form that is older than this cannot be sent any more. */
const KEPT_SECONDS = 60 * 24 * 60 * 60;

const now = () => Math.floor(Date.now() / 1000);

export type UsedForms = ReturnType<typeof createUsedForms>;

/** Forms that created something: a page that is reloaded, or a double click, must not create it a second time. */
export function createUsedForms(db: Database) {
  const insert = db.prepare('insert or ignore into used_forms (form, used_at) values (?, ?)');
  const purge = db.prepare('delete from used_forms where used_at < ?');
  return {
    /** True for the first one alone. Call it inside the transaction that creates. */
    claim: (form: string): boolean => insert.run(form, now()).changes === 1,
    purge: () => void purge.run(now() - KEPT_SECONDS),
  };
}
