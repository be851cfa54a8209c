import type { CallKind } from './who-answers.ts';

/** The nineteen calls of the old API: their addresses without the suffix `.json`, and their methods. */

interface OldCall {
  /** All addresses of the call. Names after a colon are parameters. */
  paths: readonly [string, ...string[]];
  kind: Extract<CallKind, 'account' | 'deauthorize' | 'queue'>;
  methods: readonly string[];
  /** Whether HEAD is meaningful for the call. */
  isRead: boolean;
}

/** A read takes POST too, and answers POST in the same way as GET. */
const READ_METHODS = ['GET', 'POST'];

const read = (path: string, kind: OldCall['kind'] = 'queue'): OldCall => ({
  paths: [path],
  kind,
  methods: READ_METHODS,
  isRead: true,
});

const write = (path: string): OldCall => ({
  paths: [path],
  kind: 'queue',
  methods: ['POST'],
  isRead: false,
});

/** By name. A fixed path comes before a path with a parameter that would match the fixed path too. */
export const OLD_CALLS = {
  user: read('/1/user', 'account'),
  profiles: read('/1/profiles', 'account'),
  profile: read('/1/profiles/:id', 'account'),
  deauthorize: {
    paths: ['/1/user/deauthorize', '/user/deauthorize'],
    kind: 'deauthorize',
    methods: READ_METHODS,
    isRead: false,
  },
  schedules: read('/1/profiles/:id/schedules'),
  updateSchedules: write('/1/profiles/:id/schedules/update'),
  pendingUpdates: read('/1/profiles/:id/updates/pending'),
  sentUpdates: read('/1/profiles/:id/updates/sent'),
  reorderUpdates: write('/1/profiles/:id/updates/reorder'),
  shuffleUpdates: write('/1/profiles/:id/updates/shuffle'),
  createUpdate: write('/1/updates/create'),
  update: read('/1/updates/:id'),
  interactions: read('/1/updates/:id/interactions'),
  changeUpdate: write('/1/updates/:id/update'),
  shareUpdate: write('/1/updates/:id/share'),
  destroyUpdate: write('/1/updates/:id/destroy'),
  moveUpdateToTop: write('/1/updates/:id/move_to_top'),
  shares: read('/1/links/shares'),
  configuration: read('/1/info/configuration'),
} as const satisfies Record<string, OldCall>;

export type OldCallName = keyof typeof OLD_CALLS;

/** The names in the order of the table. */
export const OLD_CALL_NAMES = Object.keys(OLD_CALLS) as OldCallName[];

/** The call at each address without a suffix. */
const BY_PATH: ReadonlyMap<string, OldCallName> = new Map(
  OLD_CALL_NAMES.flatMap((name) => OLD_CALLS[name].paths.map((path) => [path, name])),
);

/** The beginnings of paths that are followed by an id. */
const BEFORE_ID = ['/1/updates/', '/1/profiles/'];

/** A suffix follows the name of the call, or an id at the end of the path. A name has at least one character. */
function withoutSuffix(path: string): string {
  const dot = path.indexOf('.', path.lastIndexOf('/') + 2);
  return dot === -1 ? path : path.slice(0, dot);
}

/** The path with `:id` in the place of the id. */
function withoutId(path: string): string {
  const before = BEFORE_ID.find((start) => path.startsWith(start));
  if (before === undefined || path.length === before.length) return path;
  const end = path.indexOf('/', before.length);
  if (end === before.length) return path;
  return `${before}:id${end === -1 ? '' : path.slice(end)}`;
}

/** The call of a path, with any suffix or none; undefined for every other path. */
export function oldCallOf(path: string): OldCallName | undefined {
  const plain = withoutSuffix(path);
  return BY_PATH.get(plain) ?? BY_PATH.get(withoutId(plain));
}

interface CalledAddress {
  method: string;
  path: string;
}

/** A path with a word in the place of an id. An id has the form of both APIs. */
const WORD_FOR_ID = /^\/1\/(?:updates|profiles)\/(?![0-9a-f]{24}(?:[/.]|$))/;

/** Whether a call is known, and only reads. What an unknown path, method or word in the place of an id does, nobody knows. */
export function isKnownRead({ method, path }: CalledAddress): boolean {
  const name = oldCallOf(path);
  if (name === undefined || WORD_FOR_ID.test(path)) return false;
  return OLD_CALLS[name].isRead && OLD_CALLS[name].methods.includes(method);
}

/**
 * Whether a call may write at the old API, where it must not be done twice. To end a token twice does no harm. Of a call that
 * nobody knows only the method tells.
 */
export function mayWriteThere(call: CalledAddress): boolean {
  const name = oldCallOf(call.path);
  if (name !== undefined && !OLD_CALLS[name].isRead) return name !== 'deauthorize';
  return call.method !== 'GET' && call.method !== 'HEAD' && !isKnownRead(call);
}

/** The path with single slashes, and without a slash at the end. */
export function collapsedPath(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
}

/** Whether a path is the address of one of the nineteen calls. */
export function isKnownPath(path: string): boolean {
  return oldCallOf(path) !== undefined;
}

/** The addresses of the exchange of a code. */
export const TOKEN_PATHS = ['/1/oauth2/token.json', '/1/oauth2/token'];

/** The address of the hand-over of a pair to its app. */
export const HAND_OVER_PATH = '/oauth2/exchange';

/** The iPhone program of the service had the id of `updates/:id/update` at the end. */
const UPDATE_BEFORE_ID = /^\/1\/updates\/update\/([0-9a-f]{24})(\.[^/]*)?$/;

/**
 * The plain spelling of a path that stands for a known call or for the exchange: programs join a base that ends in a
 * slash and a path that begins with one. Every other path stays as it is, `authorize` too: people go there, and its
 * address is compared exactly.
 */
export function plainSpelling(path: string): string {
  const plain = collapsedPath(path).replace(UPDATE_BEFORE_ID, '/1/updates/$1/update$2');
  if (plain === path) return path;
  return isKnownPath(plain) || TOKEN_PATHS.includes(plain) ? plain : path;
}
