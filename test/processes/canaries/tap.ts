import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '../../support/servers/free-port.ts';
import { bodyOf, forward, send } from '../../support/servers/forward.ts';
import type { Collection } from './collection.ts';

/** Stands behind the recording proxy and keeps every secret that bridge and modern side really exchange. */
export interface Tap {
  origin: string;
  close(): Promise<void>;
}

function learnFromForm(collection: Collection, form: URLSearchParams): void {
  collection.add('modern code', form.get('code'));
  collection.add('PKCE verifier', form.get('code_verifier'));
  collection.add('refresh token', form.get('refresh_token'));
}

function learnFromPair(collection: Collection, body: Buffer): void {
  const { access_token, refresh_token } = JSON.parse(body.toString()) as Record<string, string>;
  collection.add('access token', access_token);
  collection.add('refresh token', refresh_token);
}

export async function startTap(target: string, collection: Collection): Promise<Tap> {
  const relay = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const isToken = request.method === 'POST' && request.url === '/token';
    if (isToken) learnFromForm(collection, new URLSearchParams(body.toString()));
    const answer = await forward(request, body, target);
    if (isToken && answer.status === 200) learnFromPair(collection, answer.body);
    send(response, answer);
  };
  const port = await freePort();
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
