import { USED_FORM_SECONDS } from '../lifetimes.ts';
import type { Database } from './database.ts';

const now = () => Math.floor(Date.now() / 1000);

export type UsedForms = ReturnType<typeof createUsedForms>;

/** Forms that created something: a page that is reloaded, or a double click, must not create it a second time. */
export function createUsedForms(db: Database) {
  const insert = db.prepare('insert or ignore into used_forms (form, used_at) values (?, ?)');
  const forget = db.prepare('delete from used_forms where form = ?');
  const purge = db.prepare('delete from used_forms where used_at < ?');
  return {
    /**
     * Runs `create` for the first request of this form alone; the others get `used`. Where `create` refuses, with a
     * string, the form can be sent again and takes no room. Call it inside a transaction.
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
