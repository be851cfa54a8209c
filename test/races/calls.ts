import { Agent, request } from 'node:http';
import { openRefreshToken } from '../../src/domain/grants/sealed-pair.ts';
import type { Grant } from '../../src/store/tables/tables.ts';
import { expireGrantsOf } from '../support/bridge/expire-grants.ts';
import { authorize, type LegacyApp } from '../support/callers/authorize.ts';
import type { BridgeProcess } from '../support/bridge/bridge-process.ts';
import { CookieWalker } from '../support/callers/cookie-walker.ts';
import { exchangeFields, tokenOf } from '../support/callers/legacy-calls.ts';
import { type RawAnswer, rawForm, sendRaw } from '../support/callers/raw-request.ts';
import type { Bridges } from './bridges.ts';

/** What integrations and tests do with a group of processes. */

/** The account holder lets an app in, in the pages of the first process; the code. */
export async function freshCode(
  { processes: [first], app, person }: Bridges,
  { for: wanted = app, browser = new CookieWalker() }: { for?: LegacyApp; browser?: CookieWalker } = {},
): Promise<string> {
  const { code, location } = await authorize({ bridgeUrl: first?.url ?? '', app: wanted, person, browser });
  if (code === undefined) throw new Error(`no code in ${location}`);
  return decodeURIComponent(code);
}

export async function exchangeAt(bridge: BridgeProcess, app: LegacyApp, code: string): Promise<RawAnswer> {
  const body = new URLSearchParams(exchangeFields(app, code)).toString();
  return sendRaw(bridge.url, { method: 'POST', path: '/1/oauth2/token.json', ...rawForm(body) });
}

/** A long-lived token of an app with a fresh grant behind it. */
export async function connectApp(
  bridges: Bridges,
  app: LegacyApp = bridges.app,
  browser?: CookieWalker,
): Promise<string> {
  const code = await freshCode(bridges, { for: app, ...(browser && { browser }) });
  return tokenOf(await exchangeAt(first(bridges), app, code));
}

/** One of the processes, by its place. */
export function nth(bridges: Bridges, place: number): BridgeProcess {
  const found = bridges.processes[place];
  if (!found) throw new Error(`there is no process ${place}`);
  return found;
}

const first = (bridges: Bridges) => nth(bridges, 0);

export async function readAt(bridge: BridgeProcess, token: string): Promise<RawAnswer> {
  return sendRaw(bridge.url, { path: '/1/profiles.json', headers: { authorization: `Bearer ${token}` } });
}

export async function deauthorizeAt(bridge: BridgeProcess, token: string): Promise<RawAnswer> {
  const headers = { authorization: `Bearer ${token}` };
  return sendRaw(bridge.url, { method: 'POST', path: '/1/user/deauthorize.json', headers });
}

/** Ends the access tokens of all live grants, as their time would. */
export const expireGrants = ({ context }: Bridges): Promise<void> => expireGrantsOf(context);

/** The newest grant of an app. */
export async function grantOf({ context }: Bridges, { clientId }: LegacyApp): Promise<Grant> {
  return context.store.durable
    .selectFrom('grants')
    .selectAll()
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** The refresh token that stands behind an app. */
export async function refreshTokenOf(bridges: Bridges, app: LegacyApp): Promise<string> {
  return openRefreshToken(bridges.context, await grantOf(bridges, app));
}

/** The refresh token of a token answer. */
export function freshTokenIn(answer: { body: Buffer } | undefined): string {
  const { refresh_token: token } = JSON.parse(answer?.body.toString() ?? '{}') as Record<string, unknown>;
  if (typeof token !== 'string') throw new Error('the answer holds no refresh token');
  return token;
}

export interface Burst {
  statuses: Set<number>;
  /** How long each caller waited, in milliseconds. */
  waits: number[];
}

function timedCall(url: string, token: string, agent: Agent): Promise<{ status: number; wait: number }> {
  const begun = performance.now();
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: '/1/profiles.json', headers, agent }, (answer) => {
      answer
        .resume()
        .once('end', () => resolve({ status: answer.statusCode ?? 0, wait: performance.now() - begun }));
    })
      .once('error', reject)
      .end();
  });
}

/** Many calls at one process over keep-alive connections, so many of them at the same time. */
export async function burst(
  { url }: BridgeProcess,
  token: string,
  { calls, atOnce }: { calls: number; atOnce: number },
): Promise<Burst> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const made: Burst = { statuses: new Set(), waits: [] };
  let left = calls;
  const caller = async () => {
    while (left-- > 0) {
      const { status, wait } = await timedCall(url, token, agent);
      made.statuses.add(status);
      made.waits.push(wait);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  agent.destroy();
  return made;
}

/** A line of figures among the results. */
export function print(line: string): void {
  process.stdout.write(`    ${line}\n`);
}
