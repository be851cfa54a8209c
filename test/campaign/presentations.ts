import type { Socket } from 'node:net';
import { digestOf, type Presentation } from './history.ts';

/** What a bridge may send before the campaign looks no further for a refresh token in it. */
const LOOKED_AT = 16_384;

const TOKEN = /(?:^|&)refresh_token=([^&\s]+)/;

/** The refresh token in a token request whose head and body are whole. */
function presentedIn(text: string): string | undefined {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (!head.startsWith('POST /token ') || body === undefined || body.length < length) return undefined;
  const token = TOKEN.exec(body)?.[1];
  return token === undefined ? undefined : decodeURIComponent(token);
}

/**
 * Finds the refresh tokens in what leaves the bridges, before the network does anything to it: a request that never
 * arrives has been made all the same.
 */
export function watchPresentations(into: Presentation[]): (connection: Socket, bytes: Buffer) => void {
  const texts = new WeakMap<Socket, { text: string; at: number }>();
  return (connection, bytes) => {
    const known = texts.get(connection) ?? { text: '', at: Date.now() };
    if (known.text.length > LOOKED_AT) return;
    known.text += bytes.toString('latin1');
    texts.set(connection, known);
    const token = presentedIn(known.text);
    if (token === undefined) return;
    into.push({ at: known.at, token: digestOf(token) });
    known.text = ' '.repeat(LOOKED_AT + 1);
  };
}
