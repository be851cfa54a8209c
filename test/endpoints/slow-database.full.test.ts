import { setTimeout as pause } from 'node:timers/promises';
import request from 'supertest';
import { type DatabaseLine, openDatabaseLine } from '../support/database/database-line.ts';
import { until } from '../support/servers/held-answer.ts';
import { startSystem, type System } from '../support/bridge/system.ts';

/** A line to PostgreSQL on which every byte takes its time. */
let line: DatabaseLine;
let system: System;

beforeAll(async () => {
  line = await openDatabaseLine();
  system = await startSystem({ env: { DATABASE_URL: line.url } });
});
afterAll(async () => {
  line.delay = 0;
  await system.stop();
  await line.close();
});

const ready = () => request(system.bridgeUrl).get('/ready');

test('/ready says no while the database answers too slowly to tell the time, and yes again afterwards', async () => {
  await ready().expect(200, { ready: true });
  line.delay = 600;
  await pause(1500);
  await ready().expect(200);
  await pause(5000);
  const reason = 'the bridge could not read the clock of the database for some seconds';
  await ready().expect(503, { ready: false, reason });
  line.delay = 0;
  await until(async () => (await ready()).status === 200, 30_000);
});
