import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { openContext, type OpenContext } from '../../../src/app/open-context.ts';
import { readConfig } from '../../../src/config/config.ts';
import { anchorHistory, newAnchors, readAnchors } from '../../../src/domain/history/anchor-history.ts';
import { type HistoryChange, recordEvents } from '../../../src/domain/history/record-event.ts';
import { sealHistory } from '../../../src/domain/history/seal-history.ts';
import { type HistoryVerdict, verifyHistory } from '../../../src/domain/history/verify-history.ts';
import { createLogger } from '../../../src/shared/log/logger.ts';
import { allEvents } from '../../../src/store/history/events.ts';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
import type { Event } from '../../../src/store/tables/tables.ts';
import { chooseMigratedPlace, type DatabaseKind } from '../../store/support/stores.ts';

/** A database with a history, as a bridge that serves nothing holds it. */

/** Times of the entries that tests write: one a second from here on. */
const START = Date.parse('2026-03-01T00:00:00Z');

export function change(n: number, given: Partial<HistoryChange> = {}): HistoryChange {
  return {
    at: START + n * 1000,
    actor: `account:${n}`,
    action: 'granted',
    reason: `reason ${n}`,
    requestId: `request ${n}`,
    clientId: `client ${n}`,
    accountId: `account ${n}`,
    grantId: `grant ${n}`,
    mappingId: `mapping ${n}`,
    ...given,
  };
}

/** The numbers from 1 on. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

export class History {
  readonly #opened: OpenContext;
  readonly #remove: () => Promise<void>;
  readonly varDir: string;
  readonly location: DatabaseLocation;
  /** Everything that was logged. */
  readonly log: string[];

  constructor(opened: OpenContext, given: Opening & { log: string[]; remove: () => Promise<void> }) {
    this.#opened = opened;
    this.varDir = given.varDir;
    this.location = given.location;
    this.log = given.log;
    this.#remove = given.remove;
  }

  get context() {
    return this.#opened.context;
  }

  get db() {
    return this.context.store.durable;
  }

  /** Entries `first` to `last`, in one transaction. */
  async record(first: number, last = first, given: Partial<HistoryChange> = {}): Promise<void> {
    const changes = upTo(last - first + 1).map((n) => change(first + n - 1, given));
    await this.context.store.transaction((tx) => recordEvents(this.context, tx, changes));
  }

  /** Every row, those of the chain first. */
  async rows(): Promise<Event[]> {
    const rows: Event[] = [];
    for await (const row of allEvents(this.db)) rows.push(row);
    return rows;
  }

  /** Puts these rows in the place of all, past the bridge. */
  async overwrite(rows: Event[]): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('events').execute();
      if (rows.length > 0) await tx.insertInto('events').values(rows).execute();
    });
  }

  /** What a serving bridge does by and by. */
  async sealAndAnchor(): Promise<void> {
    await sealHistory(this.context);
    await anchorHistory(this.context);
  }

  anchorLines(): string[] {
    return readFileSync(this.context.anchorsFile, 'utf8').split('\n').slice(0, -1);
  }

  /** What the proof says, by the lines of anchors that are given; else by none. */
  async verify(lines: readonly string[] = []): Promise<HistoryVerdict> {
    const file = join(this.varDir, 'anchors-of-the-test');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const anchors = newAnchors();
    await readAnchors(this.context, file, anchors);
    return verifyHistory(this.context, anchors);
  }

  alarms(): string[] {
    return this.log.filter((line) => line.includes('ALARM'));
  }

  async close(): Promise<void> {
    await this.#opened.close();
    await this.#remove();
  }
}

interface Opening {
  location: DatabaseLocation;
  varDir: string;
}

/** One more process on a database, with the keys below that folder. */
async function openOn({ location, varDir }: Opening, remove: () => Promise<void>): Promise<History> {
  const config = readConfig({
    VAR_DIR: varDir,
    DATABASE_URL: location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url,
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  });
  if (!config.upstream) throw new Error('the settings name a modern side');
  const log: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log.push(chunk.toString());
      done();
    },
  });
  const logger = createLogger({ level: 'info', name: 'test', stream });
  const opened = await openContext(config, config.upstream, { logger });
  return new History(opened, { varDir, location, log, remove });
}

/** A new database of that kind, and that many processes on it that share a folder. */
async function openHistories(kind: DatabaseKind, count: number): Promise<History[]> {
  const place = await chooseMigratedPlace(kind);
  const varDir = mkdtempSync(join(tmpdir(), 'history-'));
  const removeAll = async () => {
    await place.remove();
    rmSync(varDir, { recursive: true, force: true });
  };
  const histories: History[] = [];
  while (histories.length < count) {
    const isLast = histories.length === count - 1;
    histories.push(
      await openOn({ location: place.location, varDir }, isLast ? removeAll : async () => undefined),
    );
  }
  if (kind === 'postgres') {
    // Tests write rows with ids of their own.
    await sql`alter table events alter column id set generated by default`.execute(histories[0]!.db);
  }
  return histories;
}

/** The same with one process. */
export async function openHistory(kind: DatabaseKind): Promise<History> {
  const [history] = await openHistories(kind, 1);
  if (!history) throw new Error('one was asked for');
  return history;
}

/** The same with two processes, and without the entries of their new keys. */
export async function openPair(kind: DatabaseKind): Promise<[one: History, two: History]> {
  const [one, two] = await openHistories(kind, 2);
  if (!one || !two) throw new Error('two were asked for');
  await one.overwrite([]);
  return [one, two];
}
