import { Sqlite } from '../../../src/shared/sqlite.ts';
import { demoPeople } from '../../../src/modern/demo/people.ts';

/**
 * The same passwords as the demo people's, hashed with a thirty-second of the work. Most tests sign in on their way to
 * something else, hundreds of times in all, and each time cost a tenth of a second of the processor.
 */
const QUICK_HASHES: Readonly<Record<string, string>> = {
  'grantbridge-demo': 'scrypt$10$8$1$cA7TjL401PQZtCjHxiAqCg$j3HS_mhZA2ZJqAee990mKX2YBqnuzw-mKAB3ZaDgiug',
  'grantbridge-second': 'scrypt$10$8$1$JXatmsEB1sOhrorNHki2HQ$5lkUEviO8zIiEoRX0j_Mro9xcyiEiT3FUKN09hr_gBU',
};

/** Gives the demo people of a running modern side hashes that are checked quickly; changed passwords stay. */
export function hashQuickly(databaseFile: string): void {
  const db = new Sqlite(databaseFile);
  const set = db.prepare('update accounts set password_hash = ? where password_hash = ?');
  for (const { password, passwordHash } of demoPeople) set.run(QUICK_HASHES[password], passwordHash);
  db.close();
}
