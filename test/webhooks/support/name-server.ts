import { createSocket, type RemoteInfo } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { groupsOf } from '../../../src/shared/net/addresses.ts';

/** A name server on a real socket (RFC 1035), for names whose owner decides anew at each question where they lead. */
export interface NameServer {
  /** The addresses of a name. A function is asked at each question, and may take its time; where it gives nothing, no answer is sent. */
  names: Record<string, string[] | (() => string[] | undefined | Promise<string[]>)>;
  /** The names that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

const [A, AAAA] = [1, 28];

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const groups = groupsOf(address).map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

function recordOf(address: string, type: number): Buffer {
  const data = bytesOf(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name of the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function answerTo(message: Buffer, addresses: readonly string[]): Buffer {
  const { type, end } = readQuestion(message);
  const family = type === A ? 4 : 6;
  const records = addresses.filter((address) => isIP(address) === family).map((one) => recordOf(one, type));
  const head = Buffer.from(message.subarray(0, 12));
  head.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, message.subarray(12, end), ...records]);
}

/** Starts it, and lets this process ask it alone. */
export async function startNameServer(names: NameServer['names']): Promise<NameServer> {
  const before = getServers();
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const answer = async (message: Buffer, { port, address }: RemoteInfo) => {
    const { name, type } = readQuestion(message);
    if (type !== A && type !== AAAA) return;
    asked.push(name);
    const known = names[name] ?? [];
    const addresses = typeof known === 'function' ? await known() : known;
    if (addresses) socket.send(answerTo(message, addresses), port, address);
  };
  socket.on('message', (message, from) => void answer(message, from));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    names,
    asked,
    async close() {
      setServers(before);
      socket.close();
      await once(socket, 'close');
    },
  };
}
