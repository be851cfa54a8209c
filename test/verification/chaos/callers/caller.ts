import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { bodyOf } from '../../../support/servers/forward.ts';
import type { RawAnswer, RawRequest } from '../../../support/callers/raw-request.ts';
import { type Balancer, CALL_HEADER } from '../balancer.ts';

/** An old program that keeps its connections to the balancer open: some with TLS, some behind another proxy. */
export interface Caller {
  /** Where its calls come from, as the balancer tells the bridges by X-Forwarded-For. */
  address: string;
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

interface CallerPlace {
  address: string;
  isSecure: boolean;
}

/** One caller with a handful of connections, all from its own address. */
function createBalancedCaller(
  { plain, secure, authority }: Balancer,
  { address, isSecure }: CallerPlace,
): Caller {
  const options = { keepAlive: true, timeout: IDLE_MS, localAddress: address };
  const agent = isSecure ? new SecureAgent({ ...options, ca: authority }) : new PlainAgent(options);
  const { hostname, port } = new URL(isSecure ? secure : plain);
  const begin = isSecure ? secureRequest : plainRequest;
  return {
    address,
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

/** All callers of a chaos. */
export interface Callers {
  /** Old programs on machines of their own. */
  programs: readonly Caller[];
  /** One address that sends unknown tokens all the time, more than the bridges ask about. */
  guesser: Caller;
  close(): void;
}

const PROGRAMS = 12;

/** Every address of 127.0.0.0/8 is this machine; each program has a network (/24) of its own, as the bridges count them. */
const addressOf = (network: number) => `127.10.${network}.7`;

/** Makes the callers. They need no bridge yet. */
export function createCallers(balancer: Balancer): Callers {
  const callerAt = (network: number) =>
    createBalancedCaller(balancer, { address: addressOf(network), isSecure: network % 2 === 1 });
  const programs = Array.from({ length: PROGRAMS }, (_none, index) => callerAt(index + 1));
  const guesser = callerAt(PROGRAMS + 1);
  return { programs, guesser, close: () => [...programs, guesser].forEach((caller) => caller.close()) };
}
