/** The answer of a command: lines for people, one object for programs. */
export interface Result {
  ok: boolean;
  lines: string[];
  json: Record<string, unknown>;
}

/** Prints a result to standard output. */
export function printResult({ lines, json }: Result, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : `${lines.join('\n')}\n`);
}
