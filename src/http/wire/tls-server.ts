import { createServer, type Server } from 'node:https';
import { CONNECTION_LIMITS } from '../../shared/net/connection-limits.ts';
import { stampOf } from '../../shared/file-stamp.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { readTlsPair, type TlsFiles } from '../../shared/net/tls-pair.ts';

/** The bridge's own certificate. It is renewed every few weeks by a program that knows nothing of the bridge. */

const LOOK_EVERY = 1 * SECOND;

const secureOptions = (tls: TlsFiles) => ({ ...readTlsPair(tls), minVersion: 'TLSv1.2' as const });

/** Serves by the pair that the files hold now; one that is not usable changes nothing. */
function renew(server: Server, tls: TlsFiles, logger: Logger): void {
  try {
    server.setSecureContext(secureOptions(tls));
    logger.info('the certificate was read anew, new connections get it');
  } catch (error) {
    logger.error('ALARM: the certificate was changed and is not usable, the one read before serves on', {
      error,
    });
  }
}

/**
 * A server by the pair of these files, which it reads again when they have changed and rest since the last look: they are
 * replaced one after the other, and do not fit in between.
 */
export function createTlsServer(tls: TlsFiles, logger: Logger): Server {
  const look = () => [tls.certFile, tls.keyFile].map(stampOf).join(' ');
  let [used, seen] = [look(), ''];
  const server = createServer({ ...CONNECTION_LIMITS, ...secureOptions(tls) });
  const timer = setInterval(() => {
    const now = look();
    if (now !== used && now === seen) {
      used = now;
      renew(server, tls, logger);
    }
    seen = now;
  }, LOOK_EVERY).unref();
  return server.on('close', () => clearInterval(timer));
}
