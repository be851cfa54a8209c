import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  /** Of the envelope. */
  from: string;
  to: string[];
  /** By lower-case name, in the order in which they came. */
  headers: Array<[name: string, value: string]>;
  /** Decoded. */
  text: string;
  /** As it came. */
  raw: string;
}

function unfold(head: string): Array<[string, string]> {
  return head
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Headers and text of a message of one plain part. */
export function readMessage(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'raw'> {
  const end = raw.indexOf('\r\n\r\n');
  const [headers, body] = [unfold(raw.slice(0, end)), raw.slice(end + 4)];
  const encoding = headers.find(([name]) => name === 'content-transfer-encoding')?.[1];
  return { headers, raw, text: encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body };
}

export function header(mail: Pick<ReceivedMail, 'headers'>, name: string): string | undefined {
  return mail.headers.find(([known]) => known === name)?.[1];
}

/** How far a client has come: `data` before its message is read, `taken` when the server has it and has not answered. */
export type SmtpMoment = 'connected' | 'recipient' | 'data' | 'taken';

export interface SmtpDoor {
  port: number;
  mails: ReceivedMail[];
  /** The newest mail to an address. */
  mailTo(address: string): ReceivedMail;
  /** Recipients that are refused. */
  refused: Set<string>;
  /** Recipients that are refused for now. */
  deferred: Set<string>;
  /** Waited for at each moment of a dialogue; the recipient is known from its own moment on. */
  onMoment: (moment: SmtpMoment, recipient: string) => unknown;
  /** Set while it takes nothing from anybody. */
  isAway: boolean;
  close(): Promise<void>;
}

const refusal = (responseCode: number) => Object.assign(new Error('Not here'), { responseCode });

type Recipients = Pick<SmtpDoor, 'refused' | 'deferred'>;

function answerTo({ refused, deferred }: Recipients, address: string): Error | null {
  if (refused.has(address)) return refusal(550);
  return deferred.has(address) ? refusal(450) : null;
}

/** A real mail server on loopback that keeps what it takes. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpDoor> {
  const mails: ReceivedMail[] = [];
  const [refused, deferred] = [new Set<string>(), new Set<string>()];
  const moment = async (name: SmtpMoment, recipient = '') => void (await door.onMoment(name, recipient));
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, done) =>
      void moment('connected').then(() => done(door.isAway ? refusal(421) : null)),
    onRcptTo: ({ address }, _session, done) =>
      void moment('recipient', address).then(() => done(answerTo(door, address))),
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      const take = async () => {
        await moment('data', to[0]);
        const raw = await text(stream);
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        mails.push({ from, to, ...readMessage(raw) });
        await moment('taken', to[0]);
      };
      void take().then(() => done(), done);
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const door: SmtpDoor = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    isAway: false,
    mailTo(address) {
      const mail = mails.findLast(({ to }) =>
        to.some((known) => known.toLowerCase() === address.toLowerCase()),
      );
      if (!mail) throw new Error(`no mail came for ${address}`);
      return mail;
    },
    refused,
    deferred,
    onMoment: () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return door;
}
