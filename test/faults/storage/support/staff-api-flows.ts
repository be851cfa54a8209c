import { randomUUID } from 'node:crypto';
import { newHexId } from '../../../../src/shared/ids.ts';
import { keyFor, problemIn, programOf } from '../../../staff-api/support/api-client.ts';
import { type ApiGround, revokedEntry, someApp, waitingIn } from '../../../staff-api/support/ground.ts';
import type { RawAnswer } from '../../../support/callers/raw-request.ts';
import { type Flow, type FlowEnd, wrong } from './flow.ts';

/** Writes of a program at the staff API, each with an Idempotency-Key. */

/** One request, and how often it was done. */
interface ApiCall {
  path: string;
  body: object;
  count(): Promise<number>;
}

interface ApiWrite {
  name: string;
  prepare: (ground: ApiGround) => Promise<ApiCall>;
}

const reason = 'ticket 4711';

async function rowsOf(rows: Promise<readonly unknown[]>): Promise<number> {
  return (await rows).length;
}

const eventsOf = ({ bridge }: ApiGround, action: string) =>
  bridge.context.store.durable.selectFrom('events').select('id').where('action', '=', action);

export const API_WRITES: readonly ApiWrite[] = [
  {
    name: 'revoke a token',
    async prepare(ground) {
      const { mappingId } = await waitingIn(ground);
      const entries = eventsOf(ground, 'token_revoked').where('mapping_id', '=', mappingId);
      return {
        path: `/tokens/${mappingId}/revoke`,
        body: { reason },
        count: () => rowsOf(entries.execute()),
      };
    },
  },
  {
    name: 'take a revocation back',
    async prepare(ground) {
      const entryId = await revokedEntry(ground);
      const entries = eventsOf(ground, 'token_taken_back').where('reason', 'like', `entry ${entryId}:%`);
      return {
        path: `/history/${entryId}/take-back`,
        body: { reason },
        count: () => rowsOf(entries.execute()),
      };
    },
  },
  {
    name: 'register an app',
    async prepare({ bridge }) {
      const app = { name: `App ${newHexId()}`, callbacks: ['https://once.example/cb'], owner: newHexId() };
      const { durable } = bridge.context.store;
      const apps = durable.selectFrom('apps').select('client_id').where('name', '=', app.name);
      return { path: '/apps', body: app, count: () => rowsOf(apps.execute()) };
    },
  },
  {
    name: 'extend an app',
    async prepare(ground) {
      const clientId = await someApp(ground);
      const until = new Date(Date.now() + 90 * 86_400_000).toISOString();
      const entries = eventsOf(ground, 'app_extended').where('client_id', '=', clientId);
      return {
        path: `/apps/${clientId}/extend`,
        body: { date: 'retirement', until, reason },
        count: () => rowsOf(entries.execute()),
      };
    },
  },
  {
    name: 'ask for a job',
    async prepare(ground) {
      const { mappingId } = await waitingIn(ground, 'observed');
      const { durable } = ground.bridge.context.store;
      const items = durable.selectFrom('bulk_items').selectAll().where('subject', '=', mappingId);
      return {
        path: '/jobs/assign-tokens',
        body: { token_ids: [mappingId], client_id: ground.app.clientId, reason },
        count: () => rowsOf(items.execute()),
      };
    },
  },
];

function endOfWrite(answer: RawAnswer): FlowEnd {
  const said = `${answer.status} ${answer.text.slice(0, 200)}`;
  if (answer.status === 200) return { kind: 'done', said };
  return { kind: answer.status === 503 ? 'unavailable' : 'wrong', said };
}

/**
 * A program that sends its request again with the same key gets the answer, or is told that nobody knows it. Then it looks
 * whether the request was done, and sends it with another key where it was not.
 */
export async function apiWriteFlow(ground: ApiGround, { name, prepare }: ApiWrite): Promise<Flow> {
  const program = programOf(ground, (await keyFor(ground, 'lead')).key);
  let [call, mark] = [undefined as ApiCall | undefined, ''];
  const count = async () => (await call?.count()) ?? 0;
  const send = () => program.post(call?.path ?? '', call?.body, { 'idempotency-key': mark });
  async function sendAgain({ kind }: FlowEnd): Promise<FlowEnd> {
    const answer = await send();
    if (kind === 'done' || problemIn(answer) !== '409 request-open') return endOfWrite(answer);
    if ((await count()) > 0) return { kind: 'done', said: answer.text };
    mark = randomUUID();
    return endOfWrite(await send());
  }
  return {
    name,
    async prepare() {
      [call, mark] = [await prepare(ground), randomUUID()];
    },
    run: async () => endOfWrite(await send()),
    async again(before) {
      const end = await sendAgain(before);
      const times = await count();
      return end.kind === 'done' && times !== 1 ? wrong(`it was done ${times} times`) : end;
    },
  };
}
