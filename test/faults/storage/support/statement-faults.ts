import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import pg from 'pg';
import { Sqlite } from '../../../../src/shared/sqlite.ts';
import { streamOf } from '../../../../src/store/driver/postgres-connection.ts';
import type { DatabaseLocation } from '../../../../src/store/driver/open-store.ts';

/**
 * Faults at single statements of one flow, at the driver: the real database runs beneath. `before`: the statement never
 * reaches the database. `after`: it took effect, and its answer is an error, as where a connection ends during a commit.
 * Only statements that belong to the flow count: background work goes on beside it, on the same connections.
 */

export type FaultMoment = 'before' | 'after';

/** One run of a flow. */
interface FlowRun {
  /** The statements so far. */
  seen: string[];
  fault: { at: number; moment: FaultMoment } | undefined;
  /** The statement that met the fault. */
  hit: string | undefined;
}

interface FlowResult<End> {
  end: End;
  statements: readonly string[];
  hit: string | undefined;
}

export interface StatementFaults {
  /** Runs a flow, with a fault at its statement of this number where one is given. */
  run<End>(flow: () => Promise<End>, fault?: FlowRun['fault']): Promise<FlowResult<End>>;
  /** The driver is as before. */
  remove(): void;
}

const runs = new AsyncLocalStorage<FlowRun>();

/** Counts a statement of the running flow. The moment of its fault, if it has one. */
function meet(text: string): FaultMoment | undefined {
  const run = runs.getStore();
  if (!run) return undefined;
  run.seen.push(text);
  if (run.fault?.at !== run.seen.length) return undefined;
  run.hit = text;
  return run.fault.moment;
}

type Method = (this: unknown, ...parts: unknown[]) => unknown;

/** Replaces methods; the answer puts them back. */
function replace(
  prototype: object,
  names: readonly string[],
  around: (original: Method) => Method,
): () => void {
  const methods = prototype as Record<string, Method>;
  const originals = names.map((name) => [name, methods[name] as Method] as const);
  for (const [name, original] of originals) methods[name] = around(original);
  return () => {
    for (const [name, original] of originals) methods[name] = original;
  };
}

const sqliteFault = () => new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');

function breakSqlite(file: string): () => void {
  const memory = new Sqlite(':memory:');
  const prototype = Object.getPrototypeOf(memory.prepare('select 1')) as object;
  memory.close();
  const ours = file.replace(/\.db$/, '');
  return replace(
    prototype,
    ['run', 'get', 'all', 'iterate'],
    (original) =>
      function (this: unknown, ...parts) {
        const { database, source } = this as Sqlite.Statement;
        const moment = database.name.startsWith(ours) ? meet(source) : undefined;
        if (moment === 'before') throw sqliteFault();
        const result = original.apply(this, parts);
        if (moment === 'after') throw sqliteFault();
        return result;
      },
  );
}

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : ((query as { text?: string }).text ?? '');

const CUT = 'Connection terminated unexpectedly';

/** The statement takes effect, and the connection ends before the answer is read. */
function cutAfter(client: pg.Client, original: Method, parts: unknown[]): unknown {
  const cut = () => {
    streamOf(client).destroy();
    return new Error(CUT);
  };
  const done = parts.at(-1);
  if (typeof done === 'function') {
    const late = (error: unknown) => (done as (error: unknown) => void)(error ?? cut());
    return original.apply(client, [...parts.slice(0, -1), late]);
  }
  return (original.apply(client, parts) as Promise<unknown>).then(() => {
    throw cut();
  });
}

function breakPostgres(url: string): () => void {
  const name = new URL(url).pathname.slice(1);
  return replace(
    pg.Client.prototype,
    ['query'],
    (original) =>
      function (this: unknown, ...parts) {
        const client = this as pg.Client;
        const moment = client.database === name ? meet(textOf(parts[0])) : undefined;
        if (moment === 'after') return cutAfter(client, original, parts);
        if (moment === 'before') streamOf(client).destroy();
        return original.apply(this, parts);
      },
  );
}

/** Every request to the bridge belongs to the flow that runs. */
function followRequests(server: Server, current: () => FlowRun | undefined): () => void {
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...parts: unknown[]) => {
    const run = event === 'request' ? current() : undefined;
    return run ? runs.run(run, () => emit(event, ...parts)) : emit(event, ...parts);
  };
  return () => {
    server.emit = emit;
  };
}

/** Breaks statements on a database, of calls to this server and of work that `run` does itself. */
export function breakStatements(database: DatabaseLocation, server?: Server): StatementFaults {
  let current: FlowRun | undefined;
  const repairs = [
    database.kind === 'sqlite' ? breakSqlite(database.file) : breakPostgres(database.url),
    ...(server ? [followRequests(server, () => current)] : []),
  ];
  return {
    async run(flow, fault) {
      const run: FlowRun = { seen: [], fault, hit: undefined };
      current = run;
      try {
        const end = await runs.run(run, flow);
        return { end, statements: [...run.seen], hit: run.hit };
      } finally {
        current = undefined;
        run.fault = undefined;
      }
    },
    remove: () => repairs.forEach((repair) => repair()),
  };
}
