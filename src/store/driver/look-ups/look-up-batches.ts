import type { Store } from '../store.ts';
import { CALL_NUMBER, type LookUp } from './look-up.ts';

/**
 * Look-ups of calls that arrive in one turn of the event loop go to the database as one statement: to send a statement
 * and to read its answer costs a process more than the rows do.
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
const SIZES = [1, 4, 16, 64, 256];
const MOST = Math.max(...SIZES);

/**
 * So many calls do not wait for the end of the turn. In an overload a turn is long, and an answer that has come before the
 * next turn begins is read in that turn.
 */
const ENOUGH = 64;

/** The texts of a look-up by the number of calls. */
function createTexts() {
  const known = new Map<LookUp, Map<number, string>>();
  return (statement: LookUp, calls: number): { text: string; size: number } => {
    const size = SIZES.find((most) => most >= calls) ?? MOST;
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

export interface LookUpBatches {
  first: Store['firstSoon'];
  /** How long the look-up that is asked next has waited, in milliseconds. */
  wait(): number;
}

/**
 * Runs look-ups together, with so many statements at once. Those that come while all are under way gather for the next, so the
 * statements grow with the load.
 */
export function createLookUpBatches(run: StatementRun, statementsAtOnce: number): LookUpBatches {
  const ask = createQuestion(run);
  const waiting = new Map<LookUp, LookUpCall[]>();
  let underWay = 0;

  /** Takes the oldest calls of a look-up, which stands last then. */
  function take(statement: LookUp, calls: LookUpCall[]): LookUpCall[] {
    const taken = calls.splice(0, MOST);
    waiting.delete(statement);
    if (calls.length > 0) waiting.set(statement, calls);
    return taken;
  }

  function askNext(): void {
    for (const [statement, calls] of waiting) {
      if (underWay >= statementsAtOnce) return;
      underWay += 1;
      void ask(statement, take(statement, calls)).then(() => {
        underWay -= 1;
        askNext();
      });
    }
  }

  function add(statement: LookUp, call: LookUpCall): void {
    if (waiting.size === 0) setImmediate(askNext);
    const calls = waiting.get(statement) ?? [];
    calls.push(call);
    waiting.set(statement, calls);
    if (calls.length >= ENOUGH) askNext();
  }

  return {
    first: <Row>(statement: LookUp, parameters: readonly string[]) =>
      new Promise<Row | undefined>((resolve, reject) => {
        const since = performance.now();
        add(statement, { since, parameters, resolve: resolve as LookUpCall['resolve'], reject });
      }),
    wait() {
      const [next] = waiting.values().next().value ?? [];
      return next ? performance.now() - next.since : 0;
    },
  };
}
