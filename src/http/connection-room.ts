import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/log/logger.ts';
import { createRefusalLog } from '../shared/log/refusal-log.ts';
import { networkKey } from '../shared/net/addresses.ts';

/**
 * How many connections of callers one process keeps open. Without a limit, connections that do nothing could take every
 * open file, and the process could open neither its database nor the file of a spilled pair.
 */

const MOST = 20_000;

/** Open files for everything but callers: databases, spill, log, connections to the new and the old API. */
const KEPT_FOR_OTHERS = 512;

/** The limit of open files of this process; Infinity where the system does not tell. Node has raised it at its start. */
function openFilesMost(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Half of the open files at least: a limit that is too low for callers is too low for the process. */
function connectionsMost(files: number): number {
  return Math.min(MOST, Math.max(files - KEPT_FOR_OTHERS, Math.floor(files / 2)));
}

/** From this share on, connections that wait for their next request make room for new ones. */
const CROWDED = 0.9;

/** Looking for waiting connections takes a while where there are many. */
const MAKES_ROOM_EVERY = 1 * SECOND;

/** Limits the connections of a server. Connections above the limit are closed at once, and told in the log. */
export function limitConnections(server: Server, logger: Logger): void {
  const most = connectionsMost(openFilesMost());
  const note = createRefusalLog({ logger });
  let open = 0;
  let madeRoomAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = most;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open < most * CROWDED || performance.now() - madeRoomAt < MAKES_ROOM_EVERY) return;
    madeRoomAt = performance.now();
    server.closeIdleConnections();
  });
  server.on('drop', (dropped) => {
    const message = 'a connection was closed at once, too many are open';
    const address = dropped?.remoteAddress ?? '';
    note({ level: 'warn', message, address, fields: { most, network: networkKey(address) } });
  });
}

/** Tells in the log of a connection that was closed because too many requests waited on it for their answers. */
export function tellOfTooMany(logger: Logger): (socket: Socket) => void {
  const note = createRefusalLog({ logger });
  return ({ remoteAddress: address = '' }) => {
    const message = 'a connection was closed, too many requests on it waited for their answers';
    note({ level: 'warn', message, address, fields: { network: networkKey(address) } });
  };
}
