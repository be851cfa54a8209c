import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { connectApp } from '../../endpoints/support/connected.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';
import { type RawAnswer, rawForm, sendRaw } from '../../support/callers/raw-request.ts';
import { CHANNELS } from '../support/posts.ts';

/** A fault of the bridge at one profile of a create: the other profiles are posted to, and the log says why. */

const log = new PassThrough();
let logged = '';
let door: Door;
let authorization: string;

beforeAll(async () => {
  log.on('data', (chunk: Buffer) => (logged += chunk.toString()));
  door = await openDoor({ log: { level: 'warn', stream: log } });
  const { token } = await connectApp(door, await door.addApp());
  authorization = `Bearer ${token}`;
  const { durable } = door.bridge.context.store;
  await sql`create trigger broken before insert on post_writes
    when new.channel_id = ${sql.lit(CHANNELS.threads)} begin select raise(abort, 'broken'); end`.execute(
    durable,
  );
});

afterAll(() => door.stop());

async function create(...ids: string[]): Promise<RawAnswer> {
  const pairs: Array<[string, string]> = [
    ...ids.map((id): [string, string] => ['profile_ids[]', id]),
    ['text', 'Hello'],
  ];
  const form = rawForm(new URLSearchParams(pairs).toString(), { authorization });
  return sendRaw(door.bridgeUrl, { method: 'POST', path: '/1/updates/create.json', ...form });
}

const failures = () =>
  logged
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ message }) => String(message).includes('a legacy call failed'));

test('of two profiles one that fails is told beside the other, and logged once with the id of the request', async () => {
  const { status, json } = await create(CHANNELS.threads, CHANNELS.twitter);
  expect(status).toBe(200);
  const { message, updates } = json as { message: string; updates: unknown[] };
  expect(updates).toHaveLength(1);
  expect(message).toMatch(/Nothing was posted to .*\(threads\): /);
  await door.bridge.untilLogged();
  expect(failures()).toMatchObject([{ level: 'error', requestId: expect.any(String), profiles: 1 }]);
});

test('one that fails alone is logged once', async () => {
  const before = failures().length;
  expect((await create(CHANNELS.threads)).status).toBe(503);
  await door.bridge.untilLogged();
  expect(failures()).toHaveLength(before + 1);
});
