/**
 * Mail to people: over SMTP, or without a server as files that any mail program opens. The mailer does not know who
 * sends or why.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import { MINUTE, SECOND } from '../lifetimes.ts';
import { createPrivateFile } from '../private-file.ts';
import { MailError } from './mail-error.ts';
import { type Mail, messageOf } from './message.ts';
import { readSmtpUrl } from './smtp-url.ts';

export type { Mail } from './message.ts';

export interface MailSettings {
  /** In the form of `readSmtpUrl`; undefined means files. */
  smtpUrl?: string | undefined;
  /** The sender's plain address. */
  from: string;
  /** The folder of the files, made with the first file. */
  directory: string;
}

interface Sender {
  /**
   * Hands a mail over once. A failed mail is never tried again from here.
   * @throws {MailError} when the mail was not handed over, or when the hand-over is in doubt
   */
  send(mail: Mail): Promise<void>;
}

export interface Mailer extends Sender {
  /** Set when mails are written to files in this folder instead of being sent. */
  directory: string | undefined;
  /**
   * For many mails over a few reused connections. The caller has to close the run. Once `stopping` aborts, hand-overs under
   * way have a moment to end, and then fail.
   */
  openRun(stopping?: AbortSignal): Sender & { close(): void };
}

/** Short, because a person waits for the page that sends the mail. */
export const TIMEOUTS = {
  dnsTimeout: 5 * SECOND,
  connectionTimeout: 5 * SECOND,
  greetingTimeout: 5 * SECOND,
  socketTimeout: 10 * SECOND,
};

/** For the whole way to the end of the message, even when the server answers a little now and then. */
const WRITE_LIMIT = 3 * MINUTE;

/**
 * A server that has the whole message may examine the message for long before the answer. Giving up during that time
 * makes a mail come twice (RFC 5321 §4.5.3.2.6).
 */
const ANSWER_LIMIT = 10 * MINUTE;

/** For mails that no person waits for. The limits above end a hand-over that takes too long. */
const PATIENT = { ...TIMEOUTS, greetingTimeout: 30 * SECOND, socketTimeout: ANSWER_LIMIT };

/** Mails that are handed over in parallel: servers take few connections from one client. */
export const MAILS_AT_ONCE = 4;

/** The longest time of a whole hand-over. */
export const HAND_OVER_LIMIT = WRITE_LIMIT + ANSWER_LIMIT;

/** How long a hand-over may go on when the process begins to stop. */
const LAST_MOMENT = 3 * SECOND;

const TOO_LATE = { code: 'ETIMEDOUT', message: 'The mail server did not answer in time' };

/** No part of a mail is ever fetched or read from the disk, whatever its text says. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true };

/** A pool may by itself send again the mails of a lost connection: never here. */
const POOL = { pool: true as const, maxConnections: MAILS_AT_ONCE, maxRequeues: 0 };

/** One hand-over. Tracks the progress, and aborts when a limit passes. */
class HandOver {
  isWritten = false;
  readonly #limit = new AbortController();
  readonly #stopping: AbortSignal | undefined;
  readonly #hurry = () => void (this.#lastTimer = this.#endAfter(LAST_MOMENT));
  #timer = this.#endAfter(WRITE_LIMIT);
  #lastTimer: NodeJS.Timeout | undefined;

  constructor(stopping: AbortSignal | undefined) {
    this.#stopping = stopping;
    if (stopping?.aborted) this.#hurry();
    else stopping?.addEventListener('abort', this.#hurry);
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  /** The message was read to its end: the server may have all of it. */
  written(): void {
    this.isWritten = true;
    clearTimeout(this.#timer);
    this.#timer = this.#endAfter(ANSWER_LIMIT);
  }

  end(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#lastTimer);
    this.#stopping?.removeEventListener('abort', this.#hurry);
  }

  #endAfter(limit: number): NodeJS.Timeout {
    return setTimeout(() => this.#limit.abort(), limit);
  }
}

type Transport = Pick<Transporter, 'sendMail' | 'use'>;

/** Keyed by the signal of each message. */
type MailHandOvers = WeakMap<AbortSignal, HandOver>;

/** Tells each hand-over when its message has been read to the end. */
function watchWriting(transport: Transport, handOvers: MailHandOvers): void {
  transport.use('stream', ({ data, message }, done) => {
    const handOver = data.signal && handOvers.get(data.signal);
    message.processFunc((input) => input.once('end', () => handOver?.written()));
    done();
  });
}

function smtpMailer(smtpUrl: string, from: string): Mailer {
  const server = readSmtpUrl(smtpUrl);
  if (!server) throw new Error('SMTP_URL is not usable');
  const sendBy = (transport: Transport, stopping?: AbortSignal) => {
    const handOvers: MailHandOvers = new WeakMap();
    watchWriting(transport, handOvers);
    return async (mail: Mail) => {
      const message = messageOf(mail, from);
      const handOver = new HandOver(stopping);
      const { signal } = handOver;
      handOvers.set(signal, handOver);
      try {
        await transport.sendMail({ ...message, signal });
      } catch (error) {
        const failure = signal.aborted ? TOO_LATE : (error as Error);
        throw new MailError(failure, { auth: server.auth, isWritten: handOver.isWritten });
      } finally {
        handOver.end();
      }
    };
  };
  return {
    directory: undefined,
    send: sendBy(createTransport({ ...server, ...TIMEOUTS, ...CLOSED })),
    openRun(stopping) {
      const pool = createTransport({ ...server, ...PATIENT, ...CLOSED, ...POOL });
      return { send: sendBy(pool, stopping), close: () => pool.close() };
    },
  };
}

/**
 * The name reveals no recipient. Names sort by time; a mail that may be handed over a second time is named by its id.
 */
function fileNameOf({ messageId }: Mail): string {
  if (messageId !== undefined) return `${messageId}.eml`;
  return `${new Date().toISOString().replaceAll(':', '-')}-${randomBytes(6).toString('hex')}.eml`;
}

/** An existing file was handed over before, and stays. */
function keepOnce(path: string, message: string): void {
  try {
    createPrivateFile(path, message);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function fileMailer(directory: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...CLOSED });
  const send = async (mail: Mail) => {
    const message = messageOf(mail, from);
    try {
      const composed = await transport.sendMail(message);
      keepOnce(join(directory, fileNameOf(mail)), (composed.message as Buffer).toString());
    } catch (failure) {
      throw new MailError(failure as Error);
    }
  };
  return { directory, send, openRun: () => ({ send, close: () => undefined }) };
}

/**
 * One mailer for one set of settings. With `smtpUrl` a mail goes to that server. Without `smtpUrl` a mail becomes a
 * complete RFC 5322 file, whole or not at all, that only the owner of the process may read.
 * @throws {Error} when `smtpUrl` is not valid
 */
export function createMailer({ smtpUrl, from, directory }: MailSettings): Mailer {
  return smtpUrl === undefined ? fileMailer(directory, from) : smtpMailer(smtpUrl, from);
}
