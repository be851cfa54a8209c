import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../../config/config.ts';
import { listenFailure } from '../../../shared/net/listen-failure.ts';
import { ok, type CheckVerdict } from '../../../domain/checks/verdict.ts';
import { failure } from './verdict.ts';

/**
 * Whether `HOST` is an address of this machine. Listens at a free port and stops at once: `PORT` is most likely in use
 * by the bridge itself.
 */
export async function checkHost({ host }: Pick<Config, 'host'>): Promise<CheckVerdict> {
  const server = createServer();
  try {
    server.listen(0, host);
    await once(server, 'listening');
  } catch (error) {
    throw failure(listenFailure(error, 'HOST', { host, port: 0 }).message);
  }
  server.close();
  return ok(`${host} is an address of this machine`);
}
