import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server, on a port of its own, that can become a black hole or refuse connections. */
export interface SeverableLine {
  origin: string;
  /** From now on nothing passes: connections come about, and bytes of both directions vanish. */
  swallow(): void;
  /** From now on connections are refused. Those that were open end. */
  refuse(): Promise<void>;
  /** The way is whole again. What was swallowed is gone, and its connections end. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Forwards connections from a port to another one on loopback. */
export async function openLine(port: number, target: number): Promise<SeverableLine> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let server: Server | undefined;

  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (!isSwallowing) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('end', () => {
      if (!isSwallowing) to.end();
    });
    from.on('close', () => {
      sockets.delete(from);
      if (!isSwallowing) to.destroy();
    });
  }

  async function listen(): Promise<void> {
    server = createServer({ allowHalfOpen: true }, (incoming) => {
      const outgoing = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
      join(incoming, outgoing);
      join(outgoing, incoming);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function unlisten(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    const closing = server;
    server = undefined;
    if (closing) await new Promise((resolve) => closing.close(resolve));
  }

  await listen();
  return {
    origin: `http://127.0.0.1:${port}`,
    swallow() {
      isSwallowing = true;
    },
    refuse: unlisten,
    async mend() {
      isSwallowing = false;
      for (const socket of sockets) socket.destroy();
      if (!server) await listen();
    },
    close: unlisten,
  };
}
