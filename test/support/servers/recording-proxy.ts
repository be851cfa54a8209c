import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, bodyOf, forward, send } from './forward.ts';

interface TokenCall {
  at: number;
  grantType: string | undefined;
  refreshToken: string | undefined;
  code: string | undefined;
  codeVerifier: string | undefined;
  headers: IncomingHttpHeaders;
  /** Unset until the modern side answered. */
  status: number | undefined;
}

/** Any call but POST /token: a reading of the main API, a revocation, a page. */
interface OtherCall {
  method: string | undefined;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Unset until the modern side answered. */
  status: number | undefined;
}

/** Called with every answer of POST /token before it is passed back; may wait, or return another answer. */
type OnTokenAnswer = (call: TokenCall, answer: Answer) => Promise<Answer> | Answer;

export interface RecordingProxy {
  origin: string;
  calls: TokenCall[];
  onTokenAnswer: OnTokenAnswer | undefined;
  /** Called before a token call is passed on; throwing cuts the connection, and the modern side never hears of it. */
  onTokenCall: ((call: TokenCall) => void) | undefined;
  /** Called before any other call is passed on, the main API's above all; may wait. */
  onOtherCall: ((call: OtherCall) => Promise<void>) | undefined;
  /** Answers another call in the modern side's place, which never hears of it then. */
  insteadOfOther: ((call: OtherCall) => Answer | undefined) | undefined;
  /** Called with every answer to another call before it is passed back; may wait, or return another answer. */
  onOtherAnswer: ((call: OtherCall, answer: Answer) => Promise<Answer> | Answer) | undefined;
  refreshes(): TokenCall[];
  /** What asked the main API. */
  readings(): OtherCall[];
  /** The refresh tokens that the modern side was told to forget, and took. */
  revoked(): string[];
  assertNoRefreshTokenTwice(): void;
  close(): Promise<void>;
}

function tokenCall({ headers }: IncomingMessage, body: Buffer): TokenCall {
  const form = new URLSearchParams(body.toString());
  const read = (name: string) => form.get(name) ?? undefined;
  return {
    at: Date.now(),
    grantType: read('grant_type'),
    refreshToken: read('refresh_token'),
    code: read('code'),
    codeVerifier: read('code_verifier'),
    headers,
    status: undefined,
  };
}

function otherCall({ method, url, headers }: IncomingMessage, body: Buffer): OtherCall {
  return { method, path: url?.split('?')[0] ?? '', headers, body: body.toString(), status: undefined };
}

/**
 * Stands between the bridge and the modern side, on the issuer's own address, and keeps what `POST /token` received:
 * the one view of the history that neither side can colour.
 */
export async function startRecordingProxy(port: number, target: string): Promise<RecordingProxy> {
  const calls: TokenCall[] = [];
  const others: OtherCall[] = [];
  const proxy: RecordingProxy = {
    origin: `http://127.0.0.1:${port}`,
    calls,
    onTokenAnswer: undefined,
    onTokenCall: undefined,
    onOtherCall: undefined,
    insteadOfOther: undefined,
    onOtherAnswer: undefined,
    refreshes: () => calls.filter((call) => call.grantType === 'refresh_token'),
    readings: () => others.filter(({ method, path }) => method === 'POST' && path === '/'),
    revoked: () =>
      others
        .filter(({ path, status }) => path === '/token/revocation' && status === 200)
        .map(({ body }) => new URLSearchParams(body).get('token') ?? ''),
    assertNoRefreshTokenTwice() {
      const presented = this.refreshes().map((call) => call.refreshToken);
      const repeated = presented.length - new Set(presented).size;
      if (repeated > 0)
        throw new Error(`${repeated} of ${presented.length} refresh tokens were presented again`);
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const isToken = request.method === 'POST' && request.url?.split('?')[0] === '/token';
    if (!isToken) return relayOther(request, body, response);
    const call = tokenCall(request, body);
    calls.push(call);
    proxy.onTokenCall?.(call);
    const answer = await forward(request, body, target);
    call.status = answer.status;
    send(response, (await proxy.onTokenAnswer?.(call, answer)) ?? answer);
  }

  async function relayOther(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const call = otherCall(request, body);
    others.push(call);
    await proxy.onOtherCall?.(call);
    const answer = proxy.insteadOfOther?.(call) ?? (await forward(request, body, target));
    call.status = answer.status;
    send(response, (await proxy.onOtherAnswer?.(call, answer)) ?? answer);
  }

  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return proxy;
}
