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

export interface SmtpDoor {
  port: number;
  mails: ReceivedMail[];
  /** The newest mail to an address. */
  mailTo(address: string): ReceivedMail;
  /** Recipients that are refused. */
  refused: Set<string>;
  /** Set while it takes nothing from anybody. */
  isAway: boolean;
  close(): Promise<void>;
}

const refusal = (responseCode: number) => Object.assign(new Error('Not here'), { responseCode });

/** A real mail server on loopback that keeps what it takes. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpDoor> {
  const mails: ReceivedMail[] = [];
  const refused = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_session, done) => done(door.isAway ? refusal(421) : null),
    onRcptTo: ({ address }, _session, done) => done(refused.has(address) ? refusal(550) : null),
    onData: (stream, { envelope }, done) =>
      void text(stream).then((raw) => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...readMessage(raw) });
        done();
      }, done),
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return door;
}
