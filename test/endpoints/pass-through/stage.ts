import { once } from 'node:events';
import { connect } from 'node:net';
import type { OldBackend } from '../../support/servers/old-backend.ts';
import type { Door } from '../support/door.ts';

/** Where calls pass through: a bridge, the old backend behind it, and a token that waits for its owner. */

export interface Stage {
  door: Door;
  old: OldBackend;
}

export const TOKEN = `1/${'a1'.repeat(16)}`;

/** Bytes as they are; everything that comes back, which a close ends. */
export async function exchangeBytes({ door }: Stage, bytes: Buffer | string): Promise<Buffer> {
  const { hostname, port } = new URL(door.bridgeUrl);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  socket.on('data', (part: Buffer) => received.push(part));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(received);
}

export const request = (lines: string[], body: Buffer | string = ''): Buffer =>
  Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);

/** The one request that the old backend has seen. */
export function lastSeen({ old }: Stage): OldBackend['requests'][number] {
  expect(old.requests).toHaveLength(1);
  return old.requests[0]!;
}
