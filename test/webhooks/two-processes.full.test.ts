import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { addWebhook } from '../../src/domain/webhooks/change-webhooks.ts';
import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { type Bridges, startBridges } from '../races/bridges.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';
import { certificateFor } from '../support/servers/certificates.ts';
import { type Receiver, startReceiver, withStatus } from './support/receiver.ts';

/** Two processes on one database make and send the same messages. */

const MESSAGES = 60;
const APPS = 6;

/** The claim of a process that was killed ends after a minute. */
const LONG = 100_000;
const BY = { actor: 'account:test', requestId: null };

const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
const authorityFile = join(folder, 'authority.pem');

afterAll(() => rmSync(folder, { recursive: true }));

describe.each(databaseKinds)('two processes, on %s', (database) => {
  let receiver: Receiver;
  let bridges: Bridges;

  beforeAll(async () => {
    const certified = certificateFor(['127.0.0.1']);
    writeFileSync(authorityFile, (await certified).authority);
    receiver = await startReceiver({ certified });
    const env = { WEBHOOK_ALLOW_NETWORKS: '127.0.0.1/32', NODE_EXTRA_CA_CERTS: authorityFile };
    bridges = await startBridges({ count: 2, database, env });
  });
  afterAll(async () => {
    await bridges.stop();
    await receiver.close();
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer = withStatus(204);
  });

  async function add(clientId: string, path: string): Promise<string> {
    const id = newHexId();
    const url = `https://127.0.0.1:${receiver.port}${path}`;
    const asked = { id, owner: { kind: 'app' as const, clientId }, url, events: ['token.stopped'] };
    const added = await addWebhook(bridges.context, { ...asked, ...BY });
    if (typeof added === 'string') throw new Error(added);
    return id;
  }

  const left = async (states: string[]) => {
    const rows = await bridges.context.store.durable
      .selectFrom('webhook_deliveries')
      .select(['id', 'state', 'attempts', 'failure'])
      .execute();
    return rows.filter(({ state }) => states.includes(state));
  };

  test('each change is told once, and each message is sent once', async () => {
    const apps = await Promise.all(Array.from({ length: APPS }, () => bridges.registerApp()));
    for (const { clientId } of apps) await add(clientId, `/${clientId}`);
    const revoked = await Promise.all(
      Array.from({ length: MESSAGES }, async (_none, at) => {
        const clientId = apps[at % APPS]?.clientId ?? '';
        const { mappingId } = await addWaitingToken({ context: bridges.context }, { clientId });
        return mappingId;
      }),
    );
    for (const mappingId of revoked)
      await revokeToken(bridges.context, { ...BY, mappingId, reason: `number ${mappingId}` });
    const toldOf = () =>
      receiver.received.flatMap(({ body }) =>
        (JSON.parse(body) as { data: { tokens: Array<{ id: string }> } }).data.tokens.map(({ id }) => id),
      );
    await until(() => toldOf().length >= MESSAGES, LONG);
    await until(async () => (await left(['due', 'sending'])).length === 0, LONG);
    expect(toldOf().toSorted()).toEqual(revoked.toSorted());
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await left(['delivered'])).every(({ attempts }) => attempts === 1)).toBe(true);
  }, 120_000);

  test('a process that is killed at an attempt: the other one sends the message again under the same id', async () => {
    const { clientId } = await bridges.registerApp();
    const id = await add(clientId, '/killed');
    receiver.answer = () => undefined;
    await sendTest(bridges.context, { id, owner: { kind: 'app', clientId } });
    await until(() => receiver.received.length === 1, LONG);
    await Promise.all(bridges.processes.map((each) => each.kill()));
    receiver.answer = withStatus(204);
    await bridges.processes[1]?.start();
    await until(() => receiver.received.length === 2, LONG);
    const [before, after] = receiver.received;
    expect(after?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
    expect(after?.body).toBe(before?.body);
  }, 180_000);
});
