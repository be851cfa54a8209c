import { DEMO, SECOND } from './support/modern.ts';
import { rows, withModern } from './support/running-modern.ts';

const HOUR = 60 * 60 * 1000;

/** What goes on by the real clock; the rest, `setInterval`, is what runs regularly. */
const EVERYTHING_ELSE: FakeableAPI[] = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
];

beforeAll(() => void jest.useFakeTimers({ doNotFake: EVERYTHING_ELSE }));
afterAll(() => void jest.useRealTimers());
withModern();

const left = () =>
  rows((db) => [
    ...db.prepare("select id_digest from oidc_records where kind = 'Test'").pluck().all(),
    ...db.prepare('select form from used_forms').pluck().all(),
    ...db.prepare('select email from email_changes order by email').pluck().all(),
  ]);

test('a server that runs for long forgets expired records, old forms and links to new addresses within an hour', () => {
  rows((db) => {
    const record = db.prepare(
      `insert into oidc_records (kind, id_digest, payload, created_at, expires_at)
       values ('Test', ?, '{}', 0, unixepoch() + ?)`,
    );
    record.run('expired', -1);
    record.run('alive', 1000);
    const form = db.prepare('insert into used_forms (form, used_at) values (?, unixepoch() - ?)');
    form.run('old', 57 * 24 * 60 * 60);
    form.run('new', 60);
    const change = db.prepare(
      `insert into email_changes (account_id, token_digest, email, expires_at)
       select id, ?, ?, unixepoch() + ? from accounts where email = ?`,
    );
    change.run('one', 'late@example.com', -1, DEMO.email);
    change.run('two', 'in-time@example.com', 1000, SECOND.email);
  });
  jest.advanceTimersByTime(HOUR - 1);
  expect(left()).toEqual(['alive', 'expired', 'new', 'old', 'in-time@example.com', 'late@example.com']);
  jest.advanceTimersByTime(1);
  expect(left()).toEqual(['alive', 'new', 'in-time@example.com']);
});

const count = () =>
  rows((db) => db.prepare("select count(*) from oidc_records where kind = 'Old'").pluck().get());

test('thousands of expired records are removed in pieces, and the server answers in between', async () => {
  rows((db) => {
    const record = db.prepare(
      `insert into oidc_records (kind, id_digest, payload, created_at, expires_at) values ('Old', ?, '{}', 0, 1)`,
    );
    db.transaction(() => {
      for (let index = 0; index < 2500; index += 1) record.run(String(index));
    })();
  });
  jest.advanceTimersByTime(HOUR);
  expect(count()).toBe(1500);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(count()).toBe(500);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(count()).toBe(0);
});
