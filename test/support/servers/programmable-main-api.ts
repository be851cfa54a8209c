import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { bodyOf } from './forward.ts';
import { portOf } from './free-port.ts';

/** A main API that has whatever organizations the test gives it, one channel each. */
export interface ProgrammableMainApi {
  url: string;
  organizations: string[];
  /** The code of the refusal of an organization that the account does not have. */
  refusal: 'NOT_FOUND' | 'FORBIDDEN';
  /** How many organizations each request asked for. */
  asked: number[];
  /** Called before each request is answered. */
  onRequest: ((asked: readonly string[]) => void) | undefined;
  close(): Promise<void>;
}

interface Reading {
  query: string;
  variables?: Record<string, { organizationId: string }>;
}

function channelOf(organizationId: string): object {
  return {
    id: `channel-of-${organizationId}`,
    organizationId,
    name: organizationId,
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
}

function answerTo(
  { organizations, refusal }: ProgrammableMainApi,
  variables: NonNullable<Reading['variables']>,
): object {
  const wanted = Object.entries(variables).map(
    ([name, { organizationId }]) => [name, organizationId] as const,
  );
  if (wanted.some(([, id]) => !organizations.includes(id))) {
    return { data: null, errors: [{ message: 'refused', path: ['o0'], extensions: { code: refusal } }] };
  }
  const account = {
    id: 'c'.repeat(24),
    email: 'many@organizations.example',
    organizations: organizations.map((id) => ({ id })),
  };
  const channels = wanted.map(([name, id]) => [name, [channelOf(id)]]);
  return { data: { account, ...Object.fromEntries(channels) } };
}

/** Starts one on a port of its own; it takes every access token. */
export async function startProgrammableMainApi(): Promise<ProgrammableMainApi> {
  const api: ProgrammableMainApi = {
    url: '',
    organizations: [],
    refusal: 'NOT_FOUND',
    asked: [],
    onRequest: undefined,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { variables = {} } = JSON.parse((await bodyOf(request)).toString()) as Reading;
    const ids = Object.values(variables).map(({ organizationId }) => organizationId);
    api.onRequest?.(ids);
    api.asked.push(ids.length);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answerTo(api, variables)));
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  api.url = `http://127.0.0.1:${portOf(server)}`;
  return api;
}
