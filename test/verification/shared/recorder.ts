import { once } from 'node:events';
import { createServer, type IncomingMessage, request as ask, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, bodyOf, send } from '../../support/servers/forward.ts';
import { digestOf } from './checker/history.ts';
import type { Received, ReceivedKind } from './checker/history.ts';
import type { Crossing } from './faults/fault-proxy.ts';

/** What the recorder answers in place of the modern side; `unspent` ones never reach it. */
export type HostileAnswer =
  | 'slow-down'
  | 'client-refused'
  | 'server-error'
  | 'busy'
  | 'unread-refusal'
  | 'not-json'
  | 'half-a-pair';

/** What the main API seems to do with a request that it has carried out. */
export type MainFault = 'server-error' | 'slow' | 'cut';

export interface Recorder {
  received: Received[];
  /** Everything secret that passed: tokens and codes as they are. */
  secrets: Set<string>;
  /** What the next refreshes get instead of the modern side's own answer. */
  hostile: { answer: HostileAnswer; times: number } | undefined;
  /** What becomes of the next answers of the main API. */
  mainFault: { fault: MainFault; times: number } | undefined;
  close(): Promise<void>;
}

const json = (status: number, body: object, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

/** Answers that prove that nothing was spent, and that the modern side never heard of the request. */
const UNSPENT: Partial<Record<HostileAnswer, Answer>> = {
  'slow-down': json(429, { error: 'slow_down' }, { 'retry-after': '1' }),
  'client-refused': json(401, { error: 'invalid_client' }),
};

function spoiled(answer: HostileAnswer, real: Answer): Answer {
  if (answer === 'server-error') return json(502, { message: 'bad gateway' });
  if (answer === 'busy') return json(503, { message: 'come again' }, { 'retry-after': '1' });
  if (answer === 'unread-refusal') return { status: 400, headers: {}, body: Buffer.from('<html>no</html>') };
  if (answer === 'not-json') return { status: 200, headers: {}, body: Buffer.from('<html>welcome</html>') };
  const { access_token: accessToken } = parsed(real.body);
  return json(200, { access_token: accessToken, token_type: 'Bearer', expires_in: 3600 });
}

function parsed(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const SLOW_MS = 1000;

/** The answer of the main API as its caller gets it; undefined where the connection ends without one. */
async function withMainFault(fault: MainFault, real: Answer): Promise<Answer | undefined> {
  if (fault === 'slow') await delay(SLOW_MS);
  if (fault === 'server-error') return json(502, { message: 'bad gateway' });
  return fault === 'cut' ? undefined : real;
}

const isMain = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url === '/';

const SECRET_FIELDS = ['code', 'refresh_token', 'token', 'code_verifier', 'client_secret'] as const;

const KINDS: Record<string, ReceivedKind> = {
  '/token/revocation': 'revocation',
  '/token/introspection': 'introspection',
};

function kindOf(path: string, form: URLSearchParams): ReceivedKind {
  if (path === '/token') return form.get('grant_type') === 'refresh_token' ? 'refresh' : 'code';
  return KINDS[path] ?? 'other';
}

/** On a connection of its own: one that was kept could be closed by the other side just now. */
async function forward(incoming: IncomingMessage, body: Buffer, origin: string): Promise<Answer> {
  const { method, url = '/', headers } = incoming;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    ask(new URL(url, origin), { method, headers: { ...headers, connection: 'close' }, agent: false }, resolve)
      .once('error', reject)
      .end(body.length > 0 ? body : undefined);
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer) };
}

/** Longer than a bridge keeps an idle connection, so that none is closed while a request is on its way. */
const KEEP_ALIVE_MS = 300_000;

/** Stands directly before the modern side and keeps what it received and answered. */
export async function startRecorder(
  port: number,
  modern: string,
  crossingOf: (port: number | undefined) => Crossing | undefined,
): Promise<Recorder> {
  const recorder: Recorder = {
    received: [],
    secrets: new Set(),
    hostile: undefined,
    mainFault: undefined,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };

  function takeHostile(entry: Received): HostileAnswer | undefined {
    const { hostile } = recorder;
    if (entry.kind !== 'refresh' || !hostile || hostile.times <= 0) return undefined;
    hostile.times -= 1;
    entry.hostile = hostile.answer;
    return hostile.answer;
  }

  function takeMainFault(request: IncomingMessage): MainFault | undefined {
    const { mainFault } = recorder;
    if (!mainFault || mainFault.times <= 0 || !isMain(request)) return undefined;
    mainFault.times -= 1;
    return mainFault.fault;
  }

  async function answerTo(request: IncomingMessage, body: Buffer, entry: Received): Promise<Answer> {
    const hostile = takeHostile(entry);
    const unspent = hostile && UNSPENT[hostile];
    if (unspent) {
      Object.assign(entry, { status: unspent.status, answeredAt: Date.now() });
      return unspent;
    }
    const real = await forward(request, body, modern);
    Object.assign(entry, { status: real.status, answeredAt: Date.now() });
    const { refresh_token: next, access_token: access, active, error } = parsed(real.body);
    if (typeof next === 'string') entry.next = digestOf(next);
    if (typeof active === 'boolean') entry.active = active;
    if (typeof error === 'string') entry.error = error;
    for (const secret of [next, access]) if (typeof secret === 'string') recorder.secrets.add(secret);
    return hostile ? spoiled(hostile, real) : real;
  }

  function keepSecrets(form: URLSearchParams): void {
    for (const name of SECRET_FIELDS) {
      const secret = form.get(name);
      if (secret) recorder.secrets.add(secret);
    }
  }

  function entryFor(request: IncomingMessage, body: Buffer): Received {
    const path = request.url?.split('?')[0] ?? '';
    const form = new URLSearchParams(request.method === 'POST' && path !== '/' ? body.toString() : '');
    keepSecrets(form);
    const token = form.get('refresh_token') ?? form.get('token');
    const crossing = crossingOf(request.socket.remotePort);
    return {
      at: Date.now(),
      kind: kindOf(path, form),
      repeated: crossing?.isRepetition === true,
      ...(token !== null && { token: digestOf(token) }),
      ...(crossing && { crossing }),
    };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const entry = entryFor(request, body);
    if (entry.kind !== 'other') recorder.received.push(entry);
    const mainFault = takeMainFault(request);
    const real = await answerTo(request, body, entry);
    const answer = mainFault ? await withMainFault(mainFault, real) : real;
    if (answer) send(response, answer);
    else response.destroy();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return recorder;
}
