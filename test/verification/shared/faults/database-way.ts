import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../../support/servers/free-port.ts';

/** The way of one machine to the database, which can be cut while every other machine keeps its own. */
export interface DatabaseWay {
  /** The database at the end of this way. */
  url: string;
  /** Ends every connection; new ones end at once until it is healed. */
  cut(): void;
  heal(): void;
  /** Whether it was cut at any time since then, in milliseconds. */
  wasCutSince(time: number): boolean;
  close(): Promise<void>;
}

/** Lays a way of its own to the PostgreSQL at `database`. */
export async function layDatabaseWay(database: string): Promise<DatabaseWay> {
  const url = new URL(database);
  const target = Number(url.port);
  const open = new Set<Socket>();
  let cut = false;
  let healedAt = 0;
  const endAll = () => open.forEach((socket) => socket.destroy());
  const server = createServer({ noDelay: true }, (client) => {
    if (cut) return void client.destroy();
    const upstream = connect({ port: target, host: '127.0.0.1', noDelay: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String(portOf(server));
  return {
    url: url.href,
    cut() {
      cut = true;
      endAll();
    },
    heal() {
      if (cut) healedAt = Date.now();
      cut = false;
    },
    wasCutSince: (time) => cut || healedAt >= time,
    async close() {
      server.close();
      endAll();
    },
  };
}
