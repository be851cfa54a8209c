import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bodyOf } from './forward.ts';
import { freePort } from './free-port.ts';

/** A stand-in for the still running old API, over a real socket, which answers as the old API did (docs/old-api.md). */

export interface OldAccount {
  /** All that stand for this account; deauthorizing by one ends them all. */
  tokens: string[];
  user: { id: string } & Record<string, unknown>;
  profiles?: Array<{ id: string } & Record<string, unknown>>;
  /** In its lists by their status, `buffer` or `sent`. */
  updates?: OldUpdate[];
  /** What the next creates make. */
  next?: OldUpdate;
}

interface OldUpdate {
  id: string;
  profile_id: string;
  status: string;
  text: string;
  due_at: number;
}

/** A request as it came over the wire. */
interface SeenRequest {
  method: string;
  /** Path and query, byte for byte. */
  target: string;
  /** Lower-case names, repeated ones joined. */
  headers: IncomingMessage['headers'];
  /** Names and values in turn, as sent. */
  rawHeaders: string[];
  body: Buffer;
}

/**
 * How it answers from now on: as recorded, not at all because it does not run, never within any limit, with 5 MB, by
 * breaking the connection in the middle of the answer or in its place, with a fixed answer, or with the recorded answer of the moment, which is
 * sent later. A redirect is `{ status: 302, headers }`.
 */
type Behaviour =
  | 'normal'
  | 'down'
  | 'slow'
  | 'big'
  | 'cut'
  | 'reset'
  | { path: string; sentAfter: Promise<void> }
  | {
      status: number;
      /** Names and values in turn, sent as they are. */
      headers?: string[];
      body?: string | Buffer;
      /** Where it answers so; everywhere when absent. */
      path?: string;
    };

export interface OldBackend {
  /** `http://127.0.0.1:PORT`, for `LEGACY_BACKEND_URL`. */
  url: string;
  requests: SeenRequest[];
  /** Requests of a method and path, without the query. */
  seen(method: string, path: string): SeenRequest[];
  setBehaviour(behaviour: Behaviour): Promise<void>;
  /** Lets one more token stand for the account with this user id. */
  addToken(userId: string, token: string): void;
  /** Connections that it took since it was started. */
  connections(): number;
  /** Ends all connections, those of calls that it never answers too. */
  hangUp(): void;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers?: string[];
  body: string | Buffer;
}

const JSON_TYPE = ['Content-Type', 'application/json;charset=UTF-8'];

/** PHP's `json_encode` puts a backslash before every slash. */
const json = (status: number, value: unknown): Answer => ({
  status,
  headers: JSON_TYPE,
  body: JSON.stringify(value).replaceAll('/', '\\/'),
});

const refusal = (status: number, code: number, error: string) => json(status, { error, code });

const UNKNOWN_PATH = refusal(404, 404, 'The endpoint you requested was not found.');

const CHALLENGE: Answer = {
  status: 401,
  headers: [
    'Content-Type',
    'text/html; charset=UTF-8',
    'WWW-Authenticate',
    "OAuth realm='Service', error='invalid_request', error_description='The request is missing a required parameter.'",
  ],
  body: '',
};

const pathOf = ({ target }: SeenRequest): string => target.split('?')[0] ?? '';

/** PHP reads broken JSON as `null`, which holds nothing: the call is answered, like any other. */
function documentIn(text: string): { access_token?: string } {
  try {
    return Object(JSON.parse(text)) as { access_token?: string };
  } catch {
    return {};
  }
}

function bodyToken({ headers, body }: SeenRequest): string | undefined {
  const [type, text] = [headers['content-type'] ?? '', body.toString()];
  if (type.startsWith('multipart/')) return /name="access_token"\r\n\r\n(.*)\r\n/.exec(text)?.[1];
  if (type.startsWith('application/json')) return documentIn(text).access_token;
  return new URLSearchParams(text).get('access_token') ?? undefined;
}

function tokenIn(request: SeenRequest): string | undefined {
  const header = /^(?:bearer|oauth) +(.*)$/i.exec(request.headers.authorization ?? '')?.[1];
  const query = new URLSearchParams(request.target.split('?')[1]).get('access_token');
  return header ?? query ?? bodyToken(request);
}

const DEAUTHORIZED = { success: true, message: 'Access successfully revoked!' };

const update = (userId: string) => ({
  id: '4ecda256512f7ee521000001',
  user_id: userId,
  status: 'buffer',
  text: 'as posted',
});

/** What it says of the updates of an account; undefined for another path. */
function answerOfUpdates({ updates = [] }: OldAccount, path: string): (() => Answer) | undefined {
  const [, profileId, list] = /^\/1\/profiles\/(\w+)\/updates\/(pending|sent)\.json$/.exec(path) ?? [];
  const status = list === 'sent' ? 'sent' : 'buffer';
  const listed = updates.filter((one) => one.profile_id === profileId && one.status === status);
  if (list !== undefined && listed.length > 0)
    return () => json(200, { total: listed.length, updates: listed });
  const one = updates.find(({ id }) => path === `/1/updates/${id}.json`);
  return one && (() => json(200, one));
}

function answerOfProfile(
  profiles: NonNullable<OldAccount['profiles']>,
  path: string,
): (() => Answer) | undefined {
  const [, id, below] = /^\/1\/profiles\/([0-9a-f]{24})(\/updates\/pending)?\.json$/.exec(path) ?? [];
  if (id === undefined) return undefined;
  const profile = profiles.find((one) => one.id === id);
  if (!profile) return () => refusal(404, 1010, 'Profile could not be found.');
  return () => json(200, below === undefined ? profile : { total: 0, updates: [] });
}

/** What the old API says to an account; undefined for a path that it does not know. */
function answerTo(account: OldAccount | undefined, path: string): (() => Answer) | undefined {
  const { user = { id: '' }, profiles = [], tokens = [], next } = account ?? {};
  const ofUpdates = account && answerOfUpdates(account, path);
  if (ofUpdates) return ofUpdates;
  const ended = () => {
    tokens.length = 0;
    return json(200, DEAUTHORIZED);
  };
  const created = { success: true, buffer_count: 1, buffer_percentage: 10 };
  const fixed: Record<string, () => Answer> = {
    '/1/user.json': () => json(200, { _id: user.id, ...user }),
    '/1/profiles.json': () => json(200, profiles),
    '/1/updates/create.json': () => json(200, { ...created, updates: [next ?? update(user.id)] }),
    '/1/user/deauthorize.json': ended,
    '/user/deauthorize': ended,
  };
  return fixed[path] ?? answerOfProfile(profiles, path);
}
/** These two ask for no token. */
const OPEN: Record<string, Answer> = {
  '/1/links/shares.json': json(200, { shares: 47348 }),
  '/1/info/configuration.json': json(200, { services: {}, media: {} }),
};

/** Routing comes before authentication. */
function normally(accounts: readonly OldAccount[], request: SeenRequest): Answer {
  const path = pathOf(request);
  if (OPEN[path]) return OPEN[path];
  const token = tokenIn(request);
  const account = accounts.find(({ tokens }) => token !== undefined && tokens.includes(token));
  const answer = answerTo(account, path);
  if (!answer) return UNKNOWN_PATH;
  if (token === undefined) return CHALLENGE;
  return account ? answer() : refusal(401, 401, 'The provided access token is invalid');
}

function send(response: ServerResponse, { status, headers = [], body }: Answer): void {
  const bytes = Buffer.from(body);
  const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const isFramed = names.includes('content-length') || names.includes('transfer-encoding');
  response.writeHead(status, isFramed ? headers : [...headers, 'Content-Length', String(bytes.length)]);
  response.end(bytes);
}

async function answerAs(
  behaviour: Behaviour,
  response: ServerResponse,
  recorded: () => Answer,
): Promise<void> {
  if (behaviour === 'slow') return;
  if (behaviour === 'reset') return void response.socket?.resetAndDestroy();
  if (behaviour === 'big')
    return send(response, { ...json(200, []), body: Buffer.alloc(5 * 1024 * 1024, 32) });
  if (behaviour === 'cut') {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('[{"id":"4eb8', () => response.destroy());
    return;
  }
  if (typeof behaviour === 'object' && 'status' in behaviour)
    return send(response, { body: '', ...behaviour });
  const answer = recorded();
  if (typeof behaviour === 'object') await behaviour.sentAfter;
  send(response, answer);
}

/** Starts it on loopback; `accounts` may be changed while it runs. */
export async function startOldBackend({ accounts }: { accounts: OldAccount[] }): Promise<OldBackend> {
  const port = await freePort();
  const requests: SeenRequest[] = [];
  let behaviour: Behaviour = 'normal';
  let server: Server | undefined;
  let taken = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, rawHeaders } = incoming;
    const request = { method, target: url, headers, rawHeaders, body: await bodyOf(incoming) };
    requests.push(request);
    const isElsewhere =
      typeof behaviour === 'object' && (behaviour.path ?? pathOf(request)) !== pathOf(request);
    await answerAs(isElsewhere ? 'normal' : behaviour, response, () => normally(accounts, request));
  }

  async function start(): Promise<void> {
    server = createServer((incoming, response) => {
      serve(incoming, response).catch(() => response.destroy());
    });
    server.on('connection', (socket: Socket) => {
      taken += 1;
      socket.on('error', () => undefined);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function stop(): Promise<void> {
    if (!server) return;
    const stopping = server;
    server = undefined;
    const closed = once(stopping, 'close');
    stopping.close();
    stopping.closeAllConnections();
    await closed;
  }

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    seen: (method, path) => requests.filter((one) => one.method === method && pathOf(one) === path),
    async setBehaviour(next) {
      behaviour = next;
      if (next === 'down') await stop();
      else if (!server) await start();
    },
    addToken(userId, token) {
      const account = accounts.find(({ user }) => user.id === userId);
      if (!account) throw new Error(`no account has the user id ${userId}`);
      account.tokens.push(token);
    },
    connections: () => taken,
    hangUp: () => server?.closeAllConnections(),
    close: stop,
  };
}
