import { redateWaiting } from '../../src/domain/redate-waiting.ts';
import { DAY, HOUR, MINUTE } from '../../src/shared/lifetimes.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { issueToken } from '../support/callers/legacy-calls.ts';

/** What a clock that ran far ahead put off does not wait as long as it was ahead. What waits by right dates keeps them. */

const clock = new SettableClock();
let system: System;

beforeAll(async () => {
  system = await startSystem({ clock });
  await issueToken(system);
});
afterAll(() => system.stop());

const durable = () => system.bridge.context.store.durable;

/** Waiting work of that name, from that time on; a receiver of messages rests as long. */
async function keepWaiting(id: string, at: number): Promise<void> {
  const { id: grant_id } = await durable().selectFrom('grants').select('id').executeTakeFirstOrThrow();
  const waits = { id, attempts: 1, next_at: at, created_at: 0 };
  const mail = { person: id, day: '2026-01-01', replaces: '', state: 'due' as const, ...waits };
  await durable().insertInto('mails').values(mail).execute();
  const receiver = { kind: 'operator' as const, url: 'https://receiver.example/', events: '', made_by: 'x' };
  const rests = { id, ...receiver, created_at: 0, rest_until: at };
  await durable().insertInto('webhooks').values(rests).execute();
  const message = { webhook_id: id, event: 'x', told: id, body: '{}', state: 'due' as const, ...waits };
  await durable().insertInto('webhook_deliveries').values(message).execute();
  await durable()
    .insertInto('owed_revocations')
    .values({ grant_id, token_sealed: 'x', ...waits })
    .execute();
}

/** In how many minutes from a moment each of them comes. */
async function minutesOf(id: string, from: number) {
  const minutes = (at: number) => Math.round((at - from) / MINUTE);
  const next = (table: 'mails' | 'webhook_deliveries' | 'owed_revocations') =>
    durable().selectFrom(table).select('next_at').where('id', '=', id).executeTakeFirstOrThrow();
  const receivers = durable().selectFrom('webhooks').select('rest_until').where('id', '=', id);
  return {
    mail: minutes((await next('mails')).next_at),
    message: minutes((await next('webhook_deliveries')).next_at),
    owed: minutes((await next('owed_revocations')).next_at),
    receiver: minutes((await receivers.executeTakeFirstOrThrow()).rest_until),
  };
}

test('what was dated days ahead comes soon, and what waits until tomorrow stays', async () => {
  const now = clock.now();
  await keepWaiting('wrong', now + 30 * DAY);
  await keepWaiting('tomorrow', now + DAY);
  await keepWaiting('soon', now + HOUR);
  await redateWaiting(system.bridge.context);
  const of = (id: string) => minutesOf(id, now);
  const [soon, tomorrow] = [20, DAY / MINUTE];
  expect(await of('wrong')).toEqual({ mail: soon, message: soon, owed: soon, receiver: soon });
  expect(await of('tomorrow')).toEqual({ mail: tomorrow, message: tomorrow, owed: soon, receiver: soon });
  expect(await of('soon')).toEqual({ mail: 60, message: 60, owed: 60, receiver: 60 });
});
