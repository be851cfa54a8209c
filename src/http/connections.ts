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
type TrackedAnswer = ServerResponse & {
  [SLOT]?: number | undefined;
  [OPEN]?: Set<TrackedAnswer>;
  /** Node's own mark of an answer whose end was told. */
  _closed?: boolean;
};

/**
 * At most so many requests of one connection may wait for their answers (RFC 9112 §9.3.2). No known program sends one
 * before it has the answer to the last. Without a limit one piece of 64 kB would be 2,700 requests, and all callers would wait
 * for them.
 */
const REQUESTS_MOST = 256;

/**
 * From this number of open requests of the process on, a connection may have one at a time, as every known program wants it. A
 * caller that reads nothing keeps its requests open for as long as it likes, and each takes more than 10 kB of memory.
 */
const ALL_REQUESTS_MOST = 4096;

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
      // Without the mark whoever asks only now would wait for ever for the end (`finished` of node:stream, `closed`), and Node
      // 24 would tell the end a second time.
      answer._closed = true;
      answer.emit('close');
    }
  });
  return open;
}

/**
 * For Node a connection is idle as soon as its answer was handed over, and a stop would cut off what the caller has not read
 * yet. `sending` are the answers whose connections are not idle. Where connections make room for new ones Node's view stays,
 * because whoever never reads must not hold one for ever.
 */
function spareAnswers(server: Server, sending: () => ServerResponse[]): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  // Node closes idle connections by itself too, when it stops listening.
  server.closeIdleConnections = () => {
    const spared = sending();
    for (const answer of spared) answer.finished = false;
    closeIdle();
    for (const answer of spared) answer.finished = true;
  };
}

type TrackedAnswers = Pick<Connections, 'sayClose' | 'sinceInvitation'> & {
  /** How many answers are not finished. */
  count: () => number;
};

function trackAnswers(server: Server, tooMany: (socket: Socket) => void): TrackedAnswers {
  const answers = new Slots<ServerResponse>();
  let isClosing = false;
  let invitedAt = Number.NEGATIVE_INFINITY;
  spareAnswers(server, () => (isClosing ? answers.members().filter(({ finished }) => finished) : []));
  // One listener for all answers: a closure for each would cost more than the rest of the tracking.
  function forget(this: TrackedAnswer): void {
    // A slot that is released twice would be given to two answers.
    if (this[SLOT] !== undefined) answers.release(this[SLOT]);
    this[SLOT] = undefined;
    this[OPEN]?.delete(this);
    if (this.writableFinished && !isClosing) invitedAt = performance.now();
  }
  const hasRoom = (open: Set<TrackedAnswer>) =>
    open.size === 0 || (open.size < REQUESTS_MOST && answers.size < ALL_REQUESTS_MOST);
  function begin({ socket }: { socket: TrackedSocket }, res: TrackedAnswer): void {
    if (socket.destroyed) return;
    const open = socket[OPEN] ?? endWith(socket);
    if (!hasRoom(open)) {
      tooMany(socket);
      return void socket.destroy();
    }
    open.add(res);
    res[OPEN] = open;
    res[SLOT] = answers.take(res);
    res.on('close', forget);
    if (isClosing) sayCloseIn(res);
  }
  server.on('request', begin);
  server.on('checkExpectation', begin);
  return {
    sayClose() {
      isClosing = true;
      for (const res of answers.members()) sayCloseIn(res);
    },
    sinceInvitation: () => performance.now() - invitedAt,
    count: () => answers.size,
  };
}

/**
 * Begins to track, and closes a connection with too many requests at a time; `tooMany` is told of it. Call this before any
 * other code listens to the requests of the server: what arrived on a closed connection is for nobody.
 */
export function trackConnections(server: Server, tooMany: (socket: Socket) => void): Connections {
  const { open: sockets, accepted } = trackSockets(server);
  const { count, ...answers } = trackAnswers(server, tooMany);
  return {
    ...answers,
    accepted,
    closeIdle(silentFor) {
      server.closeIdleConnections();
      const before = performance.now() - silentFor;
      for (const { socket, openedAt } of sockets.values())
        if (socket.bytesRead === 0 && openedAt <= before) socket.destroy();
    },
    cut() {
      const running = count();
      server.closeAllConnections();
      for (const { socket } of sockets.values()) socket.destroy();
      return running;
    },
  };
}
