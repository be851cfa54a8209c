import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** Bodies in which parameters come, and the codings in which bodies come. */

export interface Carried {
  type: string;
  body: Buffer;
}

export type Fields = Readonly<Record<string, string>>;

const BOUNDARY = 'b';

const fieldPart = ([name, value]: [string, string]) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const FILE_PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nx\r\n`;

/** How parameters are put into a body. */
export const CARRIERS = {
  form: (fields: Fields): Carried => ({
    type: 'application/x-www-form-urlencoded',
    body: Buffer.from(new URLSearchParams(fields).toString()),
  }),
  json: (fields: Fields): Carried => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify(fields)),
  }),
  multipart: (fields: Fields): Carried => ({
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.from(`${Object.entries(fields).map(fieldPart).join('')}--${BOUNDARY}--\r\n`),
  }),
  file: (fields: Fields): Carried => ({
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.from(`${FILE_PART}${Object.entries(fields).map(fieldPart).join('')}--${BOUNDARY}--\r\n`),
  }),
} as const;

/** How a body is packed; the last three are not unpacked, or not as they say. */
export const CODINGS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body),
  zstd: (body) => body,
  'gzip, gzip': (body) => gzipSync(gzipSync(body)),
  bogus: (body) => body,
};
