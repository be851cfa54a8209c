import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Slots } from '../shared/memory/slots.ts';

/**
 * The connections of one server, for a stop that cuts no call. Node closes connections that wait for their next
 * request. Node does not see calls whose request is still arriving, and keeps connections that never sent a request.
 */
export interface Connections {
  /** From here on every answer says `Connection: close`, also the answers to running calls. */
  sayClose(): void;
  /** How many connections were accepted up to now. */
  accepted(): number;
  /** Milliseconds since the last answer that allowed its caller to send another request on the same connection. */
  sinceInvitation(): number;
  /** Closes connections that wait for their next request, and connections that have sent no byte for `silentFor` ms. */
  closeIdle(silentFor: number): void;
  /** Cuts every connection. Returns how many calls were running. */
  cut(): number;
}

/** HTTP's own word for "no more requests on this connection" (RFC 9112 §9.6). */
function sayCloseIn(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** The remote end. It is equal for the socket of a TLS connection and for the TCP socket below. */
const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

interface Sockets {
  /** Every open socket with the time of its opening. A TLS socket replaces the TCP socket below. */
  open: Map<string, { socket: Socket; openedAt: number }>;
  accepted: () => number;
}

function trackSockets(server: Server): Sockets {
  const sockets: Sockets['open'] = new Map();
  let accepted = 0;
  const track = (socket: Socket) => {
    const end = endOf(socket);
    sockets.set(end, { socket, openedAt: performance.now() });
    socket.once('close', () => {
      if (sockets.get(end)?.socket === socket) sockets.delete(end);
    });
  };
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    track(socket);
  });
  server.on('secureConnection', track);
  return { open: sockets, accepted: () => accepted };
}

const SLOT = Symbol('slot');
const OPEN = Symbol('open');

/** A connection, with its answers that are not finished. */
type TrackedSocket = Socket & { [OPEN]?: Set<TrackedAnswer> };

/**
 * An answer that is tracked. Its slot and the other answers of its connection stand on it: a table beside it would cost more
 * than the rest of the tracking.
 */
type TrackedAnswer = ServerResponse & { [SLOT]?: number | undefined; [OPEN]?: Set<TrackedAnswer> };

/**
 * At most so many requests of one connection may wait for their answers (RFC 9112 §9.3.2). No known program sends one
 * before it has the answer to the last. Without a limit one piece of 64 kB would be 2,700 requests, and all callers would wait
 * for them.
 */
const REQUESTS_MOST = 256;

/**
 * When a connection is cut, Node tells the end of the one answer that has the socket. The answers that stand behind it get the
 * same event here, so that everything that waits for their end is told: places that are given back, counts, files.
 */
function endWith(socket: TrackedSocket): Set<TrackedAnswer> {
  const open = new Set<TrackedAnswer>();
  socket[OPEN] = open;
  socket.once('close', () => {
    for (const answer of open) {
      if (answer.socket !== null) continue;
      answer.destroyed = true;
      answer.emit('close');
    }
  });
  return open;
}

/**
 * Begins to track, and closes a connection with too many requests at a time; `tooMany` is told of it. Call this before any
 * other code listens to the requests of the server: what arrived on a closed connection is for nobody.
 */
export function trackConnections(server: Server, tooMany: (socket: Socket) => void): Connections {
  const { open: sockets, accepted } = trackSockets(server);
  const answers = new Slots<ServerResponse>();
  let isClosing = false;
  let invitedAt = Number.NEGATIVE_INFINITY;
  // One listener for all answers: a closure for each would cost more than the rest of the tracking.
  function forget(this: TrackedAnswer): void {
    // A slot that is released twice would be given to two answers.
    if (this[SLOT] !== undefined) answers.release(this[SLOT]);
    this[SLOT] = undefined;
    this[OPEN]?.delete(this);
    if (this.writableFinished && !isClosing) invitedAt = performance.now();
  }
  server.on('request', ({ socket }: { socket: TrackedSocket }, res: TrackedAnswer) => {
    if (socket.destroyed) return;
    const open = socket[OPEN] ?? endWith(socket);
    if (open.size === REQUESTS_MOST) {
      tooMany(socket);
      return void socket.destroy();
    }
    open.add(res);
    res[OPEN] = open;
    res[SLOT] = answers.take(res);
    res.on('close', forget);
    if (isClosing) sayCloseIn(res);
  });
  return {
    sayClose() {
      isClosing = true;
      for (const res of answers.members()) sayCloseIn(res);
    },
    accepted,
    sinceInvitation: () => performance.now() - invitedAt,
    closeIdle(silentFor) {
      server.closeIdleConnections();
      const before = performance.now() - silentFor;
      for (const { socket, openedAt } of sockets.values())
        if (socket.bytesRead === 0 && openedAt <= before) socket.destroy();
    },
    cut() {
      const { size } = answers;
      server.closeAllConnections();
      for (const { socket } of sockets.values()) socket.destroy();
      return size;
    },
  };
}
