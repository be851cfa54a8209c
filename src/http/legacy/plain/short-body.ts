import type { IncomingMessage } from 'node:http';
import { bodyKind } from '../../wire/request-parameters.ts';
import { onCut } from '../../wire/unreadable-body.ts';

/** Reads short forms, which are most bodies of old reads. Every other body takes the ordinary way (`src/http/wire/read-body.ts`). */

/** A token with a few parameters is far shorter. */
const SHORT = 4096;

/** The length of the body that a request declares; undefined where the body is not plain, or not short. */
export function shortLengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined)
    return undefined;
  const length = Number(headers['content-length'] ?? 0);
  return length <= SHORT ? length : undefined;
}

/** Whether a body is a form, by its content type. */
export const isForm = ({ headers }: IncomingMessage, body: Buffer) => bodyKind({ headers, body }) === 'form';

/** Reads a body whose length was checked, and calls `done` with it; without it where the connection is cut before its end. */
export function readShortBody(req: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  const forget = onCut(req, () => done(undefined));
  req.on('data', (chunk: Buffer) => void chunks.push(chunk));
  req.on('end', () => {
    forget();
    done(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
  });
}
