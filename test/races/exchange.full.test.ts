import type { RawAnswer } from '../support/callers/raw-request.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { tokenOf } from '../support/callers/legacy-calls.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Bridges, startBridges } from './bridges.ts';
import { exchangeAt, freshCode, nth, readAt } from './calls.ts';

/** One code that many exchanges ask for at once, from several processes on one database. */

const ROUNDS = 50;

const errorsOf = (answers: readonly RawAnswer[]) =>
  answers.map(({ status, json }) => `${status} ${(json as { error: string }).error}`);

describe.each(modeDatabases)('on %s', (database) => {
  let bridges: Bridges;
  beforeAll(async () => {
    bridges = await startBridges({ count: 4, database });
  });
  afterAll(() => bridges.stop());

  const issued = async () => {
    const { durable } = bridges.context.store;
    const events = await durable
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'token_issued')
      .execute();
    return events.length;
  };

  const exchangesOf = (code: string, count: number, processes: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        exchangeAt(nth(bridges, index % processes), bridges.app, code),
      ),
    );

  test('of 64 exchanges from four processes one gets the token, and the history says so once', async () => {
    const code = await freshCode(bridges);
    const before = await issued();
    const answers = await exchangesOf(code, 64, 4);
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    const losers = errorsOf(answers.filter(({ status }) => status !== 200));
    expect(losers).toEqual(Array.from({ length: 63 }, () => '400 invalid_grant'));
    expect((await issued()) - before).toBe(1);
    if (!winner) throw new Error('no exchange won');
    const token = tokenOf(winner);
    for (const each of bridges.processes) expect((await readAt(each, token)).status).toBe(200);
  });

  test(`in ${ROUNDS} rounds of two exchanges from two processes never both win and never none`, async () => {
    const browser = new CookieWalker();
    const before = await issued();
    for (let round = 0; round < ROUNDS; round += 1) {
      const code = await freshCode(bridges, { browser });
      const statuses = (await exchangesOf(code, 2, 2)).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 400]);
    }
    expect((await issued()) - before).toBe(ROUNDS);
  });
});
