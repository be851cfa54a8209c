import { type IncomingMessage, request } from 'node:http';
import { bodyOf } from '../servers/forward.ts';

export interface RawRequest {
  method?: string;
  /** Path and query, sent byte for byte. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  json: unknown;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One request exactly as written: no encoding, no redirect, no header of its own but Host and Content-Length. */
export async function sendRaw(origin: string, wanted: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
  const headers = { ...wanted.headers, ...(body && { 'content-length': String(body.length) }) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(
      { hostname, port, path: wanted.path, method: wanted.method ?? 'GET', headers, agent: false },
      resolve,
    )
      .once('error', reject)
      .end(body);
  });
  const text = (await bodyOf(answer)).toString();
  return { status: answer.statusCode ?? 0, headers: answer.headers, text, json: parsed(text) };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export function rawForm(
  body: string,
  headers: Record<string, string> = {},
): Pick<RawRequest, 'headers' | 'body'> {
  return { headers: { ...FORM, ...headers }, body };
}

export function multipart(fields: Record<string, string>): Pick<RawRequest, 'headers' | 'body'> {
  const boundary = '------------------------d74496d66958873e';
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  };
}

export function json(value: unknown): Pick<RawRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
