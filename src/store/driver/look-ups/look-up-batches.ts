import { asStorageFault } from '../storage-fault.ts';
import type { Store } from '../store.ts';
import { CALL_NUMBER, LARGEST_BATCH, type LookUp } from './look-up.ts';

/**
 * Look-ups of calls that arrive together go to the database as one statement: to send a statement and to read its answer
 * costs a process more than the rows do.
 */

type AskedRow = Record<string, unknown>;
type StatementRun = (text: string, values: ReadonlyArray<string | null>) => Promise<AskedRow[]>;

/** A look-up of one call. */
interface LookUpCall {
  /** By the monotonic clock, in milliseconds. */
  since: number;
  parameters: readonly string[];
  resolve: (row: AskedRow | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * For how many calls there are statements. A statement has so many parameters, whatever it is asked, and so the database
 * finds no reason to plan it anew. Calls that are missing ask for the row of nobody.
 */
const SIZES = [1, 4, 16, 64, LARGEST_BATCH];

/**
 * So many calls do not wait for the end of the turn. In an overload a turn is long, and an answer that has come before the
 * next turn begins is read in that turn.
 */
const ENOUGH = 64;

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
      for (const [number, { resolve }] of calls.entries()) resolve(rows.get(number));
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };
}

/** Calls of one look-up that are asked together. */
interface Batch {
  statement: LookUp;
  calls: LookUpCall[];
}

/** The calls that wait for a statement. */
function createLine() {
  const waiting = new Map<LookUp, LookUpCall[]>();
  return {
    isEmpty: () => waiting.size === 0,
    /** How many calls of its look-up wait with it. */
    add(statement: LookUp, call: LookUpCall): number {
      const calls = waiting.get(statement) ?? [];
      waiting.set(statement, calls);
      return calls.push(call);
    },
    /** Takes the oldest calls of the first look-up, which stands last then. */
    take(): Batch | undefined {
      for (const [statement, calls] of waiting) {
        waiting.delete(statement);
        const taken = calls.splice(0, statement.most);
        if (calls.length > 0) waiting.set(statement, calls);
        return { statement, calls: taken };
      }
      return undefined;
    },
    since: () =>
      Math.min(...[...waiting.values()].map(([first]) => first?.since ?? Number.POSITIVE_INFINITY)),
    size: () => [...waiting.values()].reduce((sum, calls) => sum + calls.length, 0),
  };
}

/** Gives up the calls that have waited too long. The others. */
function patientOf(calls: readonly LookUpCall[]): LookUpCall[] {
  const tooOld = performance.now() - WAITS_AT_MOST;
  for (const { since, reject } of calls)
    if (since < tooOld) reject(asStorageFault(new Error('a look-up waited too long for a connection')));
  return calls.filter(({ since }) => since >= tooOld);
}

export interface LookUpBatches {
  first: Store['firstSoon'];
  /** How long the look-up has waited that waits for longest, in milliseconds. */
  wait(): number;
  /** How many look-ups wait. */
  waiting(): number;
}

/**
 * Runs look-ups together, with so many statements at once. Those that come while all are under way gather for the next, so the
 * statements grow with the load.
 */
export function createLookUpBatches(run: StatementRun, statementsAtOnce: number): LookUpBatches {
  const ask = createQuestion(run);
  const line = createLine();
  let underWay = 0;

  function askNext(): void {
    while (underWay < statementsAtOnce) {
      const next = line.take();
      if (!next) return;
      const calls = patientOf(next.calls);
      if (calls.length === 0) continue;
      underWay += 1;
      void ask(next.statement, calls).then(() => {
        underWay -= 1;
        askNext();
      });
    }
  }

  function add(statement: LookUp, call: LookUpCall): void {
    if (line.isEmpty()) setImmediate(askNext);
    if (line.add(statement, call) >= Math.min(ENOUGH, statement.most)) askNext();
  }

  return {
    first: <Row>(statement: LookUp, parameters: readonly string[]) =>
      new Promise<Row | undefined>((resolve, reject) => {
        const since = performance.now();
        add(statement, { since, parameters, resolve: resolve as LookUpCall['resolve'], reject });
      }),
    wait: () => Math.max(0, performance.now() - line.since()),
    waiting: line.size,
  };
}
