import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { PURPOSES } from '../../../src/shared/secrets.ts';
import { listKeys } from '../../../src/store/keys/keys.ts';
import type { Store } from '../../../src/store/driver/store.ts';
import { modeDatabases } from '../../support/jest/test-mode.ts';
import { activateBySql } from '../../support/bridge/key-door.ts';
import { add, printed, runJson } from './operator-command.ts';
import {
  canMount,
  fileOf,
  idsIn,
  keys,
  keysOnReadOnlyDisk,
  type Machine,
  startAuthorizationAt,
  startTwoMachines,
  type TwoMachines,
} from '../restore/two-machines.ts';

/** The commands for keys, beside two processes on one database that have a key file each. */

/** A refusal waits for as long as a process that is gone would be counted. */
const WAITS = 60_000;
const CALLBACK = 'https://app.example/callback';
const KEPT = 'kept, the key is the active one';
const LEFT = 'kept. To drop a history key, add --purpose history';
const PROCESS = new RegExp(`process [0-9a-f]{24} on ${hostname()}`, 'g');

describe.each(modeDatabases)('on %s', (kind) => {
  let machines: TwoMachines;
  let here: Machine;
  let there: Machine;
  let store: Store;
  let app: { client_id: string };
  /** The first new key. */
  let fresh: string;
  /** Every secret that ever stood in a key file. */
  const secrets = new Set<string>();

  function noteSecrets(): void {
    for (const machine of [here, there])
      for (const secret of fileOf(machine).match(/(?<="secret": ")[^"]+/g) ?? []) secrets.add(secret);
  }

  const everything = () => machines.everything();

  const stateOf = async (id: string) =>
    (await listKeys(store.durable)).filter((key) => key.id === id).map(({ state }) => state);

  const startAuthorization = () =>
    startAuthorizationAt(here, { clientId: app.client_id, callback: CALLBACK, store });

  beforeAll(async () => {
    machines = await startTwoMachines(kind);
    ({ here, there, store } = machines);
    const registered = await runJson(here.settings, ...add('App', CALLBACK, 'owner@app.example'));
    app = registered.json as typeof app;
    await startAuthorization();
    noteSecrets();
  });
  afterEach(noteSecrets);
  afterAll(() => machines.stop());

  test('list names every key, what stands on it and who holds it', async () => {
    const { code, output, complaints } = await keys(here, 'list');
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    // The command counts itself.
    expect(output.trimEnd().split('\n')).toEqual([
      'digest   k1         active   needed for tokens: 1, app secrets: 1; held by 3 of 3 processes, this process included',
      expect.stringMatching(
        /^history {2}k1 {9}active {3}needed for entries of the history: \d+; held by 3 of 3/,
      ),
      "sealing  k1         active   needed for apps' states: 1; held by 3 of 3 processes, this process included",
      'session  k1         active   needed for nothing; held by 3 of 3 processes, this process included',
    ]);
    const { json } = await runJson(here.settings, 'keys', 'list');
    expect(json).toMatchObject({
      keys: PURPOSES.toSorted().map((purpose) => ({
        purpose,
        id: 'k1',
        state: 'active',
        heldBy: [hostname(), hostname(), hostname()],
      })),
    });
  });

  test('add adds one key to each purpose, and no second one while that waits', async () => {
    const first = await runJson(here.settings, 'keys', 'add');
    fresh = (first.json as { id: string }).id;
    expect(first).toEqual({ code: 0, json: { id: fresh, added: true, file: here.settings.KEYS_FILE } });
    for (const purpose of PURPOSES) expect(idsIn(here, purpose)).toEqual(['k1', fresh]);
    expect(await stateOf(fresh)).toEqual(PURPOSES.map(() => 'standby'));
    const before = await everything();
    const second = await runJson(here.settings, 'keys', 'add');
    expect(second).toEqual({ code: 0, json: { id: fresh, added: false, file: here.settings.KEYS_FILE } });
    const { output } = await keys(here, 'add');
    expect(output).toContain(`Key ${fresh} was added before and is not active yet.`);
    expect(output).toContain(`grantbridge keys activate ${fresh}`);
    expect(await everything()).toEqual(before);
  });

  test('add on a machine whose file lacks the waiting key does not call that file the one to copy', async () => {
    const before = await everything();
    const { code, output, complaints } = await keys(there, 'add');
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(complaints).toBe(
      `key ${fresh} waits already and is not in ${there.settings.KEYS_FILE}: copy the file from the machine that added the key, or drop the key\n`,
    );
    expect(await everything()).toEqual(before);
  });

  test(
    'activate is refused while a live process does not hold the key, and names it',
    async () => {
      const before = await everything();
      const { code, output, complaints } = await keys(here, 'activate', fresh);
      expect({ code, output }).toEqual({ code: 1, output: '' });
      expect(complaints).toContain(`key ${fresh} is not yet held by process`);
      expect(complaints.match(PROCESS)).toHaveLength(1);
      expect(await everything()).toEqual(before);
    },
    WAITS,
  );

  test('activate is accepted once the file was copied, without a restart', async () => {
    const pids = [here, there].map(({ bridge }) => bridge.pid());
    machines.copyThere();
    const { code, output, complaints } = await keys(here, 'activate', fresh, '--purpose', 'session');
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    expect(output).toContain(`Key ${fresh} is active for session.`);
    expect((await stateOf(fresh)).toSorted()).toEqual(['active', 'standby', 'standby', 'standby']);
    expect(await runJson(here.settings, 'keys', 'activate', fresh)).toEqual({
      code: 0,
      json: { id: fresh, activated: ['digest', 'history', 'sealing'] },
    });
    expect(await stateOf('k1')).toEqual(PURPOSES.map(() => 'old'));
    expect((await keys(there, 'activate', fresh)).output).toContain(`Key ${fresh} was active already.`);
    expect([here, there].map(({ bridge }) => bridge.pid())).toEqual(pids);
  });

  test('drop refuses the active key', async () => {
    const before = await everything();
    const { code, output } = await keys(here, 'drop', fresh);
    expect(code).toBe(1);
    expect(output.trimEnd().split('\n').toSorted()).toEqual(
      PURPOSES.toSorted().map((purpose) => `${purpose} ${fresh}: ${purpose === 'history' ? LEFT : KEPT}`),
    );
    expect(await everything()).toEqual(before);
  });

  test.each([
    ['digest', 'tokens: 1, app secrets: 1'],
    ['sealing', "apps' states: 1"],
  ])('drop refuses a key of %s that rows stand on, and says how many of what', async (purpose, what) => {
    const before = await everything();
    const { code, output } = await keys(here, 'drop', 'k1', '--purpose', purpose);
    expect({ code, output }).toEqual({ code: 1, output: `${purpose} k1: kept, ${what}\n` });
    expect(await everything()).toEqual(before);
  });

  test('drop refuses a key of the history while entries stand on it, and only when it is named', async () => {
    const { code, output } = await keys(here, 'drop', 'k1', '--purpose', 'history');
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^history k1: kept, entries of the history: \d+\n$/) as string,
    });
    expect(idsIn(here, 'history')).toEqual(['k1', fresh]);
  });

  test('reseal names what does not open, leaves it and ends with 1; with the right value it is done', async () => {
    await startAuthorization();
    const requests = store.durable.selectFrom('authorization_requests').select(['id', 'state_sealed']);
    const [spoilt] = await requests.where('state_sealed', 'like', 'k1.%').execute();
    const put = (sealed: string) =>
      store.durable
        .updateTable('authorization_requests')
        .set({ state_sealed: sealed })
        .where('id', '=', spoilt?.id ?? '')
        .execute();
    await put(`${spoilt?.state_sealed?.slice(0, -8)}`);
    const wrong = await keys(here, 'reseal');
    expect({ code: wrong.code, output: wrong.output }).toEqual({
      code: 1,
      output: [
        `0 values were sealed anew with key ${fresh}, 1 are left.`,
        `cannot be opened and was not changed: authorization_requests|${spoilt?.id}|state\n`,
      ].join('\n'),
    });
    await put(spoilt?.state_sealed ?? '');
    const right = await keys(here, 'reseal');
    expect({ code: right.code, output: right.output, complaints: right.complaints }).toEqual({
      code: 0,
      output: `1 values were sealed anew with key ${fresh}, 0 are left.\n`,
      complaints: '1 of 1 values sealed anew\n',
    });
    const { code, output } = await keys(here, 'drop', 'k1', '--purpose', 'sealing');
    expect({ code, output }).toEqual({ code: 0, output: 'sealing k1: dropped\n' });
    expect([idsIn(here, 'sealing'), idsIn(there, 'sealing')]).toEqual([[fresh], ['k1', fresh]]);
  });

  test('drop of the same key on a second machine only changes the file there', async () => {
    const before = await everything();
    const { code, output } = await keys(there, 'drop', 'k1', '--purpose', 'sealing');
    expect({ code, output }).toEqual({ code: 0, output: 'sealing k1: dropped\n' });
    expect(idsIn(there, 'sealing')).toEqual([fresh]);
    expect(idsIn(there, 'digest')).toEqual(['k1', fresh]);
    const after = await everything();
    expect(after).toEqual({ ...before, files: [before.files[0], after.files[1]] });
    // And once more, where there is nothing to do.
    expect((await keys(there, 'drop', 'k1', '--purpose', 'sealing')).code).toBe(0);
    expect(await everything()).toEqual(after);
  });

  test(
    'drop is refused while a live process still writes with the key, and names it',
    async () => {
      const { json } = await runJson(here.settings, 'keys', 'add');
      const { id } = json as { id: string };
      // The other machine does not have that one; nobody asks it.
      await activateBySql(store, id);
      const before = await everything();
      const { code, output } = await keys(here, 'drop', fresh, '--purpose', 'session');
      expect(code).toBe(1);
      expect(output).toMatch(
        new RegExp(`^session ${fresh}: kept, process [0-9a-f]{24} on ${hostname()} still writes with it\\n$`),
      );
      expect(await everything()).toEqual(before);
      machines.copyThere();
      const again = await keys(here, 'drop', fresh, '--purpose', 'session');
      expect({ code: again.code, output: again.output }).toEqual({
        code: 0,
        output: `session ${fresh}: dropped\n`,
      });
      expect(idsIn(here, 'session')).toEqual(['k1', id]);
      const gone = await keys(here, 'activate', fresh);
      expect(gone).toMatchObject({ code: 1, complaints: `the session key ${fresh} was dropped\n` });
    },
    WAITS,
  );

  test.each([['activate'], ['drop']])('%s of an id that nobody knows ends with 1', async (step) => {
    const before = await everything();
    expect(await keys(here, step, 'k77')).toEqual({
      code: 1,
      output: '',
      complaints: 'no key k77 is known; see "keys list"\n',
    });
    expect(await everything()).toEqual(before);
  });

  test.each([
    [['activate', 'k1', '--purpose', 'signing']],
    [['drop', 'k1', '--purpose', 'signing']],
    [['drop']],
    [['activate']],
    [['list', 'k1']],
    [['add', 'k1']],
    [[]],
  ])('keys %j is wrong usage: it ends with 2 and changes nothing', async (args) => {
    const before = await everything();
    const { code, output, complaints } = await keys(here, ...args);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(complaints).not.toBe('');
    expect(await everything()).toEqual(before);
  });

  (canMount ? test.each : test.skip.each)([
    [['add']],
    [['drop', 'k1']],
    [['drop', 'k1', '--purpose', 'session']],
  ])(
    'keys %j with a key file on a read-only disk says so in plain words and changes nothing',
    async (args) => {
      const before = await everything();
      expect(keysOnReadOnlyDisk(here, ...args)).toEqual({
        status: 1,
        stdout: '',
        stderr: `KEYS_FILE: ${here.settings.KEYS_FILE} cannot be changed: the file system is read-only\n`,
      });
      expect(await everything()).toEqual(before);
      expect(keysOnReadOnlyDisk(here, 'list').status).toBe(0);
    },
  );

  test('nothing that was printed or logged held a key, and no draft of a key file is left', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(3 * PURPOSES.length);
    const said = [...printed, ...[here, there].map(({ bridge }) => bridge.complaints())].join('\n');
    for (const secret of secrets) {
      const bytes = Buffer.from(secret, 'base64url');
      for (const form of [secret, bytes.toString('base64'), bytes.toString('hex')])
        expect(said.includes(form)).toBe(false);
    }
    for (const machine of [here, there]) {
      expect(existsSync(machine.settings.KEYS_FILE)).toBe(true);
      expect(readdirSync(dirname(machine.settings.KEYS_FILE))).toEqual(['keys.json']);
    }
  });
});
