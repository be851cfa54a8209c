import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import request from 'supertest';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { portOf } from '../support/free-port.ts';
import { startSystem, type System } from '../support/system.ts';

/** A line to PostgreSQL on which every byte takes its time. */
let line: Server;
let delay = 0;
let database: TestDatabase;
let system: System;

function passOn(from: Socket, to: Socket): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delay));
  from.on('close', () => to.destroy());
  from.on('error', () => undefined);
}

async function startLine(port: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    passOn(client, upstream);
    passOn(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

beforeAll(async () => {
  database = await freshDatabase();
  const url = new URL(database.url);
  line = await startLine(Number(url.port));
  url.port = String(portOf(line));
  system = await startSystem({ env: { DATABASE_URL: url.href } });
}, 60_000);
afterAll(async () => {
  delay = 0;
  await system.stop();
  line.close();
  await database.drop();
});

const ready = () => request(system.bridgeUrl).get('/ready');

test('/ready says no while the database answers too slowly to tell the time, and yes again afterwards', async () => {
  await ready().expect(200, { ready: true });
  delay = 600;
  await pause(1500);
  await ready().expect(200);
  await pause(5000);
  const reason = 'the database has not told the time for some seconds';
  await ready().expect(503, { ready: false, reason });
  delay = 0;
  await pause(2500);
  await ready().expect(200, { ready: true });
});
