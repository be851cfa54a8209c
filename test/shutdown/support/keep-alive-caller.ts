import { Agent, type IncomingMessage, request } from 'node:http';
import { bodyOf } from '../../support/servers/forward.ts';

/** A caller on one connection that it keeps open for as long as it may. */

export interface CallAnswer {
  status: number;
  isToldToClose: boolean;
}

export interface KeepAliveCaller {
  call(): Promise<CallAnswer>;
  close(): void;
}

export function createCaller(url: string, token: string): KeepAliveCaller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}` };
  return {
    async call() {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(new URL('/1/profiles.json', url), { agent, headers }, resolve).once('error', reject).end();
      });
      await bodyOf(answer);
      return { status: answer.statusCode ?? 0, isToldToClose: answer.headers.connection === 'close' };
    },
    close: () => agent.destroy(),
  };
}
