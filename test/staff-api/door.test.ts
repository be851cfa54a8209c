import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { endApiKey } from '../../src/domain/api-keys/api-key-list.ts';
import { addStaff, removeStaff } from '../../src/domain/accounts/staff.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY } from '../../src/shared/lifetimes.ts';
import { type Door, openDoor } from '../endpoints/support/door.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { ask, keyFor, problemIn, programOf } from './support/api-client.ts';

/** Who may call the staff API, and what every request meets before. */

const OWN: readonly [string, string] = ['GET', '/key'];
const command = { actor: 'command:test', requestId: null };

/** Begins work while nobody can read the keys, for half a second. */
function whileKeysAreLocked<T>({ bridge }: Door, work: () => Promise<T>): Promise<T> {
  const { durable } = bridge.context.store;
  const begun = durable.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    const working = work();
    await delay(500);
    return { working };
  });
  return begun.then(({ working }) => working);
}

describe.each(databaseKinds)('on %s', (kind) => {
  let door: Door;
  let database: TestDatabase | undefined;
  const clock = new SettableClock();

  beforeAll(async () => {
    database = kind === 'postgres' ? await freshDatabase() : undefined;
    door = await openDoor({ clock, ...(database && { env: { DATABASE_URL: database.url } }) });
  });
  afterAll(async () => {
    await door.stop();
    await database?.drop();
  });
  afterEach(() => door.bridge.context.counts.forgetEnded());

  test('a key is known by its digest, and told what it may do', async () => {
    const made = await keyFor(door, 'agent');
    const answer = await ask(door, OWN, { key: made.key });
    expect(answer).toMatchObject({ status: 200, json: { key_id: made.id, name: 'a agent', role: 'agent' } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
    const rows = await door.bridge.context.store.durable.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(made.key);
    expect(made.key).toMatch(/^gbk_[\w-]{43}$/);
  });

  test('without a key, with another text and with an unknown key a request is refused', async () => {
    const unknown = `gbk_${'a'.repeat(43)}`;
    expect(problemIn(await ask(door, OWN))).toBe('401 no-key');
    expect(problemIn(await ask(door, OWN, { key: 'gbk_short' }))).toBe('401 wrong-key');
    const answer = await ask(door, OWN, { key: unknown });
    expect(problemIn(answer)).toBe('401 wrong-key');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="grantbridge", error="invalid_token"');
    expect(answer.text).not.toContain('gbk_');
  });

  test('a key in the address or in a cookie is no key', async () => {
    const { key } = await keyFor(door, 'lead');
    expect(problemIn(await ask(door, ['GET', `/key?access_token=${key}`]))).toBe('401 no-key');
    expect(problemIn(await ask(door, OWN, { headers: { cookie: `key=${key}` } }))).toBe('401 no-key');
  });

  test('a key ends by its date, and by the command at its next request', async () => {
    const [one, two] = [await keyFor(door, 'reader', { days: 1 }), await keyFor(door, 'reader')];
    expect(await endApiKey(door.bridge.context, { id: two.id, ...command })).toBe(true);
    expect(await endApiKey(door.bridge.context, { id: two.id, ...command })).toBe(false);
    expect(problemIn(await ask(door, OWN, { key: two.key }))).toBe('401 wrong-key');
    expect(await ask(door, OWN, { key: one.key })).toMatchObject({ status: 200 });
    clock.advance(DAY);
    expect(problemIn(await ask(door, OWN, { key: one.key }))).toBe('401 wrong-key');
  });

  test('a key of a person does no more than the person may do now', async () => {
    const { context } = door.bridge;
    const accountId = newHexId();
    await addStaff(context, { account: accountId, role: 'lead', ...command });
    const { key } = await keyFor(door, 'agent', { accountId });
    const role = async () => (await ask(door, OWN, { key })).json;
    expect(await role()).toMatchObject({ role: 'agent' });
    await addStaff(context, { account: accountId, role: 'reader', ...command });
    expect(await role()).toMatchObject({ role: 'reader' });
    await removeStaff(context, { account: accountId, ...command });
    expect(problemIn(await ask(door, OWN, { key }))).toBe('401 wrong-key');
  });

  test('keys are made and ended in the history, without their text', async () => {
    const made = await keyFor(door, 'lead');
    await endApiKey(door.bridge.context, { id: made.id, ...command });
    const entries = await door.bridge.context.store.durable
      .selectFrom('events')
      .select(['action', 'actor', 'reason'])
      .where('reason', 'like', `${made.id}%`)
      .orderBy('id')
      .execute();
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ['api_key_made', 'command:test'],
      ['api_key_ended', 'command:test'],
    ]);
    expect(JSON.stringify(entries)).not.toContain('gbk_');
  });

  // SQLite reads in the process itself, so there no look-up is under way beside another one.
  if (kind === 'postgres')
    test('a right key may be sent in many requests at once, also where the database is slow', async () => {
      const { key } = await keyFor(door, 'reader');
      const many = () => Promise.all(Array.from({ length: 60 }, () => ask(door, OWN, { key })));
      const answers = await whileKeysAreLocked(door, many);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    });

  test('after thirty wrong keys of a network more of them wait, and a right key still passes', async () => {
    const { key } = await keyFor(door, 'reader');
    const wrong = () => ask(door, OWN, { key: `gbk_${newHexId()}${'a'.repeat(19)}` });
    for (let sent = 0; sent < 30; sent += 1) expect(problemIn(await wrong())).toBe('401 wrong-key');
    const began = performance.now();
    const many = await Promise.all(Array.from({ length: 4 }, wrong));
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(many.map(({ status }) => status).every((status) => status === 401 || status === 429)).toBe(true);
    expect(await ask(door, OWN, { key })).toMatchObject({ status: 200 });
  });

  test('one key may ask so often in a minute', async () => {
    const { key, id } = await keyFor(door, 'reader');
    for (let sent = 0; sent < 600; sent += 1) door.bridge.context.counts.count(['api requests', id]);
    const answer = await ask(door, OWN, { key });
    expect(problemIn(answer)).toBe('429 too-many-requests');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('addresses and methods that are not served are told so, and each problem has its address', async () => {
    const program = programOf(door, (await keyFor(door, 'reader')).key);
    expect(problemIn(await program.get('/nothing'))).toBe('404 no-such-address');
    const answer = await ask(door, ['DELETE', '/key']);
    expect([problemIn(answer), answer.headers['allow']]).toEqual(['405 method-not-allowed', 'GET']);
    expect(await ask(door, ['GET', '/problems/wrong-key'])).toMatchObject({
      status: 200,
      json: { status: 401 },
    });
    expect(problemIn(await ask(door, ['GET', '/problems/of-my-own']))).toBe('404 no-such-address');
  });
});

const over = (proto: string) => ({ 'x-forwarded-proto': proto, 'x-forwarded-for': '203.0.113.9' });

test('over plain HTTP a request is refused unread, and is not led on', async () => {
  const door = await openDoor({ env: { TRUST_PROXY: 'loopback', PUBLIC_URL: 'https://bridge.example' } });
  try {
    const { key } = await keyFor(door, 'reader');
    const plain = await ask(door, OWN, { key, headers: over('http') });
    expect(problemIn(plain)).toBe('403 https-only');
    expect(plain.headers).toMatchObject({ connection: 'close' });
    expect(plain.headers['location']).toBeUndefined();
    expect(await ask(door, OWN, { key, headers: over('https') })).toMatchObject({ status: 200 });
  } finally {
    await door.stop();
  }
});
