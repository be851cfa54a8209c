import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** `npm run crash-campaign`, short: enough to see that it runs, that it finds nothing, and that it would. */

const checkout = resolve(import.meta.dirname, '../..');

/** On a machine that does nothing else a campaign here takes less than half a minute; one of CI does much else. */
const LIMIT_MS = 290_000;

interface Ended {
  code: number;
  /** All it said, its table last. */
  said: string;
}

function campaign(seed: number, ...args: string[]): Promise<Ended> {
  const command = ['scripts/crash-campaign.mjs', '--seed', String(seed), ...args];
  const options = { cwd: checkout, maxBuffer: 2 ** 24, timeout: LIMIT_MS };
  return new Promise((done) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, said: `${stdout}${stderr}` });
    });
  });
}

/** Fails with the campaign's own table where it finds anything. */
export async function expectNoViolation(database: string, rounds: string): Promise<void> {
  const { code, said } = await campaign(1, '--database', database, '--rounds', rounds, '--lanes', '4');
  if (code !== 0) throw new Error(said);
  expect(said).toContain(`rounds ${rounds}, seed 1`);
  expect(said).toMatch(/^ {2}presented again WITHOUT either +0$/m);
  expect(said).toMatch(/^ {2}answers lost +0$/m);
  expect(said).toMatch(/^0 violations$/m);
}

/** Where a fault is rare, the kind of rounds that bring it about, and the database. */
interface Rounds {
  kind?: string;
  database?: 'sqlite' | 'postgres';
}

/** Timing is the machine's own: what one seed does not bring about, another does. */
export async function expectCaught(sabotage: string, rounds: Rounds = {}): Promise<void> {
  const { kind, database = 'sqlite' } = rounds;
  const given = ['--database', database, ...(kind === undefined ? [] : ['--kind', kind])];
  const ended: Ended[] = [];
  for (let seed = 1; seed <= 3 && ended.at(-1)?.code !== 1; seed += 1)
    ended.push(await campaign(seed, '--sabotage', sabotage, '--rounds', '12', '--lanes', '2', ...given));
  const { code, said } = ended.at(-1) ?? { code: 0, said: '' };
  // the first that is seen ends the campaign: the presentation itself, or what it has done to a grant or a pair
  expect(said).toMatch(/^round \d+ .*: (I1:|I3: refresh token|I4:|I11:|answer lost:|grant lost:)/m);
  expect(said).toMatch(new RegExp(`--database ${database} --round \\d+ --sabotage ${sabotage}$`, 'm'));
  expect(code).toBe(1);
}
