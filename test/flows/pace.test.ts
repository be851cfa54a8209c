import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Response } from 'express';
import { createPace } from '../../src/http/pages/pace.ts';

/** Who waits for a turn, and for how long: without a server, so that nothing but the pace takes time. */

const answer = () => new ServerResponse(new IncomingMessage(new Socket())) as Response;

let stop: AbortController;
const onePerSecond = () => createPace({ perSecond: 1, ahead: 0, stopping: stop.signal });

beforeEach(() => (stop = new AbortController()));
afterEach(() => stop.abort());

/** What has come of a wait by the next turn of the event loop. */
const soon = <T>(wait: Promise<T>) => Promise.race([wait, turnOfLoop('waits' as const)]);

test('who would wait for more than three seconds is told so at once', async () => {
  const pace = onePerSecond();
  const turns = Array.from({ length: 5 }, () => pace.turnOf('a sender', answer()));
  const soonest = await Promise.all(turns.map((turn) => soon(turn)));
  expect(soonest.slice(0, 4)).toEqual([{ kind: 'now' }, 'waits', 'waits', 'waits']);
  expect(soonest[4]).toMatchObject({ kind: 'late' });
});

test('a wait ends when the connection is gone, and the request is not served', async () => {
  const pace = onePerSecond();
  await pace.turnOf('a sender', answer());
  const res = answer();
  const turn = pace.turnOf('a sender', res);
  expect(await soon(turn)).toBe('waits');
  res.destroy();
  res.emit('close');
  expect(await soon(turn)).toEqual({ kind: 'gone' });
  const gone = answer();
  gone.destroy();
  expect(await soon(pace.turnOf('another', gone))).toEqual({ kind: 'gone' });
});

test('every wait ends when the stop begins, and nobody waits after that', async () => {
  const pace = onePerSecond();
  const turns = Array.from({ length: 4 }, () => pace.turnOf('a sender', answer()));
  expect(await soon(turns[3] as (typeof turns)[0])).toBe('waits');
  stop.abort();
  const now = { kind: 'now' };
  expect(await soon(Promise.all(turns))).toEqual([now, now, now, now]);
  expect(await soon(pace.turnOf('a sender', answer()))).toEqual(now);
});

test('a thousand wait in the process at most, whatever they wait for', async () => {
  const paces = [onePerSecond(), onePerSecond()];
  const turns = paces.flatMap((pace) =>
    Array.from({ length: 800 }, (_, n) => pace.turnOf(`sender ${n % 200}`, answer())),
  );
  const soonest = await Promise.all(turns.map((turn) => soon(turn)));
  expect(soonest.filter((turn) => turn === 'waits')).toHaveLength(1000);
  expect(soonest.at(-1)).toMatchObject({ kind: 'full' });
  stop.abort();
  await Promise.all(turns);
  const after = createPace({ perSecond: 1, ahead: 0, stopping: new AbortController().signal });
  expect(await soon(after.turnOf('a sender', answer()))).toEqual({ kind: 'now' });
});
