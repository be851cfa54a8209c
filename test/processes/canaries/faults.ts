import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Answer } from '../../support/servers/forward.ts';
import { openStoreBreaker } from '../../support/database/store-breaker.ts';
import { authorizeApp, type Connected, readOnce } from './flows.ts';
import type { Stage } from './stage.ts';

/** Upstream answers and databases that go wrong, with the secrets of the call in what they say. */

interface Secrets {
  body: Buffer;
  said: string;
}

const page = (text: string) => `<!doctype html><title>Oops</title><p>${text}</p>`;

/** What a broken server or proxy makes of a good answer; what it was told stands in it again. */
const BROKEN_ANSWERS: Readonly<Record<string, (secrets: Secrets) => Partial<Answer> | undefined>> = {
  'a 500 with the tokens': ({ body, said }) => ({
    status: 500,
    body: Buffer.concat([body, Buffer.from(said)]),
  }),
  'a page': ({ body, said }) => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(page(`${body.toString()} ${said}`)),
  }),
  garbage: ({ body, said }) => ({
    status: 200,
    body: Buffer.from(`${said}{"x":${body.toString().slice(1)}`),
  }),
  'a refusal that quotes': ({ said }) => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ error: 'invalid_request', error_description: `wrong: ${said}` })),
  }),
  'an error that is a token': ({ said }) => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ error: said })),
  }),
  'a redirect that quotes': ({ said }) => ({
    status: 307,
    headers: { location: `http://127.0.0.1:9/?refresh_token=${said}` },
    body: Buffer.from(said),
  }),
  'a wait that is a token': ({ said }) => ({
    status: 503,
    headers: { 'retry-after': said },
    body: Buffer.from(said),
  }),
  'a cut': () => undefined,
};

export const FAULTS = Object.keys(BROKEN_ANSWERS);

function broken(fault: string, answer: Answer, said: string): Answer {
  const changed = BROKEN_ANSWERS[fault]?.({ body: answer.body, said });
  if (!changed) throw new Error('the proxy cuts the connection');
  return { ...answer, headers: {}, ...changed };
}

/** While `work` runs, the token endpoint, or everything else there, answers as the fault says. */
async function during(stage: Stage, fault: string, work: () => Promise<unknown>): Promise<void> {
  const { proxy, collection } = stage;
  proxy.onTokenAnswer = (call, answer) => broken(fault, answer, call.refreshToken ?? call.code ?? '');
  proxy.onOtherAnswer = (call, answer) =>
    call.path === '/' ? broken(fault, answer, collection.some('access token')) : answer;
  try {
    await work();
  } finally {
    proxy.onTokenAnswer = undefined;
    proxy.onOtherAnswer = undefined;
  }
}

/** A refresh, a read and a consent that meet the fault. */
export async function meetFault(stage: Stage, connected: Connected, fault: string): Promise<void> {
  await during(stage, fault, async () => {
    await readOnce(stage, connected);
    await authorizeApp(stage, connected.app);
  });
}

/** A database whose tables are gone or refuse to be written, while secrets come by. */
export async function breakDatabase(stage: Stage, { app, token }: Connected): Promise<void> {
  const breaker = await openStoreBreaker(stage.database);
  const walk = async () => void (await authorizeApp(stage, app).catch(() => undefined));
  const read = async () => void (await readOnce(stage, { app, token, code: '' }));
  await breaker.whileMissing('mappings', read);
  await breaker.whileFailing('insert on authorization_requests', walk);
  await breaker.whileFailing('update on authorization_requests', walk);
  await breaker.whileFailing('insert on legacy_codes', walk);
  await breaker.close();
}

/** Nobody may connect to the database for a while, and who was connected is cut off. */
export async function loseDatabase(stage: Stage, work: () => Promise<unknown>): Promise<void> {
  if (stage.database.kind !== 'postgres') return;
  const name = new URL(stage.database.url).pathname.slice(1);
  const elsewhere = new URL(stage.database.url);
  elsewhere.pathname = '/postgres';
  const client = new pg.Client({ connectionString: elsewhere.href });
  await client.connect();
  await client.query(`alter database ${name} with allow_connections false`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  try {
    await work();
  } finally {
    await client.query(`alter database ${name} with allow_connections true`);
    await client.end();
    await delay(100);
  }
}
