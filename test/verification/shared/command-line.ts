import { parseArgs } from 'node:util';

/** The options of a command line, as texts, and what they may be. */

/** What is said about a command line that cannot be played. */
export class UsageError extends Error {}

/** @throws {UsageError} */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number`);
  return Number(text);
}

/** @throws {UsageError} */
export function positiveNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (number <= 0) throw new UsageError(`--${name} must be a number above 0`);
  return number;
}

/** @throws {UsageError} */
export function oneOf<T extends string>(name: string, list: readonly T[], text: string): T {
  const found = list.find((each) => each === text);
  if (found === undefined) throw new UsageError(`--${name} must be one of ${list.join(', ')}`);
  return found;
}

/** Every option as it was given. @throws {UsageError} */
export function optionsIn<T extends string>(
  args: readonly string[],
  names: readonly T[],
): Partial<Record<T, string>> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options }).values as Partial<Record<T, string>>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
