import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { run } from './operator-command.ts';

/** What a person sees at a terminal: the command runs on a pseudo terminal of `script` (util-linux). */

const program = resolve(import.meta.dirname, '../../../dist/program/cli.js');
const ESCAPE = '\u001B[';
const HEAD = 'KEY ID';

let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  settings = {
    NODE_ENV: 'test',
    VAR_DIR: folder,
    KEYS_FILE: join(folder, 'keys.json'),
    MODERN_AUTH_URL: 'http://127.0.0.1:9',
    MODERN_API_URL: 'http://127.0.0.1:9',
    MODERN_CLIENT_ID: 'bridge',
  };
  expect(await run(settings, 'migrate')).toMatchObject({ code: 0 });
  for (let i = 0; i < 30; i += 1)
    await run(settings, 'api-keys', 'make', '--name', `Desk ${i}`, '--role', 'reader', '--days', '9');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface AtTerminal {
  /** What the person types once this text has appeared. */
  types?: readonly [after: string, keys: string];
  env?: Record<string, string>;
  rows?: number;
  /** Behind the command, for the shell: `< /dev/null`. */
  redirect?: string;
  /** The command is paused for a moment once this text has appeared, as on a machine that is slow. */
  pausesAt?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Longer than a rate needs to be known. */
const PAUSE_MS = 1300;

/** Stops the process of a command and lets it go on. */
async function pause(args: readonly string[]): Promise<void> {
  const line = [process.execPath, program, ...args, ''].join('\0');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const pid = pids.find((one) => commandLineOf(one) === line);
  process.kill(Number(pid), 'SIGSTOP');
  await delay(PAUSE_MS);
  process.kill(Number(pid), 'SIGCONT');
}

/** A process may end while it is looked at. */
function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs a command on a terminal of its own. What it printed, and its exit code. */
async function atTerminal(
  args: readonly string[],
  { types, env = {}, rows = 100, redirect = '', pausesAt }: AtTerminal = {},
): Promise<{ code: number | null; screen: string }> {
  const command = [process.execPath, program, ...args].map(quoted).join(' ');
  const line = `stty rows ${rows} cols 200; ${command} ${redirect}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...settings, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let [screen, isTyped, isPaused] = ['', false, false];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    if (pausesAt !== undefined && !isPaused && screen.includes(pausesAt)) {
      isPaused = true;
      void pause(args);
    }
    if (!types || isTyped || !screen.includes(types[0])) return;
    isTyped = true;
    child.stdin.write(types[1]);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, screen: screen.replaceAll('\r\n', '\n') };
}

describe('colour', () => {
  test('is on a terminal, and nowhere else', async () => {
    expect((await atTerminal(['api-keys', 'list'])).screen).toContain(`${ESCAPE}1m${HEAD}`);
    expect((await run(settings, 'api-keys', 'list')).output).not.toContain(ESCAPE);
    expect((await atTerminal(['doctor'])).screen).toContain(`${ESCAPE}32mok`);
    expect((await run(settings, 'doctor')).output).not.toContain(ESCAPE);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['NO_COLOR', { NO_COLOR: '1' }, []],
    ['a terminal without colour', { TERM: 'dumb' }, []],
    ['--no-color', {}, ['--no-color']],
    ['--no-color before FORCE_COLOR', { FORCE_COLOR: '1' }, ['--no-color']],
  ])('is left out by %s', async (_by, env, args) => {
    const { screen } = await atTerminal(['api-keys', 'list', ...args], { env });
    expect(screen).toContain(HEAD);
    expect(screen).not.toContain(ESCAPE);
  });

  test('is everywhere by FORCE_COLOR, and the words of a failure are red', async () => {
    const forced = { ...settings, FORCE_COLOR: '1' };
    expect((await run(forced, 'doctor')).output).toContain(ESCAPE);
    const failed = await atTerminal(['apps', 'add-secret', '0'.repeat(24)]);
    expect(failed).toMatchObject({ code: 1, screen: expect.stringContaining(`${ESCAPE}31mno app has`) });
  });
});

describe('a list', () => {
  test('has a head and columns on a terminal, and its former lines elsewhere', async () => {
    const { screen } = await atTerminal(['api-keys', 'list'], { env: { NO_COLOR: '1' } });
    const lines = screen.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^KEY ID +ROLE +STATE +NAME +ENDS +LAST USED +MADE BY$/);
    expect(lines).toHaveLength(31);
    const at = lines[0]?.indexOf('NAME') ?? -1;
    for (const line of lines.slice(1)) expect(line.slice(at)).toMatch(/^Desk \d+ /);
    const { output } = await run(settings, 'api-keys', 'list');
    expect(output).not.toContain(HEAD);
    expect(output).toContain('never used');
  });

  test('that is longer than the screen is shown by a pager, which is asked for by nothing else', async () => {
    const pager = join(folder, 'pager.sh');
    writeFileSync(pager, 'echo PAGED; cat\n');
    const env = { PAGER: `sh ${pager}` };
    const paged = await atTerminal(['api-keys', 'list'], { env, rows: 10 });
    expect(paged.screen).toContain('PAGED');
    expect(paged.screen).toContain('Desk 29');
    const others = [
      await atTerminal(['api-keys', 'list'], { env, rows: 100 }),
      await atTerminal(['api-keys', 'list', '--no-pager'], { env, rows: 10 }),
      await atTerminal(['api-keys', 'list', '--json'], { env, rows: 10 }),
      await atTerminal(['api-keys', 'list'], { env: { PAGER: 'cat' }, rows: 10 }),
      await atTerminal(['api-keys', 'list'], { env, rows: 10, redirect: '| cat' }),
    ];
    for (const { code, screen } of others)
      expect([code, screen.includes('PAGED'), screen.includes('Desk 29')]).toEqual([0, false, true]);
    const none = await atTerminal(['api-keys', 'list'], { env: { PAGER: 'no-such-pager' }, rows: 10 });
    expect(none).toMatchObject({ code: 0, screen: expect.stringContaining('Desk 29') });
  });
});

describe('a question', () => {
  const TAKE_OVER = ['restore', '--take-over'];
  const ALREADY = 'is the original already';

  test('comes before a take-over, and only yes goes on', async () => {
    const yes = await atTerminal(TAKE_OVER, { types: ['[y/N]', 'y\n'] });
    expect(yes).toMatchObject({ code: 0, screen: expect.stringContaining(ALREADY) });
    for (const answer of ['\n', 'n\n', 'yeah\n']) {
      const no = await atTerminal(TAKE_OVER, { types: ['[y/N]', answer] });
      expect(no).toMatchObject({ code: 1, screen: expect.stringContaining('Nothing was changed.') });
      expect(no.screen).not.toContain(ALREADY);
    }
  });

  test('is answered by --yes', async () => {
    const { code, screen } = await atTerminal([...TAKE_OVER, '--yes']);
    expect([code, screen.includes(ALREADY), screen.includes('[y/N]')]).toEqual([0, true, false]);
  });

  test('that nobody can answer is a refusal with 2, where somebody looks on', async () => {
    for (const redirect of ['< /dev/null', '2> /dev/null']) {
      const { code, screen } = await atTerminal(TAKE_OVER, { redirect });
      expect([redirect, code, screen.includes(ALREADY)]).toEqual([redirect, 2, false]);
    }
    const told = await atTerminal(TAKE_OVER, { redirect: '< /dev/null' });
    expect(told.screen).toContain('add --yes');
  });

  test('is not asked of a script, which does what it says as before', async () => {
    expect(await run(settings, ...TAKE_OVER)).toMatchObject({
      code: 0,
      output: expect.stringContaining(ALREADY),
    });
  });

  test.each([
    [['keys', 'drop', 'kf5d9f427']],
    [['shadow', '--clear']],
    [['webhooks', 'remove', 'none']],
    [['accounts', 'pin', 'a@b.example', '0'.repeat(24), '--reason', 'r']],
    [['apps', 'retire-secret', '0'.repeat(24), 'none']],
  ])('comes before %j too', async (args) => {
    const no = await atTerminal(args, { types: ['[y/N]', 'n\n'] });
    expect(no).toMatchObject({ code: 1, screen: expect.stringContaining('Nothing was changed.') });
  });

  test('is none before a look', async () => {
    expect((await atTerminal(['shadow'])).screen).not.toContain('[y/N]');
  });
});

describe('progress', () => {
  const rows = Array.from(
    { length: 60_000 },
    (_none, i) => `{"type":"profile","legacy_id":"a${i}","modern_id":"b${i}"}`,
  );
  beforeAll(() => writeFileSync(join(folder, 'rows.ndjson'), rows.join('\n')));

  test('is a bar with rate and time left on a terminal, and gone at the end', async () => {
    const { code, screen } = await atTerminal(['tokens', 'import', join(folder, 'rows.ndjson'), '--dry-run']);
    expect(code).toBe(0);
    expect(screen).toMatch(
      /\[#*\.+\] \d+ % {2}a trial, nothing is changed: \d+ new.*, \d+ a second, about \d+ (?:s|minutes) left/,
    );
    expect(screen.split('\n').at(-2)).toContain('This was a dry run.');
  });

  const PACE = String.raw`, \d+ a second, about \d+ (?:s|minutes) left`;
  const bar = (words: string) => new RegExp(String.raw`\[#*\.+\] \d+ % {2}${words}${PACE}`);

  /** A database that takes a while to be copied. */
  const FILLER_MB = 120;
  const MEGABYTE = 1024 * 1024;

  test('of a backup and of a restore names each step, with rate and time left of the copying', async () => {
    const copy = join(folder, 'backup.db');
    const db = new Sqlite(join(folder, 'bridge.db'));
    db.exec('create table filler (body blob)');
    const add = db.prepare(`insert into filler values (zeroblob(${MEGABYTE}))`);
    for (let n = 0; n < FILLER_MB; n += 1) add.run();
    db.close();
    const made = await atTerminal(['backup', copy], { pausesAt: 'copying' });
    expect(made).toMatchObject({ code: 0, screen: expect.stringContaining('checking the copy') });
    expect(made.screen).toMatch(bar(String.raw`\d+ of \d+ pages`));
    const restored = await atTerminal(['restore', copy, '--yes'], { pausesAt: 'copying' });
    expect(restored).toMatchObject({ code: 0, screen: expect.stringContaining('checking the copy') });
    expect(restored.screen).toMatch(bar(String.raw`\d+ of \d+ kB`));
    // The bar is gone when the result is printed.
    expect(restored.screen.split(`\r${ESCAPE}K`).at(-1)).toMatch(/was restored to/);
    const quiet = await run(settings, 'backup', `${copy}-2`);
    expect(quiet).toMatchObject({ code: 0, complaints: '' });
  }, 120_000);
});
