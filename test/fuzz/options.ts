import { parseArgs } from 'node:util';

/** What a fuzz run is told. */
export interface FuzzOptions {
  requests: number;
  seed: number;
}

export const USAGE = `npm run fuzz -- [--requests N] [--seed N]

  --requests N   how many requests are sent (10,000)
  --seed N       from which all requests follow (the time)`;

export class UsageError extends Error {}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new UsageError(`--${name} is ${text}, not a whole number from ${least} on`);
  return value;
}

/** @throws {UsageError} */
export function readOptions(args: readonly string[]): FuzzOptions {
  const options = {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  } as const;
  try {
    const { values } = parseArgs({ args: [...args], options });
    return {
      requests: wholeNumber('requests', values.requests, 1),
      seed: wholeNumber('seed', values.seed, 0),
    };
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message);
  }
}
