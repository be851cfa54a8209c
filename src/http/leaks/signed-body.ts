import { type KeyObject, verify } from 'node:crypto';
import { finished } from 'node:stream';
import express, { type Request, type Response } from 'express';
import { takeReportPlace } from '../../domain/limits/large-bodies.ts';
import { networkKey } from '../../shared/net/addresses.ts';
import { SHORT_BODY } from '../wire/body-limits.ts';
import { untilRead } from '../wire/read-body.ts';
import { UnreadableBody } from '../wire/unreadable-body.ts';
import { LeakReportRefused } from './refusal.ts';

/**
 * Reads a signed report: ECDSA on P-256 over the SHA-256 of the bytes of the body, as GitHub signs. What costs little is
 * checked first, so a request that names no known key is refused before its body is read.
 */

/** About four thousand tokens with their addresses. */
const REPORT_LIMIT = 1024 * 1024;

const KEY_HEADER = 'github-public-key-identifier';
const SIGNATURE_HEADER = 'github-public-key-signature';

/** A DER signature on P-256 has at most 72 bytes. */
const SIGNATURE = /^[A-Za-z0-9+/]{8,120}={0,2}$/;

interface ReportSignature {
  keyId: string;
  key: KeyObject;
  signature: Buffer;
}

/** A header that is sent twice is joined with a comma, which neither form allows. */
function signatureOf({ headers }: Request, keys: ReadonlyMap<string, KeyObject>): ReportSignature {
  const [keyId, signature] = [headers[KEY_HEADER], headers[SIGNATURE_HEADER]];
  if (typeof keyId !== 'string' || typeof signature !== 'string' || !SIGNATURE.test(signature))
    throw new LeakReportRefused('the headers of the signature are missing or broken');
  const key = keys.get(keyId);
  if (!key) throw new LeakReportRefused('no key has this identifier');
  return { keyId, key, signature: Buffer.from(signature, 'base64') };
}

const bytes = express.raw({ type: () => true, limit: REPORT_LIMIT, inflate: false });

/** Identifiers of keys are public, so anybody can make the bridge read a body: only a few long ones at a time. */
async function readBytes(req: Request): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? Infinity);
  const isTooLarge = length > REPORT_LIMIT && length !== Infinity;
  if (isTooLarge) throw new LeakReportRefused('the body is too large, packed or cut');
  if (length > SHORT_BODY) finished(req.res as Response, await takeReportPlace([networkKey(req.ip ?? '')]));
  try {
    await untilRead(bytes, req);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    throw new LeakReportRefused('the body is too large, packed or cut');
  }
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}

/**
 * The body of a report and the key that signed it.
 * @throws {LeakReportRefused | Unavailable}
 */
export async function readSignedBody(
  req: Request,
  keys: ReadonlyMap<string, KeyObject>,
): Promise<{ keyId: string; body: Buffer }> {
  const { keyId, key, signature } = signatureOf(req, keys);
  const body = await readBytes(req);
  if (!verify('sha256', body, key, signature))
    throw new LeakReportRefused('the signature does not fit the body');
  return { keyId, body };
}
