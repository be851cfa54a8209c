import { revokeToken } from '../../src/domain/tokens/revoke-token.ts';
import { addWebhook } from '../../src/domain/webhooks/change-webhooks.ts';
import { sendTest } from '../../src/domain/webhooks/look-at-webhooks.ts';
import { newHexId } from '../../src/shared/ids.ts';
import type { Bridges } from '../races/bridges.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';
import { type ReceivedMessage, type Receiver, withStatus } from './support/receiver.ts';
import { type ReceivingBridges, startReceivingBridges } from './support/receiving-bridges.ts';

/** Two processes on one database make and send the same messages. */

const MESSAGES = 60;
const APPS = 6;

/** The claim of a process that was killed ends after a minute. */
const LONG = 100_000;
const BY = { actor: 'account:test', requestId: null };

/** After an attempt without success. On a busy machine an answer may come too late. */
const PAUSE = 30_000;

const idOf = ({ headers }: ReceivedMessage) => headers['webhook-id'];

const firstOfEach = (received: readonly ReceivedMessage[]) =>
  received.filter((one, place) => received.findIndex((other) => idOf(other) === idOf(one)) === place);

/** The ids of messages that came once more before a pause was over: two processes sent them. */
const againWithin = (received: readonly ReceivedMessage[], pause: number) =>
  received
    .filter((one, place) =>
      received.some((other, at) => at < place && idOf(other) === idOf(one) && one.at - other.at < pause),
    )
    .map(idOf);

const timesOf = (received: readonly ReceivedMessage[], id: string) =>
  received.filter((one) => idOf(one) === id).length;

describe.each(databaseKinds)('two processes, on %s', (database) => {
  let started: ReceivingBridges;
  let receiver: Receiver;
  let bridges: Bridges;

  beforeAll(async () => {
    started = await startReceivingBridges(database);
    ({ receiver, bridges } = started);
  });
  afterAll(() => started.stop());
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
      firstOfEach(receiver.received).flatMap(({ body }) =>
        (JSON.parse(body) as { data: { tokens: Array<{ id: string }> } }).data.tokens.map(({ id }) => id),
      );
    await until(() => toldOf().length >= MESSAGES, LONG);
    await until(async () => (await left(['due', 'sending'])).length === 0, LONG);
    expect(toldOf().toSorted()).toEqual(revoked.toSorted());
    expect(againWithin(receiver.received, PAUSE)).toEqual([]);
    const tries = (await left(['delivered'])).map(({ id, attempts }) => [`msg_${id}`, attempts] as const);
    expect(tries.filter(([id, attempts]) => attempts < timesOf(receiver.received, id))).toEqual([]);
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
