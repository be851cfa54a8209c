import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/**
 * The mail server of the rehearsal: it speaks SMTP on one port per machine, keeps what it takes, and honours the key: what
 * comes again under a Message-ID that it has taken is confirmed and thrown away.
 */

/** How far a mail has come: on its way, read to its end, kept but not confirmed, confirmed. */
export type MailPoint = 'recipient' | 'read' | 'kept' | 'confirmed';

export interface Arrival {
  machine: number;
  messageId: string;
  /** In lower case. */
  to: string;
  raw: Buffer;
}

export interface MailServer {
  /** By machine. */
  ports: readonly number[];
  /** 'closed' turns every connection away, 'full' every mail that was read. */
  mood: 'open' | 'closed' | 'full';
  /** Addresses that are refused for good, in lower case. */
  refused: Set<string>;
  /** Called at each point of each mail, before the machine learns of it; for 'confirmed' after. */
  onPoint: (point: MailPoint, machine: number) => void;
  onArrival: (arrival: Arrival) => void;
  /** Mails that came again under a Message-ID that was taken before. */
  onRepeat: (repeat: Omit<Arrival, 'raw'>) => void;
  /** An address was refused for good. */
  onRefusal: (address: string) => void;
  close(): Promise<void>;
}

const answer = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

const MESSAGE_ID = /^message-id:\s*<([^>\r\n]+)>/im;

function messageIdOf(raw: Buffer): string {
  const head = raw.toString('latin1', 0, Math.max(0, raw.indexOf('\r\n\r\n')));
  return MESSAGE_ID.exec(head.replace(/\r\n[ \t]+/g, ' '))?.[1] ?? '';
}

interface Taking {
  server: MailServer;
  taken: Set<string>;
}

function take({ server, taken }: Taking, arrival: Arrival): void {
  const { raw: _raw, ...repeat } = arrival;
  if (taken.has(arrival.messageId)) return server.onRepeat(repeat);
  taken.add(arrival.messageId);
  server.onArrival(arrival);
}

function doorOf(taking: Taking, machine: number): SMTPServer {
  const { server } = taking;
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect: (_session, done) => done(server.mood === 'closed' ? answer(421, 'Closed') : null),
    onRcptTo({ address }, _session, done) {
      server.onPoint('recipient', machine);
      const isRefused = server.refused.has(address.toLowerCase());
      if (isRefused) server.onRefusal(address.toLowerCase());
      done(isRefused ? answer(550, 'No such mailbox') : null);
    },
    onData: (stream, { envelope }, done) =>
      void buffer(stream).then((raw) => {
        server.onPoint('read', machine);
        if (server.mood === 'full') return done(answer(452, 'Full'));
        const to = envelope.rcptTo.map(({ address }) => address.toLowerCase()).join(' ');
        take(taking, { machine, messageId: messageIdOf(raw), to, raw });
        server.onPoint('kept', machine);
        done();
        setImmediate(() => server.onPoint('confirmed', machine));
      }, done),
  });
}

/** Starts it with one port for each machine. */
export async function startMailServer(machines: number): Promise<MailServer> {
  const server: MailServer = {
    ports: [],
    mood: 'open',
    refused: new Set(),
    onPoint: () => undefined,
    onArrival: () => undefined,
    onRepeat: () => undefined,
    onRefusal: () => undefined,
    close: async () => {
      await Promise.all(doors.map((door) => new Promise<void>((resolve) => door.close(resolve))));
    },
  };
  const taking = { server, taken: new Set<string>() };
  const doors = Array.from({ length: machines }, (_, machine) => doorOf(taking, machine));
  server.ports = await Promise.all(
    doors.map(async (door) => {
      // a machine that is killed leaves a broken connection
      door.on('error', () => undefined);
      door.listen(0, '127.0.0.1');
      await once(door.server, 'listening');
      return (door.server.address() as AddressInfo).port;
    }),
  );
  return server;
}
