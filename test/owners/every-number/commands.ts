import { dirname } from 'node:path';
import { groupBy } from '../../../src/shared/group-by.ts';
import { listAppsCommand } from '../../../src/cli/commands/apps/apps.ts';
import { findTokenCommand } from '../../../src/cli/commands/tokens/token-actions.ts';
import { type Facts, isCallRefused, type Token } from './facts.ts';
import type { World } from './world.ts';

/** What commands tell of the numbers that the pages tell: `apps list` and `tokens find`. */

/** Runs commands on the database of the world, as an operator beside the bridge does. */
async function beside<T>({ system }: World, work: () => Promise<T>): Promise<T> {
  const before = process.env;
  const { context, database } = system.bridge;
  process.env = {
    VAR_DIR: dirname(context.anchorsFile),
    LOG_LEVEL: 'error',
    MODERN_AUTH_URL: system.proxy.origin,
    MODERN_API_URL: system.proxy.origin,
    MODERN_CLIENT_ID: 'bridge',
    ...(database.kind === 'postgres' && { DATABASE_URL: database.url }),
  };
  try {
    return await work();
  } finally {
    process.env = before;
  }
}

async function wrongApps({ tokens }: Facts): Promise<string[]> {
  const { lines } = await listAppsCommand();
  const apps = groupBy(tokens, ({ client_id: id }) => id);
  return [...apps].flatMap(([id, own]) => {
    const line = lines.find((one) => one.startsWith(`${id}  `)) ?? '';
    const truth = `(${own.length} ${own.length === 1 ? 'token' : 'tokens'}, `;
    return line.includes(truth) ? [] : [`apps list: ${line}, is ${truth}`];
  });
}

/** The bridge is younger than the days of which the command speaks, so no number of calls is a whole one. */
async function wrongToken({ calls }: Facts, { id, state }: Token): Promise<string[]> {
  const { lines } = await findTokenCommand({}, [id]);
  const said = lines.join('\n');
  const made = calls.filter(({ token }) => token.id === id);
  const [count, refused] = [made.length, made.filter(isCallRefused).length];
  const truth = [
    `${id}  ${state}`,
    `at least ${count} ${count === 1 ? 'call' : 'calls'} in 30 days${refused > 0 ? ` (${refused} refused)` : ''}`,
    ...(count === 0 ? ['at no known time'] : []),
    'Calls are counted since ',
  ];
  return truth.filter((words) => !said.includes(words)).map((words) => `tokens find: ${said}, is ${words}`);
}

/** What commands say that is not so. */
export async function wrongInCommands(
  world: World,
  facts: Facts,
  tokens: readonly Token[],
): Promise<string[]> {
  return beside(world, async () => {
    const wrong = await wrongApps(facts);
    for (const token of tokens) wrong.push(...(await wrongToken(facts, token)));
    return wrong;
  });
}
