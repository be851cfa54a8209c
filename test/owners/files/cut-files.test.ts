import { sql } from 'kysely';
import { registerLegacyApp, type RegisteredApp } from '../../support/bridge/register-app.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { MINUTE } from '../../../src/shared/lifetimes.ts';
import { browserOf, DANA, pressIn, SAM } from '../support/people.ts';

/** A file is sent while it is read: who may not have the app any more does not get the rest of it. */

/** Enough that a file takes a second. */
const TOKENS = 8_000;

const LINE = /\r?\n/;

let system: System;
let owner: CookieWalker;
let sam: CookieWalker;
let app: RegisteredApp;
const clock = new SettableClock();

beforeAll(async () => {
  clock.run();
  system = await startSystem({ clock });
  [owner, sam] = [await browserOf(system), await browserOf(system, SAM)];
  app = await registerLegacyApp(system.bridge, 'https://long.example/cb', DANA.accountId);
  const now = clock.now();
  const numbers = sql`(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${TOKENS}) select n from s)`;
  const id = sql`printf('f11e%020x', n)`;
  await sql`insert into mappings (id, token_digest, hint_first, hint_last, client_id, state, source, created_at, updated_at)
    select ${id}, 'k1.' || ${id}, 'abcd', 'wxyz', ${app.clientId}, 'unmapped', 'imported', ${sql.lit(now)}, ${sql.lit(now)} from ${numbers} as s`.execute(
    system.bridge.context.store.durable,
  );
});

afterAll(() => system.stop());

beforeEach(() => {
  // Beyond the brake of the test before.
  clock.advance(2 * MINUTE);
  clock.run();
});

const urlOf = (path: string) => `${system.bridgeUrl}/apps/${app.clientId}${path}`;

const linesOf = (read: Buffer) => read.toString().split(LINE).length;

/** Begins to take a file, and leaves the rest of it to `rest`. */
async function begin(browser: CookieWalker, path: string) {
  const url = urlOf(path);
  const answer = await fetch(url, { headers: { cookie: browser.cookieHeader(url), accept: 'text/html' } });
  const reader = answer.body?.getReader();
  if (!reader) throw new Error('there is no file');
  let read = Buffer.from((await reader.read()).value ?? []);
  return {
    status: answer.status,
    /** How many lines came in all, and whether the file came to its end. */
    async rest(): Promise<{ lines: number; isWhole: boolean }> {
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return { lines: linesOf(read), isWhole: true };
          read = Buffer.concat([read, value]);
        }
      } catch {
        return { lines: linesOf(read), isWhole: false };
      }
    },
    leave: () => reader.cancel(),
  };
}

/** As the owner gave it, and Sam proved the address. */
async function shareWithSam(): Promise<void> {
  const { durable } = system.bridge.context.store;
  const given = { access: 'read', access_email: SAM.login, account_id: SAM.accountId } as const;
  await durable
    .insertInto('app_contacts')
    .values({ client_id: app.clientId, address: SAM.login, ...given })
    .execute();
}

test.each(['/tokens.csv', '/tokens.json'])(
  'the rest of %s is not sent to whom the app was taken away from',
  async (path) => {
    await shareWithSam();
    const file = await begin(sam, path);
    expect(file.status).toBe(200);
    const contacts = await owner.get(urlOf('/contacts'));
    await owner.follow(await pressIn(owner, contacts, /^Remove/, { address: SAM.login }));
    const { lines, isWhole } = await file.rest();
    expect(isWhole).toBe(false);
    expect(lines).toBeLessThan(TOKENS / 2);
  },
);

test('the owner gets it whole meanwhile', async () => {
  const mine = await begin(owner, '/tokens.csv');
  const { lines, isWhole } = await mine.rest();
  expect([isWhole, lines > TOKENS]).toEqual([true, true]);
});

test('nor to whom is signed out meanwhile', async () => {
  const other = await browserOf(system);
  const file = await begin(other, '/tokens.csv');
  await pressIn(other, await other.get(`${system.bridgeUrl}/apps/account`), /^Sign out$/);
  const { lines, isWhole } = await file.rest();
  expect([isWhole, lines < TOKENS / 2]).toEqual([false, true]);
});

test('three files of a person are sent at a time, and a file that is left gives its place back', async () => {
  const files = [];
  for (let n = 0; n < 3; n++) files.push(await begin(owner, '/tokens.csv'));
  expect(files.map(({ status }) => status)).toEqual([200, 200, 200]);
  const fourth = await owner.get(urlOf('/tokens.csv'));
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, '10']);
  expect((await sam.get(urlOf('/tokens.csv'))).status).toBe(200);
  await Promise.all(files.map((file) => file.leave()));
  let status = 429;
  for (let tries = 0; tries < 5 && status !== 200; tries++)
    ({ status } = await owner.get(urlOf('/calls.csv')));
  expect(status).toBe(200);
});
