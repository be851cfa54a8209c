import type { StaffRole } from '../../../src/domain/accounts/staff.ts';
import { makeApiKey, type MadeApiKey } from '../../../src/domain/api-keys/make-api-key.ts';
import type { System } from '../../support/bridge/system.ts';
import { type RawAnswer, sendRaw } from '../../support/callers/raw-request.ts';
import { expectDescribed } from './described.ts';

/** A program that uses the staff API. Each answer is held against the OpenAPI document. */

type Bridge = Pick<System, 'bridge' | 'bridgeUrl'>;

/** A key of the operator. */
export async function keyFor(
  { bridge }: Pick<Bridge, 'bridge'>,
  role: StaffRole,
  changes: { days?: number; accountId?: string } = {},
): Promise<MadeApiKey> {
  const asked = { name: `a ${role}`, role, days: 30, actor: 'command:test', requestId: null, ...changes };
  const made = await makeApiKey(bridge.context, asked);
  if (made === 'known') throw new Error('the id is taken');
  return made;
}

export interface ApiRequest {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One request of the API, as written. */
export async function ask(
  { bridgeUrl }: Pick<Bridge, 'bridgeUrl'>,
  [method, path]: readonly [method: string, path: string],
  { key, body, headers = {} }: ApiRequest = {},
): Promise<RawAnswer> {
  const answer = await sendRaw(bridgeUrl, {
    method,
    path: `/api/v1${path}`,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  expectDescribed([method, path], answer);
  return answer;
}

/** A program with one key. */
export function programOf(bridge: Bridge, key: string) {
  return {
    get: (path: string) => ask(bridge, ['GET', path], { key }),
    post: (path: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      ask(bridge, ['POST', path], { key, body, headers }),
  };
}

export type Program = ReturnType<typeof programOf>;

/** The name of the problem in an answer. */
export const problemIn = ({ status, json }: RawAnswer): string => {
  const { type } = json as { type?: string };
  return `${status} ${type?.split('/').at(-1)}`;
};
