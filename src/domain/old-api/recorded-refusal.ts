import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { PassedAnswer } from '../../upstream/old-backend.ts';

/** The recorded refusal of a token (legacy-api 2.1), whatever way the caller let the old API pack it. */

const INVALID_TOKEN = { error: 'The provided access token is invalid', code: 401 };

/** The recorded body has a hundred bytes. A longer one is not it, and is not unpacked. */
const maxOutputLength = 16 * 1024;

const UNPACK: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  '': (body) => body,
  identity: (body) => body,
  gzip: (body) => gunzipSync(body, { maxOutputLength }),
  'x-gzip': (body) => gunzipSync(body, { maxOutputLength }),
  deflate: (body) => inflateSync(body, { maxOutputLength }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength }),
};

function encodingOf({ rawHeaders }: PassedAnswer): string {
  const at = rawHeaders.findIndex(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'content-encoding',
  );
  return at < 0 ? '' : (rawHeaders[at + 1] ?? '').trim().toLowerCase();
}

/** Whether an answer has the recorded body; a 401 may also be about the path, or a service behind it. */
export function saysInvalid(answer: PassedAnswer): boolean {
  try {
    const body = UNPACK[encodingOf(answer)]?.(answer.body);
    const { error, code } = Object(JSON.parse(body?.toString('utf8') ?? '')) as Record<string, unknown>;
    return error === INVALID_TOKEN.error && code === INVALID_TOKEN.code;
  } catch {
    return false;
  }
}
