import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { bodyOf } from '../../../support/servers/forward.ts';
import type { RawAnswer, RawRequest } from '../../../support/callers/raw-request.ts';
import { type Balancer, CALL_HEADER } from '../balancer.ts';

/** Old programs that keep their connections to the balancer open: some with TLS, some behind another proxy. */
export interface Caller {
  send(id: string, wanted: RawRequest): Promise<RawAnswer>;
  close(): void;
}

/** The balancer ends an idle connection after fifteen seconds; a program that keeps it open for shorter never meets that. */
const IDLE_MS = 5000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One caller with a handful of connections. */
export function createBalancedCaller({ plain, secure, authority }: Balancer, isSecure: boolean): Caller {
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agent = isSecure ? new SecureAgent({ ...options, ca: authority }) : new PlainAgent(options);
  const { hostname, port } = new URL(isSecure ? secure : plain);
  const begin = isSecure ? secureRequest : plainRequest;
  return {
    async send(id, { path, method = 'GET', headers, body }) {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const own = { ...headers, ...length, [CALL_HEADER]: id };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        begin({ hostname, port, path, method, headers: own, agent }, resolve).once('error', reject).end(body);
      });
      const text = (await bodyOf(answer)).toString();
      return { status: answer.statusCode ?? 0, headers: answer.headers, text, json: parsed(text) };
    },
    close: () => agent.destroy(),
  };
}
