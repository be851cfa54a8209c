import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { SECOND } from '../../shared/lifetimes.ts';
import type { AllowedNetworks } from '../../shared/net/public-addresses.ts';
import { WebhookNotTaken } from './failure.ts';
import { openPinned } from './open-pinned.ts';
import { pinnedAddresses } from './pinned-addresses.ts';

/**
 * Sends one message to one webhook, once (docs/decisions/0028). The receiver is a stranger: the address is checked and
 * pinned, no redirect is followed, and neither its time nor its answer is without a bound.
 */

/** One attempt, from the look-up of the name to the head of the answer. */
const ATTEMPT_LIMIT = 10 * SECOND;

/** The body of an answer is thrown away. It is read for so long, so that a polite receiver sees a whole exchange. */
const BODY_READ_FOR = 0.5 * SECOND;
const BODY_READ_BYTES = 16 * 1024;

const HEAD_BYTES = 16 * 1024;

/** Which addresses may be reached besides public ones, and who vouches for them. */
export interface WebhookReach {
  networks: AllowedNetworks;
  /** Trusted in the place of Node's own authorities; undefined where these are trusted. */
  authority: string | undefined;
}

export interface WebhookRequest {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Reads the rest of an answer within its bounds. What is beyond is not waited for. */
async function throwAwayBody(response: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    let left = BODY_READ_BYTES;
    const timer = setTimeout(resolve, BODY_READ_FOR);
    response.on('data', (piece: Buffer) => {
      left -= piece.length;
      if (left < 0) resolve();
    });
    response.once('close', resolve);
    response.once('close', () => clearTimeout(timer));
  });
}

function exchange(
  socket: TLSSocket,
  { url, headers, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `${url.pathname}${url.search}`;
    const options = { method: 'POST', host: url.host, path, maxHeaderSize: HEAD_BYTES, signal };
    const sent = request({
      ...options,
      headers: { ...headers, host: url.host },
      createConnection: () => socket,
    });
    sent.once('response', (response) => {
      response.on('error', () => undefined);
      resolve(response);
    });
    // A switch of protocols is an answer too, and no success.
    sent.once('upgrade', resolve);
    sent.on('error', reject);
    sent.once('close', () => reject(new Error('the connection was closed')));
    // The client of Node does not always tell of an abort, and a place must never be taken for good.
    signal.addEventListener('abort', () => reject(new Error('no answer came in time')), { once: true });
    sent.end(body);
  });
}

async function answerOf(
  socket: TLSSocket,
  message: WebhookRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    return await exchange(socket, message, signal);
  } catch (cause) {
    if (signal.aborted) throw new WebhookNotTaken('no answer came in time', { cause });
    throw new WebhookNotTaken('the connection was closed without an answer', { cause });
  }
}

function requireSuccess({ statusCode: status = 0 }: IncomingMessage): number {
  if (status >= 200 && status < 300) return status;
  const isRedirect = status >= 300 && status < 400;
  const failure = isRedirect
    ? 'the answer was a redirect, which is not followed'
    : 'the answer was no success';
  throw new WebhookNotTaken(failure, { status });
}

/**
 * Sends the message and returns the status of the answer, which is a success.
 * @throws {WebhookNotTaken}
 */
export async function postWebhook(reach: WebhookReach, message: WebhookRequest): Promise<number> {
  const signal = AbortSignal.timeout(ATTEMPT_LIMIT);
  const addresses = await pinnedAddresses(message.url, { allowed: reach.networks, signal });
  const { authority } = reach;
  const socket = await openPinned({ url: message.url, addresses, authority, signal });
  try {
    const response = await answerOf(socket, message, signal);
    const status = requireSuccess(response);
    await throwAwayBody(response);
    return status;
  } finally {
    socket.destroy();
  }
}
