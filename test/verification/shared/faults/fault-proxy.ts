import { once } from 'node:events';
import { createServer, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../../support/servers/free-port.ts';

/** What goes wrong on the way to the modern side and back; `up` is the way there. */
export type NetworkFault =
  | { kind: 'latency'; ms: number }
  | { kind: 'reset'; at: 'open' | 'request' | 'answer' }
  | { kind: 'cut'; direction: 'up' | 'down'; bytes: number }
  /** Nothing passes behind the first `after` bytes; without a number nothing at all. */
  | { kind: 'black-hole'; direction: 'up' | 'down'; after?: number }
  | { kind: 'slow'; slice: number; pauseMs: number }
  | { kind: 'duplicate' };

interface Injection {
  fault: NetworkFault;
  /** How many connections it meets. */
  times: number;
  /** What the first bytes of a connection begin with; a fault at the opening meets any. */
  beginning: string;
  /** What the first bytes also have; without it any do. */
  containing?: string;
}

/** One fault for each of the next connections, in this order. */
interface InjectedSeries extends Pick<Injection, 'beginning' | 'containing'> {
  faults: readonly NetworkFault[];
}

/** What became of one connection to the target; read late, for a black hole may begin behind a request. */
export interface Crossing {
  /** The fault that it met, if any. */
  fault?: NetworkFault['kind'];
  /** Whether the proxy itself made it, as the repetition of another's request. */
  isRepetition: boolean;
}

export interface FaultProxy {
  port: number;
  /** Meets the next connections; replaces what was there before. */
  inject(injection: Injection): void;
  injectEach(series: InjectedSeries): void;
  clear(): void;
  /** From now on nothing passes: connections come about, and the bytes of both directions vanish. */
  swallow(): void;
  /** The way is whole again. What was swallowed is gone, and its connections end. */
  mend(): void;
  /** How many connections have come to the place from which on nothing passes any more. */
  held: number;
  /** How many connections were opened, and how many of them have ended. */
  opened: number;
  ended: number;
  /** How many connections met a fault, by kind. */
  met: Map<NetworkFault['kind'], number>;
  /** Called with everything that arrives from a client, before any of it goes wrong. */
  onRequestBytes: ((connection: Socket, bytes: Buffer) => void) | undefined;
  /** The connection that comes from this port of the proxy, while it is open. */
  crossingOf(port: number | undefined): Crossing | undefined;
  close(): Promise<void>;
}

type Direction = 'up' | 'down';
type Pieces = AsyncGenerator<Buffer, void>;

async function* slowly(bytes: Buffer, { slice, pauseMs }: { slice: number; pauseMs: number }): Pieces {
  for (let from = 0; from < bytes.length; from += slice) {
    yield bytes.subarray(from, from + slice);
    await delay(pauseMs);
  }
}

/** The first bytes, and then nothing; the source is read to its end all the same. */
async function* swallowed(source: AsyncIterable<Buffer>, limit: number, onHeld: () => void): Pieces {
  let passed = 0;
  let isHeld = false;
  for await (const bytes of source) {
    if (passed < limit) yield bytes.subarray(0, limit - passed);
    passed += bytes.length;
    if (passed >= limit && !isHeld) onHeld();
    isHeld ||= passed >= limit;
  }
}

/** The first bytes, and then the end. */
async function* cutOff(source: AsyncIterable<Buffer>, limit: number): Pieces {
  let passed = 0;
  for await (const bytes of source) {
    yield bytes.subarray(0, limit - passed);
    passed += bytes.length;
    if (passed >= limit) return;
  }
}

async function* everyPiece(source: AsyncIterable<Buffer>, fault: NetworkFault | undefined): Pieces {
  for await (const bytes of source) {
    if (fault?.kind === 'latency') await delay(fault.ms);
    if (fault?.kind === 'slow') yield* slowly(bytes, fault);
    else yield bytes;
  }
}

/** The bytes of one direction as they are passed on, piece by piece; ends early where the fault ends the connection. */
function shaped(
  source: AsyncIterable<Buffer>,
  { fault, onHeld }: Pick<Pair, 'fault' | 'onHeld'>,
  direction: Direction,
): Pieces {
  const isMeant = fault === undefined || !('direction' in fault) || fault.direction === direction;
  if (!isMeant) return everyPiece(source, undefined);
  if (fault?.kind === 'black-hole') return swallowed(source, fault.after ?? 0, onHeld);
  return fault?.kind === 'cut' ? cutOff(source, fault.bytes) : everyPiece(source, fault);
}

async function* withFirst(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

async function write(target: Socket, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || target.destroyed) return;
  await new Promise<void>((resolve) => target.write(bytes, () => resolve()));
}

/** A second connection on which the modern side gets the same request once more; its answer goes nowhere. */
function repeatOn(port: number, crossings: Crossings): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined).resume();
  socket.once('connect', () => noteCrossing(crossings, socket, { isRepetition: true }));
  return socket;
}

/** How long it is known what went wrong with a connection that has ended. */
const ENDED_KNOWN_MS = 2000;

/** By the port from which the target sees a connection. */
type Crossings = Map<number, Crossing>;

function noteCrossing(crossings: Crossings, socket: Socket, crossing: Crossing): void {
  const own = socket.localPort ?? 0;
  crossings.set(own, crossing);
  // A busy target reads a request whose connection has ended meanwhile. The next connection from this port is another one.
  const forget = () => void (crossings.get(own) === crossing && crossings.delete(own));
  socket.once('close', () => setTimeout(forget, ENDED_KNOWN_MS).unref());
}

/** A client's connection, the one to the target that belongs to it, and what goes wrong with them. */
interface Pair {
  client: Socket;
  server: Socket;
  fault: NetworkFault | undefined;
  /** Whether bytes that come now vanish, as all bytes of the connection do from then on. */
  vanishes: () => boolean;
  onHeld: () => void;
}

function isReset(fault: NetworkFault | undefined, at: 'open' | 'request' | 'answer'): boolean {
  return fault?.kind === 'reset' && fault.at === at;
}

function endUp({ client, server, fault, vanishes }: Pair): void {
  if (vanishes()) return;
  // its client sees the end, and the modern side half a request
  if (fault?.kind === 'cut' && fault.direction === 'up') client.destroy();
  if (fault?.kind !== 'black-hole') server.end();
}

async function passDown(pair: Pair): Promise<void> {
  const { client, server, fault, vanishes } = pair;
  for await (const bytes of shaped(server, pair, 'down')) {
    if (isReset(fault, 'answer')) return void client.resetAndDestroy();
    if (!vanishes()) await write(client, bytes);
  }
  // A hole is noticed by nobody: the connection stays open until its client gives up.
  if (fault?.kind !== 'black-hole' && !vanishes()) client.end();
}

/** Stands between the bridges and `target`, and does to chosen connections what networks do. */
export async function startFaultProxy(port: number, target: number): Promise<FaultProxy> {
  let series: InjectedSeries = { faults: [], beginning: '' };
  const crossings: Crossings = new Map();
  const lost = new Set<Socket>();
  const open = new Set<Socket>();
  let isSwallowing = false;

  const countMet = (kind: NetworkFault['kind']) => proxy.met.set(kind, (proxy.met.get(kind) ?? 0) + 1);

  function take(first: string | undefined): NetworkFault | undefined {
    const { faults, beginning, containing = '' } = series;
    const [fault, ...rest] = faults;
    if (!fault) return undefined;
    const isMeant = first?.startsWith(beginning) === true && first.includes(containing);
    const fits = isReset(fault, 'open') ? first === undefined : isMeant;
    if (!fits) return undefined;
    series = { ...series, faults: rest };
    countMet(fault.kind);
    return fault;
  }

  async function* observed(client: Socket): AsyncGenerator<Buffer, undefined> {
    for await (const bytes of client as AsyncIterable<Buffer>) {
      proxy.onRequestBytes?.(client, bytes);
      yield bytes;
    }
    return undefined;
  }

  async function passUp(pair: Pair, incoming: AsyncIterable<Buffer>): Promise<void> {
    const { client, server, fault, vanishes } = pair;
    const repetition = fault?.kind === 'duplicate' ? repeatOn(target, crossings) : undefined;
    for await (const bytes of shaped(incoming, pair, 'up')) {
      if (vanishes()) continue;
      await write(server, bytes);
      repetition?.write(bytes);
      if (isReset(fault, 'request')) return void client.resetAndDestroy();
    }
    endUp(pair);
    repetition?.end();
  }

  function vanishing(client: Socket, crossing: Crossing): () => boolean {
    return () => {
      if (!isSwallowing || lost.has(client)) return lost.has(client);
      lost.add(client);
      client.once('close', () => lost.delete(client));
      crossing.fault = 'black-hole';
      countMet('black-hole');
      return true;
    };
  }

  async function serve(client: Socket): Promise<void> {
    if (take(undefined)) return void client.resetAndDestroy();
    const incoming = observed(client);
    const { value: first } = await incoming.next();
    if (!first) return void client.destroy();
    const fault = take(first.toString('latin1'));
    const server = connect({ port: target, host: '127.0.0.1' });
    open.add(server);
    server.on('error', () => client.destroy());
    client.once('close', () => server.destroy());
    server.once('close', () => open.delete(server));
    await once(server, 'connect');
    const crossing: Crossing = { isRepetition: false, ...(fault && { fault: fault.kind }) };
    noteCrossing(crossings, server, crossing);
    const vanishes = vanishing(client, crossing);
    const pair = { client, server, fault, vanishes, onHeld: () => void (proxy.held += 1) };
    await Promise.allSettled([passUp(pair, withFirst(first, incoming)), passDown(pair)]);
  }

  const server = createServer({ noDelay: true }, (client) => {
    open.add(client);
    proxy.opened += 1;
    client.on('error', () => undefined);
    client.once('close', () => {
      open.delete(client);
      proxy.ended += 1;
    });
    serve(client).catch(() => client.destroy());
  });
  const proxy: FaultProxy = {
    port,
    inject({ fault, times, ...meant }) {
      series = { faults: Array.from({ length: times }, () => fault), ...meant };
    },
    injectEach: (next) => void (series = next),
    clear: () => void (series = { faults: [], beginning: '' }),
    swallow: () => void (isSwallowing = true),
    mend() {
      isSwallowing = false;
      for (const socket of lost) socket.destroy();
    },
    held: 0,
    opened: 0,
    ended: 0,
    met: new Map(),
    onRequestBytes: undefined,
    crossingOf: (from) => (from === undefined ? undefined : crossings.get(from)),
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  proxy.port = portOf(server);
  return proxy;
}
