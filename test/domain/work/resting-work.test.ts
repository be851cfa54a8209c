import { setImmediate as nextTurn } from 'node:timers/promises';
import { restForCalls, yieldToEventLoop } from '../../../src/domain/work/yield-to-event-loop.ts';

/** Turns of the event loop that a call takes, each with a little work. */
const TURNS = 20;
const WORK_OF_TURN = 0.5;
const WORK_OF_PIECE = 5;

function workFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** How many pieces of a long work, `between` which it gives way, begin during one call. */
async function piecesInCall(between: () => Promise<void>): Promise<number> {
  const over = new AbortController();
  let pieces = 0;
  const work = async () => {
    while (!over.signal.aborted) {
      pieces += 1;
      workFor(WORK_OF_PIECE);
      await between();
    }
  };
  const call = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) {
      await nextTurn();
      workFor(WORK_OF_TURN);
    }
    over.abort();
  };
  await Promise.all([work(), call()]);
  return pieces;
}

describe('work that nobody waits for', () => {
  it('lets a call take several turns between two pieces', async () => {
    const calls: number[] = [];
    // A machine that stands still during a rest gives the call no turn in it.
    for (let call = 0; call < 5; call += 1) calls.push(await piecesInCall(restForCalls));
    expect(Math.min(...calls)).toBeLessThan(TURNS / 2);
  });

  it('which a person waits for, gives a call one turn between two pieces', async () => {
    expect(await piecesInCall(yieldToEventLoop)).toBeGreaterThanOrEqual(TURNS);
  });

  it('ends in its rest when the process stops', async () => {
    const stopping = new AbortController();
    setImmediate(() => workFor(WORK_OF_TURN));
    const resting = restForCalls(stopping.signal);
    setTimeout(() => stopping.abort(), 1);
    await expect(resting).rejects.toMatchObject({ name: 'AbortError' });
  });
});
