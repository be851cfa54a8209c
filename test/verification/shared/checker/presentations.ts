import type { Socket } from 'node:net';
import { digestOf, type Presentation } from './history.ts';

/** What a bridge may send as one request before the campaign looks no further for refresh tokens on its connection. */
const LOOKED_AT = 16_384;

const TOKEN = /(?:^|&)refresh_token=([^&\s]+)/;

/** The length of the first request in a text, head and body; undefined while it is not whole. */
function wholeLength(text: string): number | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const body = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1];
  const length = end + 4 + Number(body ?? 0);
  return text.length < length ? undefined : length;
}

/** The refresh token in a whole token request. */
function presentedIn(request: string): string | undefined {
  const [head = '', body = ''] = request.split('\r\n\r\n', 2);
  const token = head.startsWith('POST /token ') ? TOKEN.exec(body)?.[1] : undefined;
  return token === undefined ? undefined : decodeURIComponent(token);
}

/**
 * Finds the refresh tokens in what leaves the bridges, in every request of a connection, before the network does
 * anything to it: a request that never arrives has been made all the same.
 */
export function watchPresentations(into: Presentation[]): (connection: Socket, bytes: Buffer) => void {
  const texts = new WeakMap<Socket, { text: string; at: number }>();
  return (connection, bytes) => {
    const known = texts.get(connection) ?? { text: '', at: 0 };
    texts.set(connection, known);
    if (known.text.length > LOOKED_AT) return;
    if (known.text === '') known.at = Date.now();
    known.text += bytes.toString('latin1');
    for (let length = wholeLength(known.text); length !== undefined; length = wholeLength(known.text)) {
      const token = presentedIn(known.text.slice(0, length));
      if (token !== undefined) into.push({ at: known.at, token: digestOf(token) });
      known.text = known.text.slice(length);
      known.at = Date.now();
    }
  };
}
