import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { buildProgram } from '../running-program.ts';
import { run, runJson } from './operator-command.ts';

/** `webhooks`, as processes of their own: what they do, print and end with. */

const folder = mkdtempSync(join(tmpdir(), 'webhooks-command-'));
const settings = {
  VAR_DIR: folder,
  MODERN_AUTH_URL: 'http://127.0.0.1:9',
  MODERN_API_URL: 'http://127.0.0.1:9',
  MODERN_CLIENT_ID: 'bridge',
  WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32',
};
const URL_HERE = 'https://127.0.0.1:9/hooks';

beforeAll(async () => {
  await buildProgram();
  await run(settings, 'migrate');
});
afterAll(() => rmSync(folder, { recursive: true }));

const webhooks = (...args: string[]) => run(settings, 'webhooks', ...args);
const json = async (...args: string[]) =>
  (await runJson(settings, 'webhooks', ...args)).json as Record<string, string>;

const actions = () => {
  const db = new Sqlite(join(folder, 'bridge.db'), { fileMustExist: true });
  try {
    return db.prepare("select action from events where action like 'webhook_%' order by id").pluck().all();
  } finally {
    db.close();
  }
};

test('a webhook of the operator is added, tested, changed and removed', async () => {
  const added = await json('add', URL_HERE, '--event', 'token.leaked', 'date.moved');
  expect(added['secret']).toMatch(/^whsec_/);
  const id = added['webhook_id'] ?? '';
  const { webhooks: listed } = (await json('list')) as unknown as { webhooks: unknown[] };
  expect(listed).toEqual([
    { webhook_id: id, url: URL_HERE, events: ['date.moved', 'token.leaked'], failures: 0 },
  ]);
  await json('test', id);
  expect(await json('show', id)).toMatchObject({ messages: [{ event: 'test', state: 'due', attempts: 0 }] });
  expect((await json('change-secret', id))['secret']).not.toBe(added['secret']);
  await json('remove', id);
  expect(await json('list')).toEqual({ webhooks: [] });
  expect(actions()).toEqual(['webhook_added', 'webhook_secret_changed', 'webhook_removed']);
});

test.each([
  [['add', 'http://127.0.0.1/'], 'the address must begin with https://'],
  [['add', 'https://10.0.0.1/'], 'the address does not lead to a server on the public internet'],
  [['remove', 'nothing'], 'no webhook of the operator has the id nothing'],
  [['show', 'nothing'], 'no webhook of the operator has the id nothing'],
  [['test', 'nothing'], 'no webhook of the operator has the id nothing'],
  [['change-secret', 'nothing'], 'no webhook of the operator has the id nothing'],
  [['send-again', 'nothing', 'nothing'], 'no such message that was given up'],
])('%j ends with 1 and a reason', async (args, reason) => {
  const { code, complaints } = await webhooks(...args);
  expect([code, complaints]).toEqual([1, expect.stringContaining(reason)]);
});
