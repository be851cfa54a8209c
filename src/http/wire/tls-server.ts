import { createServer, type Server } from 'node:https';
import { CONNECTION_LIMITS } from '../../shared/net/connection-limits.ts';
import { stampOf } from '../../shared/file-stamp.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { readTlsPair, type TlsFiles } from '../../shared/net/tls-pair.ts';

/** The bridge's own certificate. A program that does not know the bridge renews the certificate every few weeks. */

const LOOK_EVERY = 1 * SECOND;

const secureOptions = (tls: TlsFiles) => ({ ...readTlsPair(tls), minVersion: 'TLSv1.2' as const });

/** Serves with the pair that the files hold now. An unusable pair changes nothing. */
function renew(server: Server, tls: TlsFiles, logger: Logger): void {
  try {
    server.setSecureContext(secureOptions(tls));
    logger.info('the certificate was read anew, new connections use the new certificate');
  } catch (error) {
    logger.error(
      'ALARM: the certificate was changed and is not usable, the bridge keeps the earlier certificate',
      {
        error,
      },
    );
  }
}

/**
 * A server with the pair of these files. It reads the files again when they have changed, and have stayed equal since
 * the last look: a renewal replaces the files one after the other, and in between they do not fit together.
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
