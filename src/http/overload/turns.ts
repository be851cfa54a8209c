/**
 * Spreads the requests of a busy process over turns of its event loop. A turn takes in one new connection (libuv), and sees
 * each answer of the new API once. So where a turn began every request that has arrived, new callers would wait for
 * seconds, and each step of a call would wait for all requests beside it.
 */

/**
 * A turn begins requests for so long, in milliseconds; after a turn that was long with other work, for this share of it. Else
 * a process with much other work would begin next to nothing.
 */
const [BEGINS_FOR, BEGINS_SHARE] = [2, 0.5];

/** How many waiting requests a turn begins at most. */
const BEGINS_MOST = 256;

/** Begins a request that has waited for so long, in milliseconds. */
type RequestStart = (waited: number) => void;

export interface Turns {
  /**
   * Begins a request in this turn or, where this turn has begun enough, in a later one. All are begun, in the order of their
   * arrival.
   */
  begin(start: RequestStart): void;
  /** How long the request that comes next has waited, in milliseconds. */
  wait: () => number;
}

interface WaitingRequest {
  since: number;
  start: RequestStart;
}

/** What waits, the oldest first. To take one costs the same however many wait. */
function createLine() {
  let line: WaitingRequest[] = [];
  let next = 0;
  return {
    size: () => line.length - next,
    first: () => line[next],
    add: (one: WaitingRequest) => void line.push(one),
    dropFirst() {
      next += 1;
      if (next * 2 > line.length) [line, next] = [line.slice(next), 0];
    },
  };
}

/** Turns in which no request has begun yet. */
export function createTurns(): Turns {
  const line = createLine();
  let turnBegan: number | undefined;
  let beginsFor = BEGINS_FOR;

  /** Whether this turn may begin a further request. */
  function hasTime(): boolean {
    const now = performance.now();
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(endTurn);
    }
    return now - turnBegan < beginsFor;
  }

  function beginFirst(): void {
    const one = line.first();
    if (!one || !hasTime()) return;
    line.dropFirst();
    one.start(performance.now() - one.since);
  }

  // An immediate of its own for each request: between two of them runs all that a request can do without waiting. The first
  // begins however long this turn has done other work, so the line always moves.
  function endTurn(): void {
    const took = line.size() > 0 && turnBegan !== undefined ? performance.now() - turnBegan : 0;
    beginsFor = Math.max(BEGINS_FOR, took * BEGINS_SHARE);
    turnBegan = undefined;
    for (let n = Math.min(BEGINS_MOST, line.size()); n > 0; n -= 1) setImmediate(beginFirst);
  }

  return {
    begin(start) {
      if (line.size() === 0 && hasTime()) start(0);
      else line.add({ since: performance.now(), start });
    },
    wait() {
      const one = line.first();
      return one ? performance.now() - one.since : 0;
    },
  };
}
