import { PassThrough } from 'node:stream';
import type { Grant } from '../../../src/store/tables/tables.ts';
import { sendRaw, type RawAnswer, type RawRequest } from '../../support/callers/raw-request.ts';
import { type Connected, connectApp } from '../../endpoints/support/connected.ts';
import { type Door, openDoor } from '../../endpoints/support/door.ts';

/** A started system whose log is heard, with one connected token. */

export type Line = Record<string, unknown>;

export interface HeardDoor {
  door: Door;
  connected: Connected;
  /** The lines of the log since the last look, once everything is written. */
  lines: () => Promise<Line[]>;
  /** A call with the token. */
  call: (headers?: Record<string, string>, request?: Partial<RawRequest>) => Promise<RawAnswer>;
  /** From here on the next read needs a refresh. */
  expireAccess: () => Promise<void>;
  grant: () => Promise<Grant>;
}

/** Opens it; every request has a line, and no answer is fresh for longer than the call. */
export async function openHeardDoor(env: Record<string, string> = {}): Promise<HeardDoor> {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (part: Buffer) => (text += part.toString()));
  const settings = { LOG_REQUESTS: 'all', PROFILES_FRESH_SECONDS: '0', ...env };
  const door = await openDoor({ env: settings, log: { level: 'info', stream } });
  const connected = await connectApp(door);
  return {
    door,
    connected,
    async lines() {
      await door.bridge.untilLogged();
      const all = text.split('\n').filter(Boolean);
      text = '';
      return all.map((line) => JSON.parse(line) as Line);
    },
    call: (headers = {}, request = {}) =>
      sendRaw(door.bridgeUrl, {
        path: '/1/user.json',
        ...request,
        headers: { authorization: `Bearer ${connected.token}`, ...headers, ...request.headers },
      }),
    async expireAccess() {
      const { durable } = door.bridge.context.store;
      await durable.updateTable('grants').set({ access_expires_at: 0, refresh_at: 0 }).execute();
    },
    grant: connected.grant,
  };
}

export const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
export const PARENT_ID = '00f067aa0ba902b7';

/** As the recommendation writes its example. */
export const TRACEPARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

/** The parts of a `traceparent` that another server got. */
export function partsOf(given: unknown): { traceId: string; parentId: string; flags: string } {
  const [version, traceId = '', parentId = '', flags = ''] = String(given).split('-');
  if (version !== '00') throw new Error(`no traceparent: ${String(given)}`);
  return { traceId, parentId, flags };
}
