import axios, { type AxiosRequestConfig } from 'axios';
import { LRUCache } from 'lru-cache';
import { UPSTREAM_TIMEOUT } from '../shared/lifetimes.ts';
import { madeOnce } from '../shared/memory/made-once.ts';
import { type TraceContext, traceHeaders } from '../shared/trace/trace-context.ts';
import type { Connection } from './connection.ts';
import {
  ANSWER_LIMIT_BYTES,
  createDeadline,
  createSend,
  type WireOrigin,
  wireOriginOf,
} from './wire/kept-connections.ts';
import { ACCEPTED_CODINGS, unpackedText } from './wire/unpacked-text.ts';

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
   * A connection for this request alone. Without one, kept connections are shared, for calls that may be
   * repeated.
   */
  connection?: Connection;
  /** False: without a connection of its own it is sent over a new one, once. */
  isRepeatable?: boolean;
  /** The trace that the request belongs to. A connection of its own may have it instead. */
  trace?: TraceContext | undefined;
}

const sendOverKept = createSend(64);

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

/** Keeps only the message and code: an error may have the request on it, with its headers and its body. */
function reduced(error: unknown): Error {
  const { message, code } = error as { message?: string; code?: string };
  return Object.assign(new Error(message ?? 'the request failed'), { code });
}

/** Some services refuse a program that does not name itself. */
const ACCEPTED = { Accept: 'application/json', 'User-Agent': 'grantbridge' };

const headersOf = ({ headers, trace, connection }: HttpRequest) => ({
  ...ACCEPTED,
  ...headers,
  ...traceHeaders(trace ?? connection?.trace),
});

function toHeaders(told: object): HttpAnswer['headers'] {
  const headers: HttpAnswer['headers'] = {};
  for (const [name, value] of Object.entries(told)) headers[name.toLowerCase()] = String(value);
  return headers;
}

/** Where a URL leads. */
interface Target {
  to: WireOrigin;
  host: string;
  /** Path and query. */
  path: string;
}

function targetOf(url: string): Target {
  const address = new URL(url);
  return { to: wireOriginOf(address), host: address.host, path: `${address.pathname}${address.search}` };
}

/** The few URLs of the new API, read once: each server, and each endpoint of it. */
const targets = new LRUCache<string, Target>({ max: 100 });

/**
 * The head of a request as a list, which Node writes as it is; from an object Node would make a second one first. Of a name in
 * two spellings the later value counts.
 */
function headerList(request: HttpRequest, host: string): string[] {
  const { body } = request;
  const headers = { Host: host, 'Accept-Encoding': ACCEPTED_CODINGS, ...headersOf(request) };
  const places = new Map<string, number>();
  const list: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const place = places.get(name.toLowerCase()) ?? list.length;
    places.set(name.toLowerCase(), place);
    list[place] = name;
    list[place + 1] = value;
  }
  if (body !== undefined) list.push('Content-Length', String(Buffer.byteLength(body)));
  return list;
}

/** Sends a request that has a connection of its own. */
async function sendAlone(request: HttpRequest, connection: Connection): Promise<HttpAnswer> {
  const deadline = createDeadline(UPSTREAM_TIMEOUT);
  const controller = new AbortController();
  deadline.whenOver(() => {
    connection.reset();
    controller.abort();
  });
  try {
    const answer = await axios.request<unknown>({
      ...SAFE,
      method: request.method,
      url: request.url,
      data: request.body,
      headers: headersOf(request),
      httpAgent: connection.agent,
      httpsAgent: connection.agent,
      signal: controller.signal,
    });
    const body = typeof answer.data === 'string' ? answer.data : '';
    return { status: answer.status, headers: toHeaders(answer.headers), body };
  } finally {
    deadline.clear();
  }
}

/** Sends a call over a shared connection, where it may be repeated. */
async function sendShared(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, body, isRepeatable = true } = request;
  const { to, host, path } = madeOnce<string, Target>(targets, url, () => targetOf(url));
  const headers = headerList(request, host);
  const rules = { isRepeatable, limit: UPSTREAM_TIMEOUT };
  const answer = await sendOverKept(to, { method, path, headers, body }, rules);
  const { statusCode: status = 0, headers: told } = answer.head;
  // Node gives each name in lower case, with one text. `Set-Cookie` has a list, and nobody reads it.
  return { status, headers: told as HttpAnswer['headers'], body: await unpackedText(answer) };
}

/**
 * Sends one request and reads the whole answer, whatever the status. A request with its own connection is never sent
 * twice. Throws when no whole answer came.
 */
export async function send(request: HttpRequest): Promise<HttpAnswer> {
  try {
    return await (request.connection ? sendAlone(request, request.connection) : sendShared(request));
  } catch (error) {
    throw reduced(error);
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
