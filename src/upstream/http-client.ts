import { Agent as HttpAgent } from 'node:http';
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { UPSTREAM_TIMEOUT } from '../shared/lifetimes.ts';
import { OutboundAgent } from '../shared/net/outbound-proxy.ts';
import { type TraceContext, traceHeaders } from '../shared/trace/trace-context.ts';
import type { Connection } from './connection.ts';

/** The largest answer that is read. A longer answer is refused before memory holds it. */
const ANSWER_LIMIT_BYTES = 4 * 1024 * 1024;

export interface HttpAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
}

interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /**
   * A connection for this request alone. Without one, a shared keep-alive agent is used, for calls that may be
   * repeated.
   */
  connection?: Connection;
  /** The trace that the request belongs to. A connection of its own may have it instead. */
  trace?: TraceContext | undefined;
}

const sharedHttp = new HttpAgent({ keepAlive: true, maxSockets: 64 });
const sharedHttps = new OutboundAgent({ keepAlive: true, maxSockets: 64 });
const freshHttp = new HttpAgent({ keepAlive: false });
const freshHttps = new OutboundAgent({ keepAlive: false });

/**
 * Safe axios settings for a token client: no redirects (a 307 would send the body, with refresh token and secret, to
 * another host), no proxy of the library's own choice, limits of time and size, and the body as plain text, so that a broken
 * body is never taken for JSON (docs/decisions/0020).
 */
const SAFE: AxiosRequestConfig = {
  maxRedirects: 0,
  proxy: false,
  maxContentLength: ANSWER_LIMIT_BYTES,
  maxBodyLength: 64 * 1024,
  responseType: 'text',
  transformResponse: (body: unknown) => body,
  validateStatus: () => true,
};

/** Keeps only the message and code: the library attaches the request, its headers and its body to every error. */
function reduced(error: unknown): Error {
  const { message, code } = error as { message?: string; code?: string };
  return Object.assign(new Error(message ?? 'the request failed'), { code });
}

/**
 * Aborts after the limit. After a pause of the whole process, timers run before sockets are read. So one more turn is
 * given, and an answer that is already in the socket is not thrown away.
 */
function createDeadline(): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  let timer = setTimeout(() => {
    timer = setTimeout(() => controller.abort(), 50);
  }, UPSTREAM_TIMEOUT);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

function optionsOf(request: HttpRequest, signal: AbortSignal): AxiosRequestConfig {
  return {
    ...SAFE,
    method: request.method,
    url: request.url,
    data: request.body,
    headers: {
      Accept: 'application/json',
      ...request.headers,
      ...traceHeaders(request.trace ?? request.connection?.trace),
    },
    httpAgent: request.connection?.agent ?? sharedHttp,
    httpsAgent: request.connection?.agent ?? sharedHttps,
    signal,
  };
}

/** The peer had closed a connection of the shared agent just before the reuse. */
function metClosedConnection(error: unknown): boolean {
  const { code, request } = error as { code?: string; request?: { reusedSocket?: boolean } };
  return request?.reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Sends a repeatable call once more, on a new connection. A call with its own connection is never sent twice. */
async function exchange(request: HttpRequest, signal: AbortSignal): Promise<AxiosResponse<string>> {
  const options = optionsOf(request, signal);
  try {
    return await axios.request<string>(options);
  } catch (error) {
    if (request.connection || !metClosedConnection(error)) throw error;
    return axios.request<string>({ ...options, httpAgent: freshHttp, httpsAgent: freshHttps });
  }
}

/** Sends one request and reads the whole answer, whatever the status. Throws when no whole answer came. */
export async function send(request: HttpRequest): Promise<HttpAnswer> {
  const deadline = createDeadline();
  deadline.signal.addEventListener('abort', () => request.connection?.reset(), { once: true });
  try {
    const answer = await exchange(request, deadline.signal);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    );
    return { status: answer.status, headers, body: typeof answer.data === 'string' ? answer.data : '' };
  } catch (error) {
    throw reduced(error);
  } finally {
    deadline.clear();
  }
}

/** The answer's body as a JSON object; undefined for any other body. */
export function jsonObject(answer: HttpAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(answer.body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds (RFC 9110 §10.2.3), at least one second and at most an hour. */
export function retryAfterOf(answer: HttpAnswer, now: number): number | undefined {
  const text = answer.headers['retry-after'];
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 1000), 3_600_000) : undefined;
}
