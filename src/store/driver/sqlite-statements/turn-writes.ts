import type { Sqlite } from '../../../shared/sqlite.ts';
import { madeOnce } from '../../../shared/memory/made-once.ts';
import { bindParameters, type BoundSql } from './statement-parameters.ts';

/** A statement with its parameters. It sets values, so that to run it twice does no more than to run it once. */
interface Write {
  sql: string;
  parameters: readonly unknown[];
}

/** Runs a write, and resolves once it is committed. */
type RunWrite = (write: Write) => Promise<void>;

interface WaitingWrite extends Write {
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface TurnWritesInput {
  /** Another piece of work may have a transaction open on it. */
  handle: Sqlite.Database;
  /** Is told how long the database took, in milliseconds. */
  ran: (milliseconds: number) => void;
  /** Does one write in its turn, and waits for the locks of others. */
  inItsTurn: RunWrite;
}

function createStatements(handle: Sqlite.Database) {
  const prepared = new Map<string, { statement: Sqlite.Statement; given: BoundSql['given'] }>();
  return ({ sql, parameters }: Write): void => {
    const { statement, given } = madeOnce(prepared, sql, () => {
      const bound = bindParameters(sql);
      return { statement: handle.prepare(bound.text), given: bound.given };
    });
    statement.run(...given(parameters));
  };
}

/**
 * Collects the writes of one turn of the event loop, and makes them in one transaction at its end: a commit takes longer than the
 * writes in it. Where anything fails, all are undone, and each one is done by itself. So is each one while other work has a
 * transaction open: that work could take them back; and while an earlier one waits by itself: a later write of the same
 * row stays the later one.
 */
export function createTurnWrites({ handle, ran, inItsTurn }: TurnWritesInput): RunWrite {
  let waiting: WaitingWrite[] = [];
  let byThemselves = 0;
  const run = createStatements(handle);
  const write = handle.transaction((writes: readonly Write[]) => writes.forEach(run));
  function isWritten(writes: readonly Write[]): boolean {
    if (handle.inTransaction || byThemselves > 0) return false;
    const begun = performance.now();
    try {
      write.immediate(writes);
      ran(performance.now() - begun);
      return true;
    } catch {
      return false;
    }
  }
  const writeByItself = async ({ resolve, reject, ...one }: WaitingWrite) => {
    byThemselves += 1;
    await inItsTurn(one).then(resolve, reject);
    byThemselves -= 1;
  };
  function writeAll(): void {
    const writes = waiting;
    waiting = [];
    const areWritten = isWritten(writes);
    for (const one of writes) {
      if (areWritten) one.resolve();
      else void writeByItself(one);
    }
  }
  return (one) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(writeAll);
      waiting.push({ sql: one.sql, parameters: one.parameters, resolve, reject });
    });
}
