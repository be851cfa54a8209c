import { asStorageFault } from '../storage-fault.ts';
import type { DatabaseListener } from '../connection-use.ts';
import type { Store } from '../store.ts';
import { CALL_NUMBER, LARGEST_BATCH, type LookUp } from './look-up.ts';

/**
 * Look-ups of calls that arrive together go to the database as one statement: to send a statement and to read its answer
 * costs a process more than the rows do.
 */

type AskedRow = Record<string, unknown>;
type StatementRun = (text: string, values: ReadonlyArray<string | null>) => Promise<AskedRow[]>;

/** Who waits for the row of a look-up. */
interface Asker {
  resolve: (row: AskedRow | undefined) => void;
  reject: (error: unknown) => void;
}

/** A look-up, for all who ask for the same. */
interface LookUpCall {
  /** When the first of them asked, by the monotonic clock, in milliseconds. Who joins later is given up with the first. */
  since: number;
  parameters: readonly string[];
  askers: Asker[];
}

/**
 * For how many calls there are statements. A statement has so many parameters, whatever it is asked, and so the database
 * finds no reason to plan it anew. Calls that are missing ask for the row of nobody.
 */
const SIZES = [1, 4, 16, LARGEST_BATCH];

/** As long as another statement waits for a connection, in milliseconds. */
const WAITS_AT_MOST = 5000;

/** The texts of a look-up by the number of calls. */
function createTexts() {
  const known = new Map<LookUp, Map<number, string>>();
  return (statement: LookUp, calls: number): { text: string; size: number } => {
    const size = SIZES.find((most) => most >= calls) ?? LARGEST_BATCH;
    const texts = known.get(statement) ?? new Map<number, string>();
    known.set(statement, texts);
    const text = texts.get(size) ?? statement.together(size);
    texts.set(size, text);
    return { text, size };
  };
}

function fail({ askers }: LookUpCall, error: unknown): void {
  for (const { reject } of askers) reject(error);
}

/** Makes one statement of look-ups, and gives each its row or the fault of the statement. */
function createQuestion(run: StatementRun) {
  const textOf = createTexts();
  return async (statement: LookUp, calls: readonly LookUpCall[]): Promise<void> => {
    const { text, size } = textOf(statement, calls.length);
    const nobody = calls[0]?.parameters.map(() => null) ?? [];
    const missing = Array.from({ length: size - calls.length }, () => nobody);
    const values = [...calls.map(({ parameters }) => parameters), ...missing].flat();
    try {
      const rows = new Map((await run(text, values)).map((row) => [row[CALL_NUMBER], row]));
      for (const [number, { askers }] of calls.entries())
        for (const { resolve } of askers) resolve(rows.get(number));
    } catch (error) {
      for (const call of calls) fail(call, error);
    }
  };
}

/** Calls of one look-up that are asked together. */
interface Batch {
  statement: LookUp;
  calls: LookUpCall[];
}

/** The calls of one look-up that wait, the oldest first, by their parameters. */
type WaitingCalls = Map<string, LookUpCall>;

const nameOf = (parameters: readonly string[]) =>
  parameters.length === 1 ? (parameters[0] ?? '') : JSON.stringify(parameters);

function firstOf(calls: WaitingCalls, most: number): LookUpCall[] {
  const taken: LookUpCall[] = [];
  for (const [name, call] of calls) {
    if (taken.length === most) break;
    taken.push(call);
    calls.delete(name);
  }
  return taken;
}

/** The calls that wait for a statement. */
function createLine() {
  const waiting = new Map<LookUp, WaitingCalls>();
  const since = () =>
    Math.min(
      ...[...waiting.values()].map((calls) => calls.values().next().value?.since ?? Number.POSITIVE_INFINITY),
    );
  return {
    isEmpty: () => waiting.size === 0,
    since,
    /** Adds who asks, to those who ask for the same. How many calls of the look-up wait. */
    add(statement: LookUp, parameters: readonly string[], asker: Asker): number {
      const calls: WaitingCalls = waiting.get(statement) ?? new Map();
      waiting.set(statement, calls);
      const name = nameOf(parameters);
      const known = calls.get(name);
      if (known) known.askers.push(asker);
      else calls.set(name, { since: performance.now(), parameters, askers: [asker] });
      return calls.size;
    },
    /** Takes the oldest calls of the first look-up, which stands last then. */
    take(): Batch | undefined {
      for (const [statement, calls] of waiting) {
        waiting.delete(statement);
        const taken = firstOf(calls, statement.most);
        if (calls.size > 0) waiting.set(statement, calls);
        return { statement, calls: taken };
      }
      return undefined;
    },
    /** Takes the calls that came before a moment. */
    takeOlder(moment: number): LookUpCall[] {
      const taken: LookUpCall[] = [];
      for (const [statement, calls] of waiting) {
        for (const [name, call] of calls) {
          if (call.since > moment) break;
          taken.push(call);
          calls.delete(name);
        }
        if (calls.size === 0) waiting.delete(statement);
      }
      return taken;
    },
    size: () => [...waiting.values()].reduce((sum, calls) => sum + calls.size, 0),
  };
}

/** Gives up the calls of a line that have waited too long, as long as it has any. The returned function begins that. */
function createPatience(
  line: ReturnType<typeof createLine>,
  { waited }: LookUpInput['listener'],
): () => void {
  let timer: NodeJS.Timeout | undefined;
  function look(): void {
    timer = undefined;
    const tooOld = performance.now() - WAITS_AT_MOST;
    for (const call of line.takeOlder(tooOld)) {
      waited(performance.now() - call.since);
      fail(call, asStorageFault(new Error('a look-up waited too long for a connection')));
    }
    if (!line.isEmpty()) timer = setTimeout(look, line.since() - tooOld).unref();
  }
  return () => {
    timer ??= setTimeout(look, WAITS_AT_MOST).unref();
  };
}

interface LookUpBatches {
  first: Store['firstSoon'];
  /** How long the look-up has waited that waits for longest, in milliseconds. */
  wait(): number;
  /** How many look-ups wait. */
  waiting(): number;
}

interface LookUpInput {
  run: StatementRun;
  /** How many statements are under way at one time. */
  atOnce: number;
  /** Is told how long the oldest call of each statement has waited for it. */
  listener: Pick<DatabaseListener, 'waited'>;
}

/**
 * Runs look-ups together. Those that come while all statements are under way gather for the next, so the statements grow with
 * the load; equal ones share one row. As many as a statement takes do not wait for the end of the turn: in an overload a turn
 * is long, and an answer that has come before the next turn begins is read in that turn.
 */
export function createLookUpBatches({ run, atOnce, listener }: LookUpInput): LookUpBatches {
  const ask = createQuestion(run);
  const line = createLine();
  const watch = createPatience(line, listener);
  let underWay = 0;

  function askNext(): void {
    while (underWay < atOnce) {
      const next = line.take();
      if (!next) return;
      underWay += 1;
      listener.waited(performance.now() - (next.calls[0]?.since ?? 0));
      void ask(next.statement, next.calls).then(() => {
        underWay -= 1;
        askNext();
      });
    }
  }

  function add(statement: LookUp, parameters: readonly string[], asker: Asker): void {
    if (line.isEmpty()) setImmediate(askNext);
    watch();
    if (line.add(statement, parameters, asker) >= statement.most) askNext();
  }

  return {
    first: <Row>(statement: LookUp, parameters: readonly string[]) =>
      new Promise<Row | undefined>((resolve, reject) => {
        add(statement, parameters, { resolve: resolve as Asker['resolve'], reject });
      }),
    wait: () => Math.max(0, performance.now() - line.since()),
    waiting: line.size,
  };
}
