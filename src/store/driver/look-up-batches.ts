import type { Store } from './store.ts';
import { CALL_NUMBER, type LookUp } from './look-up.ts';

/**
 * Look-ups of calls that arrive in one turn of the event loop go to the database as one statement: to send a statement
 * and to read its answer costs a process more than the rows do.
 */

type AskedRow = Record<string, unknown>;
type StatementRun = (text: string, values: ReadonlyArray<string | null>) => Promise<AskedRow[]>;

/** A look-up of one call. */
interface LookUpCall {
  parameters: readonly string[];
  resolve: (row: AskedRow | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * For how many calls there are statements. A statement has so many parameters, whatever it is asked, and so the database
 * finds no reason to plan it anew. Calls that are missing ask for the row of nobody.
 */
const SIZES = [1, 4, 16] as const;
const MOST = 16;

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

/** Runs look-ups together. */
export function createLookUpBatches(run: StatementRun): Store['firstSoon'] {
  const textOf = createTexts();
  const waiting = new Map<LookUp, LookUpCall[]>();

  async function ask(statement: LookUp, calls: readonly LookUpCall[]): Promise<void> {
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
  }

  function askAll(statement: LookUp): void {
    const calls = waiting.get(statement) ?? [];
    waiting.delete(statement);
    for (let at = 0; at < calls.length; at += MOST) void ask(statement, calls.slice(at, at + MOST));
  }

  function add(statement: LookUp, call: LookUpCall): void {
    const calls = waiting.get(statement);
    if (calls) return void calls.push(call);
    waiting.set(statement, [call]);
    setImmediate(askAll, statement);
  }

  return <Row>(statement: LookUp, parameters: readonly string[]) =>
    new Promise<Row | undefined>((resolve, reject) => {
      add(statement, { parameters, resolve: resolve as LookUpCall['resolve'], reject });
    });
}
