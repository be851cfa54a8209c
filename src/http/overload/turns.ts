import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { noteArrival } from '../arrived-at.ts';

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

/**
 * How many waiting requests a turn begins at most. What goes on behind the begin makes the turn long, and a long turn begins for
 * longer: without a limit, requests with a short begin and a long rest would all be begun in one turn after some turns.
 */
const BEGINS_MOST = 64;

/** Begins a request that has waited for so long, in milliseconds. */
type RequestStart = (waited: number) => void;

export interface Turns {
  /**
   * Begins a request in this turn or, where this turn has begun enough, in a later one. The connections that wait take turns:
   * of each, one request at a time is begun, in the order of their arrival. A request whose connection is closed by then is
   * not begun.
   */
  begin(req: IncomingMessage, start: RequestStart): void;
  /** How long the connection that comes next has waited for its turn, in milliseconds. */
  wait: () => number;
}

interface WaitingRequest {
  since: number;
  start: RequestStart;
}

/** The requests of one connection that wait, the oldest first. */
interface WaitingConnection {
  /** When the connection came to stand in the line. */
  since: number;
  requests: WaitingRequest[];
}

/** The connections with requests that wait; whoever comes next is first. */
function createLine() {
  const waiting = new Map<Socket, WaitingConnection>();
  let size = 0;

  function first(): [Socket, WaitingConnection] | undefined {
    for (const entry of waiting) {
      const [connection, { requests }] = entry;
      if (!connection.destroyed) return entry;
      waiting.delete(connection);
      size -= requests.length;
    }
    return undefined;
  }

  return {
    /** How many requests wait. */
    size: () => size,
    since: () => first()?.[1].since,
    add(connection: Socket, request: WaitingRequest) {
      size += 1;
      const known = waiting.get(connection);
      if (known) known.requests.push(request);
      else waiting.set(connection, { since: request.since, requests: [request] });
    },
    /** Takes a request from the first connection, which stands last then. */
    take(now: number): WaitingRequest | undefined {
      const entry = first();
      if (!entry) return undefined;
      const [connection, { requests }] = entry;
      const request = requests.shift();
      size -= 1;
      waiting.delete(connection);
      if (requests.length > 0) waiting.set(connection, { since: now, requests });
      return request;
    },
  };
}

/** Turns in which no request has begun yet. */
export function createTurns(): Turns {
  const line = createLine();
  let turnBegan: number | undefined;
  let beginsFor = BEGINS_FOR;

  /** Whether this turn may begin a further request. */
  function hasTime(now: number): boolean {
    if (turnBegan === undefined) {
      turnBegan = now;
      setImmediate(endTurn);
    }
    return now - turnBegan < beginsFor;
  }

  function beginFirst(): void {
    const now = performance.now();
    if (!hasTime(now)) return;
    const request = line.take(now);
    request?.start(now - request.since);
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
    begin(req, start) {
      const now = performance.now();
      if (line.size() === 0 && hasTime(now)) return start(0);
      noteArrival(req, now);
      line.add(req.socket, { since: now, start });
    },
    wait() {
      const since = line.since();
      return since === undefined ? 0 : performance.now() - since;
    },
  };
}
