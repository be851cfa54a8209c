import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { tokenOf } from '../../support/callers/legacy-calls.ts';
import { canReadProcesses, childrenOf, isRunning, visibleOf } from './process-list.ts';
import { buildProgram, runProgram, type Settings } from '../running-program.ts';
import { connectDemo, readProfiles, tokenFromCodePage } from '../walks.ts';
import { choosePlace, type Place, startWholeSystem, type WholeSystem } from '../whole-system.ts';

let place: Place;
let system: WholeSystem;
let token: string;

async function answersOn(port: string | undefined): Promise<boolean> {
  const socket = connect(Number(port), '127.0.0.1');
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return answered;
}

const ports = () => [place.settings.PORT, place.settings.MODERN_PORT, place.settings.DEMO_PORT];
const modeOf = (name: string) => (statSync(join(place.varDir, name)).mode & 0o777).toString(8);
const running = () => [system.pid, ...(canReadProcesses ? childrenOf(system.pid) : [])];

/** A start in a place of its own but for what it is given. */
async function startElsewhere(taken: Settings) {
  const other = await choosePlace();
  const result = await runProgram({ ...other.settings, ...taken });
  other.remove();
  return result;
}

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
  system = await startWholeSystem(place.settings);
});
afterAll(async () => {
  await system.stop();
  place.remove();
});

describe('what the start says', () => {
  test('it names the three addresses, the demo account, the demo app and a curl to copy', () => {
    const [bridge, modern, demo] = ports().map((port) => `http://localhost:${port}`);
    expect(system.welcome.split('\n')).toEqual(
      expect.arrayContaining([
        `  bridge             ${bridge}`,
        `  new API            ${modern}`,
        `  account settings   ${modern}/settings`,
        expect.stringContaining(`  demo integration   ${demo}`),
        expect.stringMatching(/^ *demo e-mail: \S+@\S+$/),
        expect.stringMatching(/^ *demo password: \S+$/),
        expect.stringMatching(/^ *demo client_id: [0-9a-f]{24}$/),
        expect.stringMatching(/^ *demo client_secret: \S+$/),
        expect.stringMatching(`^ *curl '${bridge}/1/profiles.json\\?access_token=1/[0-9a-f]{32}'$`),
      ]),
    );
  });
});

describe('the flows that the start invites to', () => {
  test('the code page gives a code, the code a token, and the token the twelve profiles', async () => {
    token = tokenOf(await tokenFromCodePage(system));
    const { status, json } = await readProfiles(system, token);
    expect({ status, profiles: (json as unknown[]).length }).toEqual({ status: 200, profiles: 12 });
  });

  test('the demo integration connects and shows the twelve profiles, and the printed curl then works', async () => {
    const page = await connectDemo(system, new CookieWalker());
    expect(page.url).toBe(`${system.demoUrl}/flow`);
    expect(page.body).toContain('Profiles (12)');
    expect(page.body).not.toContain(system.app.clientSecret);
    expect((await readProfiles(system, system.ownerToken)).json).toHaveLength(12);
  });
});

describe('what others on the machine can see', () => {
  test('keys and the client of the bridge are readable by their owner alone', () => {
    expect(['keys.json', 'modern-client.json'].map(modeOf)).toEqual(['600', '600']);
  });

  (canReadProcesses ? test : test.skip)('no command line and no environment holds a secret', () => {
    const client = JSON.parse(readFileSync(join(place.varDir, 'modern-client.json'), 'utf8')) as {
      clientSecret: string;
    };
    const keys = readFileSync(join(place.varDir, 'keys.json'), 'utf8').match(/[\w-]{43}/g) ?? [];
    const secrets = [client.clientSecret, system.app.clientSecret, system.person.password, ...keys];
    expect(secrets).toHaveLength(7);
    const seen = [system.pid, ...childrenOf(system.pid)].map(visibleOf);
    expect(seen).toHaveLength(3);
    for (const { commandLine, environment } of seen) {
      expect(secrets.filter((secret) => `${commandLine}${environment}`.includes(secret))).toEqual([]);
    }
  });
});

describe('a start that cannot go well', () => {
  test.each(['PORT', 'MODERN_PORT', 'DEMO_PORT'] as const)(
    'a second start on a %s that is taken says so in one plain sentence and ends with 1',
    async (name) => {
      const port = place.settings.PORT;
      const { code, complaints } = await startElsewhere({ [name]: port });
      const sentences = complaints.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      expect(sentences).toEqual([expect.stringMatching(new RegExp(`port ${port}\\b.* taken`))]);
      expect(code).toBe(1);
    },
  );

  test('all wrong settings are named together, each with what is wrong', async () => {
    const { code, complaints } = await runProgram({
      PORT: 'http',
      LOG_LEVEL: 'loud',
      LEGACY_CODE_REPLAY: 'x',
    });
    for (const line of ['PORT: must be', 'LOG_LEVEL: must be', 'LEGACY_CODE_REPLAY: must be'])
      expect(complaints).toContain(line);
    expect(code).toBe(1);
    const both = await runProgram({ HOST: '0.0.0.0', MODERN_CLIENT_SECRET: 'x' });
    expect(both.complaints).toMatch(/MODERN_CLIENT_SECRET: .*\n.*HOST: /);
  });

  test('no file is written where the settings are wrong', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wrong-settings-'));
    await runProgram({ VAR_DIR: join(folder, 'var'), PORT: '70000' });
    expect(() => statSync(join(folder, 'var'))).toThrow('ENOENT');
    rmSync(folder, { recursive: true });
  });
});

/** As a used-up quota of the embedded modern generation leaves it, which itself counts anew after a start. */
function pauseForAMonth(): void {
  const db = new Sqlite(join(place.varDir, 'bridge-volatile.db'));
  const until = Date.now() + 29 * 86_400_000;
  db.prepare(
    `insert or replace into budgets (modern_client_id, share_permille, said_at, valid_until, paused_until)
     values ('grantbridge', 0, ?, ?, ?)`,
  ).run(Date.now(), until, until);
  db.close();
}

describe('stopping and starting again', () => {
  test('SIGTERM ends all three processes with 0 and frees their ports', async () => {
    const before = running();
    expect(before.every(isRunning)).toBe(true);
    expect(await system.stop()).toBe(0);
    expect(before.filter(isRunning)).toEqual([]);
    expect(await Promise.all(ports().map(answersOn))).toEqual([false, false, false]);
  });

  test('without its keys it refuses to start on an existing database and destroys nothing', async () => {
    const path = join(place.varDir, 'keys.json');
    const [keys, database] = [readFileSync(path), readFileSync(join(place.varDir, 'bridge.db'))];
    rmSync(path);
    const { code, complaints } = await runProgram(place.settings);
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: expect.stringContaining('keys.json is missing'),
    });
    expect(() => statSync(path)).toThrow('ENOENT');
    expect(readFileSync(join(place.varDir, 'bridge.db')).equals(database)).toBe(true);
    writeFileSync(path, keys, { mode: 0o600 });
  });

  test('the second start prints the same, and the old token still gives the twelve profiles', async () => {
    const { welcome } = system;
    pauseForAMonth();
    const uncached = { PROFILES_FRESH_SECONDS: '0', PROFILES_STALE_SECONDS: '0' };
    system = await startWholeSystem({ ...place.settings, ...uncached });
    expect(system.welcome).toBe(welcome);
    expect((await readProfiles(system, token)).json).toHaveLength(12);
    expect((await readProfiles(system, system.ownerToken)).json).toHaveLength(12);
  });

  test('Ctrl-C, which reaches all three at once, ends them with 0 and without a complaint', async () => {
    expect({ code: await system.interrupt(), complaints: system.complaints() }).toEqual({
      code: 0,
      complaints: '',
    });
    system = await startWholeSystem(place.settings);
  });

  (canReadProcesses ? test : test.skip)(
    'a child that dies ends the whole, for a supervisor to see',
    async () => {
      const all = running();
      process.kill(all[1] ?? 0, 'SIGKILL');
      expect(await system.ended).toBe(1);
      expect(system.complaints()).toContain('ended unexpectedly');
      expect(all.filter(isRunning)).toEqual([]);
    },
  );
});
