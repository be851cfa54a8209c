import { Sqlite } from '../../../src/shared/sqlite.ts';
import type { Running } from './modern.ts';

/** While it runs, every write to `table` fails inside the database. */
export async function whileBroken(
  { settings }: Running,
  table: string,
  work: () => Promise<void>,
): Promise<void> {
  const db = new Sqlite(settings.databaseFile);
  const events = ['insert', 'update', 'delete'];
  const fail = (event: string) =>
    `create trigger broken_${event} before ${event} on ${table} begin select raise(abort, 'broken'); end`;
  for (const event of events) db.exec(fail(event));
  try {
    await work();
  } finally {
    for (const event of events) db.exec(`drop trigger broken_${event}`);
    db.close();
  }
}

/** While it runs, the organization may hold nothing more of anything. */
export async function whileFull(
  { settings }: Running,
  organizationId: string,
  work: () => Promise<void>,
): Promise<void> {
  const db = new Sqlite(settings.databaseFile);
  const [before] = db
    .prepare<[string], string>('select document from organizations where id = ?')
    .pluck()
    .all(organizationId);
  const set = db.prepare('update organizations set document = ? where id = ?');
  const full = JSON.parse(before ?? '{}');
  full.limits = { ...full.limits, scheduledPosts: 0, ideas: 0 };
  set.run(JSON.stringify(full), organizationId);
  try {
    await work();
  } finally {
    set.run(before, organizationId);
    db.close();
  }
}
