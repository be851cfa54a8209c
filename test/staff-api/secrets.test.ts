import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { OPERATIONS } from '../../src/http/staff-api/operations/operations.ts';
import type { RawAnswer } from '../support/callers/raw-request.ts';
import { keyFor, type Program, programOf } from './support/api-client.ts';
import { type ApiGround, openGround, waitingIn } from './support/ground.ts';
import { GOOD_REQUESTS } from './support/requests.ts';

/** No answer tells a secret, but the two that make one; and none is kept in the clear. */

let ground: ApiGround;
let program: Program;
let log = '';
const answers = new Map<string, RawAnswer>();
const secrets = new Map<string, string>();
const digests = new Map<string, string>();

const stream = new Writable({
  write(chunk: Buffer, _encoding, done) {
    log += chunk.toString();
    done();
  },
});

const rows = () => ground.bridge.context.store.durable;

/** What only the database may hold: digests, and values under seal. */
async function collectStored(): Promise<void> {
  const grants = await rows().selectFrom('grants').selectAll().execute();
  const mappings = await rows().selectFrom('mappings').select('token_digest').execute();
  const appSecrets = await rows().selectFrom('app_secrets').select('secret_digest').execute();
  const keys = await rows().selectFrom('api_keys').select('key_digest').execute();
  const stored = [
    ...grants.flatMap((grant) => [grant.access_token_sealed, grant.refresh_token_sealed]),
    ...mappings.map((row) => row.token_digest),
    ...appSecrets.map((row) => row.secret_digest),
    ...keys.map((row) => row.key_digest),
  ];
  for (const [place, text] of stored.entries()) if (text) digests.set(`stored ${place}`, text);
}

beforeAll(async () => {
  ground = await openGround('sqlite', { log: { level: 'debug', stream } });
  const { key } = await keyFor(ground, 'lead');
  program = programOf(ground, key);
  secrets.set('key', key).set('connected token', ground.connected.token);
  secrets.set('app secret', ground.app.clientSecret);
  for (const { id, method } of OPERATIONS) {
    const { path, body } = (await GOOD_REQUESTS[id]?.(ground)) ?? { path: '' };
    const headers = { 'idempotency-key': `for-${id}` };
    answers.set(id, await (method === 'get' ? program.get(path) : program.post(path, body, headers)));
  }
  const { token } = await waitingIn(ground);
  answers.set('search for a whole token', await program.post('/search', { text: `token=${token}` }));
  secrets.set('searched token', token);
  await collectStored();
});
afterAll(() => ground.stop());

const MAKES_SECRETS = ['addApp', 'addAppSecret'];
const FIELDS = ['client_secret', 'owner_token'];

/** The forms in which a value could stand somewhere. */
const formsOf = (value: string) => [value, encodeURIComponent(value), value.replace(/^1\//, '')];

const holding = (text: string, values: ReadonlyMap<string, string>) =>
  [...values].flatMap(([name, value]) => (formsOf(value).some((form) => text.includes(form)) ? [name] : []));

async function everyRow(): Promise<string> {
  const { store } = ground.bridge.context;
  const texts: string[] = [];
  for (const database of [store.durable, store.volatile]) {
    const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
      database,
    );
    for (const { name } of tables.rows)
      texts.push(JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(database)).rows));
  }
  return texts.join('\n');
}

test('every operation was answered', () => {
  expect([...answers].filter(([, { status }]) => status !== 200).map(([id]) => id)).toEqual([]);
  expect(answers.size).toBe(OPERATIONS.length + 1);
  expect(digests.size).toBeGreaterThan(10);
});

test('no secret stands in an answer, a log line or a row', async () => {
  for (const id of MAKES_SECRETS) {
    const made = answers.get(id)?.json as Record<string, string>;
    for (const field of FIELDS.filter((name) => name in made))
      secrets.set(`${id} ${field}`, made[field] ?? '');
  }
  expect(secrets.size).toBe(7);
  const told = [...answers].flatMap(([id, { text }]) => {
    const own = new Map([...secrets].filter(([name]) => !name.startsWith(`${id} `)));
    return holding(text, new Map([...own, ...digests])).map((name) => `${id} tells ${name}`);
  });
  expect(told).toEqual([]);
  expect(log).toContain('request');
  expect(holding(log, secrets)).toEqual([]);
  expect(holding(await everyRow(), secrets)).toEqual([]);
});
