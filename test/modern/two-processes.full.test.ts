import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../src/shared/sqlite.ts';
import {
  apiStatus,
  consent,
  exchange,
  obtainTokens,
  refresh,
  type Running,
  runModern,
  type TokenAnswer,
} from './support/modern.ts';

/**
 * A refresh token works once (RFC 9700 §4.14.2), where it is the database that decides: two processes, held at the
 * moment of writing.
 */

const MAIN = join(import.meta.dirname, '../../src/modern/main.ts');
/** Long enough for both to have read the row, shorter than they wait for a lock. */
const READING = 1200;

let modern: Running;
let base: string;
let children: ChildProcess[];
let doors: string[];

async function startProcess(child: ChildProcess): Promise<string> {
  child.send({ type: 'start', settings: modern.settings });
  const [{ url }] = await once(child, 'message');
  return url;
}

beforeAll(async () => {
  modern = await runModern();
  base = modern.server.url;
  children = [1, 2].map(() => fork(MAIN, [], { execArgv: ['--import', 'tsx'] }));
  doors = await Promise.all(children.map(startProcess));
});

afterAll(async () => {
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(exits);
  await modern.stop();
});

/** What each process answers when nobody may write until both have read. */
async function whileNobodyWrites(call: (door: string) => Promise<TokenAnswer>): Promise<TokenAnswer[]> {
  const db = new Sqlite(modern.settings.databaseFile);
  db.exec('begin immediate');
  const calls = Promise.all(doors.map(call));
  await delay(READING);
  db.exec('commit');
  db.close();
  return calls;
}

async function expectOneWinner(answers: TokenAnswer[]): Promise<void> {
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
  const won = answers.find(({ status }) => status === 200)?.body ?? {};
  expect(answers.map(({ body }) => body['error'])).toContain('invalid_grant');
  expect(await apiStatus(base, won['access_token'])).toBe(401);
  expect((await refresh(base, won['refresh_token'])).body['error']).toBe('invalid_grant');
}

test('of two processes that have both read a refresh token as good one spends it, and the grant ends', async () => {
  const { refresh_token: token } = await obtainTokens({ base });
  await expectOneWinner(await whileNobodyWrites((door) => refresh(door, token)));
});

test('of two processes that have both read a code as good one spends it, and the grant ends', async () => {
  const given = await consent({ base });
  await expectOneWinner(await whileNobodyWrites((door) => exchange(door, given)));
});
