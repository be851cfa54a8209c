import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { PassedAnswer } from '../../upstream/old-backend.ts';

/** Reads the body of an answer of the old API in any encoding. The caller of the bridge chose the encoding. */

type Unpacker = (body: Buffer, limit: { maxOutputLength: number }) => Buffer;

function short(body: Buffer, { maxOutputLength }: { maxOutputLength: number }): Buffer {
  if (body.length > maxOutputLength) throw new RangeError('the body is too long');
  return body;
}

const UNPACK: Readonly<Record<string, Unpacker>> = {
  '': short,
  identity: short,
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

function encodingOf({ rawHeaders }: PassedAnswer): string {
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'content-encoding',
  );
  return at < 0 ? '' : (rawHeaders[at + 1] ?? '').trim().toLowerCase();
}

/**
 * The JSON of an answer; undefined where the body is no JSON, exceeds `maxOutputLength` bytes, or cannot be unpacked.
 */
export function jsonIn(answer: PassedAnswer, maxOutputLength: number): unknown {
  try {
    const body = UNPACK[encodingOf(answer)]?.(answer.body, { maxOutputLength });
    return body && JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
