import type { ListName } from '../../../domain/posts/lists/lists.ts';
import { OLD_CALLS } from '../../../domain/old-calls/old-calls.ts';

/** The addresses of the short way. */

const LIST_CALLS = { pendingUpdates: 'pending', sentUpdates: 'sent' } as const satisfies Record<
  string,
  ListName
>;

type ListCallName = keyof typeof LIST_CALLS;

/** One address of a call, with `:id` in the place of an id, and what is known of it. */
export interface PlainAddress {
  path: string;
  name: 'profiles' | 'user' | ListCallName;
  /** The list that the call asks for; undefined for the other calls. */
  list: ListName | undefined;
}

/** An address, with the id in the path of the call. */
export interface FoundAddress {
  address: PlainAddress;
  id: string;
}

function addressesOf(name: PlainAddress['name'], list?: ListName): PlainAddress[] {
  return OLD_CALLS[name].paths
    .flatMap((path) => [`${path}.json`, path])
    .map((path) => ({ path, name, list }));
}

/** Every address of the short way. */
export const PLAIN_ADDRESSES: readonly PlainAddress[] = [
  ...addressesOf('profiles'),
  ...addressesOf('user'),
  ...Object.entries(LIST_CALLS).flatMap(([name, list]) => addressesOf(name as ListCallName, list)),
];

const BY_PATH: ReadonlyMap<string, PlainAddress> = new Map(PLAIN_ADDRESSES.map((one) => [one.path, one]));

/** An id in the form of both APIs. */
const WITH_ID = /^\/1\/profiles\/([0-9a-f]{24})(\/.+)$/;

function withId(path: string): FoundAddress | undefined {
  const [, id = '', rest = ''] = WITH_ID.exec(path) ?? [];
  const address = BY_PATH.get(`/1/profiles/:id${rest}`);
  return address && id !== '' ? { address, id } : undefined;
}

/** The address of a request; undefined where it is not plain, or of another call. */
export function plainAddressOf(url: string): FoundAddress | undefined {
  if (url.includes('#')) return undefined;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  const fixed = BY_PATH.get(path);
  if (fixed) return fixed.list === undefined ? { address: fixed, id: '' } : undefined;
  return withId(path);
}
