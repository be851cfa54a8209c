import { USED_FORM_SECONDS } from '../lifetimes.ts';
import type { Database } from './database.ts';

const now = () => Math.floor(Date.now() / 1000);

export type UsedForms = ReturnType<typeof createUsedForms>;

/** Forms that already created something: a reload or a double click must not create a second key, client or secret. */
export function createUsedForms(db: Database) {
  const insert = db.prepare('insert or ignore into used_forms (form, used_at) values (?, ?)');
  const forget = db.prepare('delete from used_forms where form = ?');
  const purge = db.prepare('delete from used_forms where used_at < ?');
  return {
    /**
     * Runs `create` only for the first request of this form. Later requests get `used`. When `create` refuses by
     * returning a string, the form is forgotten and can be sent again. Call `once` inside a transaction.
     */
    once<const T>(form: string, create: () => T): T | 'used' {
      if (insert.run(form, now()).changes === 0) return 'used';
      const outcome = create();
      if (typeof outcome === 'string') forget.run(form);
      return outcome;
    },
    purge: () => void purge.run(now() - USED_FORM_SECONDS),
  };
}
