import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ANSWER_LIMIT_BYTES, type WireAnswer } from './kept-connections.ts';

/** The text of an answer of the new API, which may come packed. */

type Unpack = (packed: Buffer) => Promise<Buffer>;

/** A packed answer may be a thousand times as long as it came, so the limit holds for what comes out too. */
const LIMITED = { maxOutputLength: ANSWER_LIMIT_BYTES };

const [gunzipped, inflated, inflatedRaw, unbrotlied] = [
  promisify(gunzip),
  promisify(inflate),
  promisify(inflateRaw),
  promisify(brotliDecompress),
];

/** Some servers leave out the head of two bytes that RFC 9110 §8.4.1.2 wants. The lower half of its first byte is 8. */
const hasHead = (packed: Buffer) => ((packed[0] ?? 0) & 0x0f) === 8;

const UNPACK: Record<string, Unpack> = {
  gzip: (packed) => gunzipped(packed, LIMITED),
  'x-gzip': (packed) => gunzipped(packed, LIMITED),
  deflate: (packed) => (hasHead(packed) ? inflated : inflatedRaw)(packed, LIMITED),
  br: (packed) => unbrotlied(packed, LIMITED),
};

/** What requests accept. */
export const ACCEPTED_CODINGS = 'gzip, deflate, br';

const BYTE_ORDER_MARK = 0xfeff;

function textOf(body: Buffer): string {
  const text = body.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/**
 * The text of an answer. An answer with a coding that nobody asked for stays as it is, and is not understood.
 * @throws {Error} the content is not what its coding says, or is too long
 */
export async function unpackedText({ head, body }: WireAnswer): Promise<string> {
  const coding = head.headers['content-encoding'];
  const unpack = coding === undefined ? undefined : UNPACK[coding.trim().toLowerCase()];
  return textOf(unpack && body.length > 0 ? await unpack(body) : body);
}
