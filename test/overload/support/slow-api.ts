import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyOf } from '../../support/servers/forward.ts';
import { portOf } from '../../support/servers/free-port.ts';

/** A main API with one organization for everybody, whose every answer takes its time. */
export interface SlowApi {
  url: string;
  /** Milliseconds until an answer. */
  takes: number;
  /** The most requests that were under way together. */
  most: number;
  close(): Promise<void>;
}

const ORGANIZATION = 'f'.repeat(24);

const CHANNEL = {
  id: 'c'.repeat(24),
  organizationId: ORGANIZATION,
  name: 'page',
  displayName: null,
  descriptor: 'Page',
  service: 'facebook',
  serviceId: '1',
  type: 'page',
  avatar: 'https://images.example/a.png',
  timezone: 'UTC',
  isDisconnected: false,
  isLocked: false,
  isQueuePaused: false,
  postingSchedule: [],
  createdAt: '2026-01-01T00:00:00Z',
};

/** The account and channels as the new API answers a first read, and a read that names the organization. */
export const READING = {
  account: { id: 'a'.repeat(24), email: 'a@example.org', organizations: [{ id: ORGANIZATION }] },
  channels: [CHANNEL],
};

async function answer(api: SlowApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { variables = {} } = JSON.parse((await bodyOf(request)).toString()) as { variables?: object };
  await delay(api.takes);
  const channels = Object.keys(variables).map((name) => [name, READING.channels]);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data: { account: READING.account, ...Object.fromEntries(channels) } }));
}

/** Starts one on a port of its own. */
export async function startSlowApi(takes: number): Promise<SlowApi> {
  let underWay = 0;
  const server = createServer((request, response) => {
    underWay += 1;
    api.most = Math.max(api.most, underWay);
    response.once('close', () => (underWay -= 1));
    answer(api, request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: SlowApi = {
    url: `http://127.0.0.1:${portOf(server)}`,
    takes,
    most: 0,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return api;
}
