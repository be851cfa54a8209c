import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freshDatabase } from './database.ts';
import { portOf } from '../servers/free-port.ts';

/** A fresh PostgreSQL database at the end of a line that a test can make slow, or silent without ending it. */
export interface DatabaseLine {
  url: string;
  /** What every piece of data takes, in milliseconds; Infinity swallows it. */
  delay: number;
  close(): Promise<void>;
}

export async function openDatabaseLine(): Promise<DatabaseLine> {
  const database = await freshDatabase();
  const url = new URL(database.url);
  const target = Number(url.port);
  const passOn = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      if (line.delay !== Number.POSITIVE_INFINITY) setTimeout(() => to.write(bytes), line.delay);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => undefined);
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    passOn(client, upstream);
    passOn(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.port = String(portOf(server));
  const line: DatabaseLine = {
    url: url.href,
    delay: 0,
    async close() {
      server.close();
      await database.drop();
    },
  };
  return line;
}
