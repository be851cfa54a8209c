import type { Server as HttpServer, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import { stampOf } from '../../shared/file-stamp.ts';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { readTlsPair, type TlsFiles } from '../../shared/net/tls-pair.ts';

/** The bridge's own certificate. A program that does not know the bridge renews the certificate every few weeks. */

const LOOK_EVERY = 1 * SECOND;

const stampsOf = ({ certFile, keyFile }: TlsFiles) => [certFile, keyFile].map(stampOf).join(' ');

const secureOptions = (tls: TlsFiles) => ({ ...readTlsPair(tls), minVersion: 'TLSv1.2' as const });

/**
 * A renewal replaces the two files one after the other, perhaps some seconds apart, and in between they do not fit. Only
 * a pair that stays unusable for this many looks calls a person.
 */
const LOOKS_BEFORE_ALARM = 5;

const READ_ANEW = 'the certificate was read anew, new connections use the new certificate';

const USED_AGAIN = 'the files of the certificate that serves are there again';

/** Reads changed files again and serves with the new pair. After an unusable pair the earlier pair stays. */
class Renewal {
  readonly #server: Server;
  readonly #tls: TlsFiles;
  readonly #logger: Logger;
  #used: string;
  #seen = '';
  /** How many looks in a row saw the same files. */
  #rested = 0;
  /** Whether the files on the disk were unusable for long enough to call a person, and are still. */
  #isAlarmed = false;

  constructor(server: Server, tls: TlsFiles, { logger, used }: { logger: Logger; used: string }) {
    this.#server = server;
    this.#tls = tls;
    this.#logger = logger;
    this.#used = used;
  }

  get isAlarmed(): boolean {
    return this.#isAlarmed;
  }

  /** Files that were changed since the last look may still be written. */
  look(): void {
    const now = stampsOf(this.#tls);
    this.#rested = now === this.#seen ? this.#rested + 1 : 0;
    this.#seen = now;
    if (now === this.#used) return void this.#endAlarm(USED_AGAIN);
    if (this.#rested === 1 || this.#rested === LOOKS_BEFORE_ALARM) this.#read();
  }

  #read(): void {
    try {
      this.#server.setSecureContext(secureOptions(this.#tls));
    } catch (error) {
      return this.#complain(error);
    }
    this.#used = this.#seen;
    if (!this.#endAlarm(READ_ANEW)) this.#logger.info(READ_ANEW);
  }

  /** The end of an alarm is logged as a warning, so that readers of the alarm see its end too. */
  #endAlarm(line: string): boolean {
    const wasAlarmed = this.#isAlarmed;
    this.#isAlarmed = false;
    if (wasAlarmed) this.#logger.warn(line);
    return wasAlarmed;
  }

  #complain(error: unknown): void {
    if (this.#rested < LOOKS_BEFORE_ALARM)
      return void this.#logger.debug('the new certificate is not usable yet', { error });
    this.#isAlarmed = true;
    this.#logger.error(
      'ALARM: the certificate was changed and is not usable, the bridge keeps the earlier certificate',
      {
        error,
      },
    );
  }
}

/** A server, and whether its certificate on the disk is usable. */
export interface TlsServer {
  server: HttpServer;
  isCertificateUsable: () => boolean;
}

/** A server with the pair of these files and `options`. The server reads changed files again. */
export function createTlsServer(tls: TlsFiles, options: ServerOptions, logger: Logger): TlsServer {
  const used = stampsOf(tls);
  const server = createServer({ ...options, ...secureOptions(tls) });
  const renewal = new Renewal(server, tls, { logger, used });
  const timer = setInterval(() => renewal.look(), LOOK_EVERY).unref();
  server.on('close', () => clearInterval(timer));
  return { server, isCertificateUsable: () => !renewal.isAlarmed };
}
