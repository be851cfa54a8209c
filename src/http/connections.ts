import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The connections of one server, for a stop that cuts no call. Node closes connections that wait for their next request,
 * but knows nothing of calls whose request is on its way, and keeps connections that never sent one.
 */
export interface Connections {
  /** From here on every answer says `Connection: close`, also those to calls that are under way. */
  sayClose(): void;
  /** Milliseconds since the last answer that invited its caller to send another request on the same connection. */
  sinceInvitation(): number;
  /** Closes what waits for its next request, and what has not sent its first one for this many milliseconds. */
  closeIdle(silentFor: number): void;
  /** Cuts everything, and answers how many calls were under way. */
  cut(): number;
}

/** HTTP's own word for "no more requests on this connection" (RFC 9112 §9.6). */
function sayCloseIn(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

/** The same for the socket of a TLS connection and for the one below it. */
const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;

/** Every open socket with the time of its opening; a TLS socket takes the place of the one below it. */
function trackSockets(server: Server): Map<string, { socket: Socket; openedAt: number }> {
  const sockets = new Map<string, { socket: Socket; openedAt: number }>();
  const track = (socket: Socket) => {
    const end = endOf(socket);
    sockets.set(end, { socket, openedAt: performance.now() });
    socket.once('close', () => {
      if (sockets.get(end)?.socket === socket) sockets.delete(end);
    });
  };
  server.on('connection', track);
  server.on('secureConnection', track);
  return sockets;
}

/** Begins to keep track; before anybody else hears of the server's requests. */
export function trackConnections(server: Server): Connections {
  const sockets = trackSockets(server);
  const answers = new Set<ServerResponse>();
  let isClosing = false;
  let invitedAt = Number.NEGATIVE_INFINITY;
  server.on('request', (_req, res) => {
    answers.add(res);
    res.once('close', () => answers.delete(res));
    res.once('finish', () => {
      if (!isClosing) invitedAt = performance.now();
    });
    if (isClosing) sayCloseIn(res);
  });
  return {
    sayClose() {
      isClosing = true;
      for (const res of answers) sayCloseIn(res);
    },
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
