import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { recordEvents } from '../../../src/domain/history/record-event.ts';
import type { Event } from '../../../src/store/tables/tables.ts';
import { change, upTo } from '../../domain/support/histories.ts';
import { type Bridges, startBridges } from '../../races/bridges.ts';
import { exchangeAt, freshCode, nth } from '../../races/calls.ts';
import { modeDatabases } from '../../support/jest/test-mode.ts';
import { until } from '../../support/servers/held-answer.ts';
import { tokenOf } from '../../support/callers/legacy-calls.ts';
import { run, runJson } from './operator-command.ts';

/** The history of two running processes, as the operator proves it and takes it out. */

const LINE_LIMIT = 1000;

const PROGRAM = resolve(import.meta.dirname, '../../../dist/program/cli.js');

describe.each(modeDatabases)('on %s', (database) => {
  let bridges: Bridges;
  const secrets = new Set<string>();
  let lastToken = '';

  const verify = (...args: string[]) => run(bridges.settings, 'history', 'verify', ...args);
  const events = () => bridges.context.store.durable.selectFrom('events');
  const record = (first: number, last: number) => {
    const changes = upTo(last - first + 1).map((n) => change(first + n - 1));
    const { store } = bridges.context;
    return store.transaction((tx) => recordEvents(bridges.context, tx, changes));
  };
  const untilChained = (limit: number) =>
    until(
      async () => (await events().select('id').where('position', 'is', null).execute()).length === 0,
      limit,
    );

  beforeAll(async () => {
    bridges = await startBridges({ count: 2, database, env: { LOG_LEVEL: 'info' } });
    bridges.proxy.onTokenAnswer = (_call, answer) => {
      const pair = JSON.parse(answer.body.toString()) as Record<string, string>;
      for (const name of ['access_token', 'refresh_token']) secrets.add(String(pair[name]));
      return answer;
    };
  });
  afterAll(() => bridges.stop());

  test('every entry of whole flows at both processes is chained within a second', async () => {
    await untilChained(2000);
    for (const place of [0, 1, 0, 1]) {
      const app = await bridges.registerApp();
      const code = await freshCode(bridges, { for: app });
      const token = tokenOf(await exchangeAt(nth(bridges, place), app, code));
      lastToken = token;
      for (const secret of [app.clientSecret, code, token]) secrets.add(secret);
      await untilChained(LINE_LIMIT);
    }
    const actions = (await events().select('action').execute()).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['app_registered', 'granted', 'token_issued']));
  });

  test('both processes seal while others write: one chain', async () => {
    for (const n of upTo(20)) await record(n * 100, n * 100 + 49);
    await untilChained(5000);
    const { code, json } = await runJson(bridges.settings, 'history', 'verify');
    expect(json).toMatchObject({ ok: true, waiting: 0 });
    expect((json as { entries: number }).entries).toBeGreaterThan(1000);
    expect(code).toBe(0);
  });

  test('a killed sealer keeps the other from its work for a moment only', async () => {
    await nth(bridges, 0).kill();
    await record(5000, 5010);
    await untilChained(3000);
    await nth(bridges, 0).start();
  });

  test('the export holds every entry once, in order, and no secret', async () => {
    const { code, output, complaints } = await run(bridges.settings, 'history', 'export');
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
    const lines = output.trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as Event & { time: string });
    expect(entries.map(({ position }) => position)).toEqual(upTo(entries.length));
    const rows = await events().selectAll().orderBy('position').execute();
    expect(entries).toEqual(rows.map((row) => ({ ...row, time: new Date(row.at).toISOString() })));
    expect(secrets.size).toBeGreaterThanOrEqual(20);
    const told = [...secrets].filter((secret) => output.includes(secret.replace('1/', '')));
    expect(told).toEqual([]);
  });

  test('a reader that has enough ends the export quietly', async () => {
    const script = `set -o pipefail; "${process.execPath}" "${PROGRAM}" history export | head -n 2`;
    const env = { PATH: process.env['PATH'], ...bridges.settings };
    const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { output: '', complaints: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, complaints: said.complaints }).toEqual({ code: 0, complaints: '' });
    expect(said.output.trimEnd().split('\n')).toHaveLength(2);
  });

  const startFollower = (...args: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, 'history', 'follow', ...args], {
      env: { PATH: process.env['PATH'], ...bridges.settings },
      stdio: 'pipe',
    });
    const said = { output: '', complaints: '' };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.complaints += text));
    const closed = once(child, 'exit') as Promise<[number | null, string | null]>;
    return {
      child,
      said,
      closed,
      begun: () => until(() => said.complaints.includes('none arrived'), 60_000),
    };
  };

  test('a follower prints what both processes chain, with no secret, and a signal ends it with 0', async () => {
    const all = startFollower();
    all.child.stdout.setEncoding('utf8').on('data', (text: string) => (all.said.output += text));
    await all.begun();
    const app = await bridges.registerApp();
    const code = await freshCode(bridges, { for: app });
    const token = tokenOf(await exchangeAt(nth(bridges, 1), app, code));
    for (const secret of [app.clientSecret, code, token]) secrets.add(secret);
    await until(() => all.said.output.includes('"token_issued"'), 5000);
    all.child.kill('SIGTERM');
    expect(await all.closed).toEqual([0, null]);
    const lines = all.said.output.trimEnd().split('\n');
    const exported = (await run(bridges.settings, 'history', 'export')).output.split('\n');
    const start = exported.indexOf(lines[0] ?? '');
    expect(lines).toEqual(exported.slice(start, start + lines.length));
    const text = all.said.output + all.said.complaints;
    expect([...secrets].filter((secret) => text.includes(secret.replace('1/', '')))).toEqual([]);
  });

  test('a follower of one token takes the token from standard input', async () => {
    const ofToken = startFollower('--since', '0', '--token', '-');
    ofToken.child.stdout.setEncoding('utf8').on('data', (text: string) => (ofToken.said.output += text));
    ofToken.child.stdin.end(`${lastToken}\n`);
    await until(() => ofToken.said.output.includes('"token_issued"'), 60_000);
    ofToken.child.kill('SIGINT');
    expect(await ofToken.closed).toEqual([0, null]);
    const entries = ofToken.said.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event);
    expect(new Set(entries.map(({ mapping_id }) => mapping_id)).size).toBe(1);
    expect(ofToken.said.output + ofToken.said.complaints).not.toContain(lastToken.replace('1/', ''));
  });

  test('a signal ends a follower whose reader has stalled, too', async () => {
    const stalled = startFollower('--since', '0');
    await stalled.begun();
    await once(stalled.child.stdout, 'readable');
    stalled.child.kill('SIGTERM');
    expect(await stalled.closed).toEqual([0, null]);
  });

  test('the export goes into a new file for its owner alone, and never over another', async () => {
    const file = join(bridges.varDir, 'history.ndjson');
    expect(await run(bridges.settings, 'history', 'export', '--output', file)).toMatchObject({ code: 0 });
    const text = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text).toBe((await run(bridges.settings, 'history', 'export')).output);
    const again = await run(bridges.settings, 'history', 'export', '--output', file);
    expect(again).toMatchObject({ code: 1, output: '' });
    expect(again.complaints).toBe(`--output: ${file} exists already, and is not overwritten\n`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const nowhere = join(bridges.varDir, 'none', 'history.ndjson');
    const unmade = await run(bridges.settings, 'history', 'export', '--output', nowhere);
    expect(unmade).toMatchObject({
      code: 1,
      complaints: `--output: ${nowhere} could not be written: its folder does not exist\n`,
    });
  });

  test('a file of anchors that is missing, or is none, is refused in words', async () => {
    const missing = join(bridges.varDir, 'none.ndjson');
    const other = join(bridges.varDir, 'other.log');
    writeFileSync(other, 'no anchor\n{"message":"the bridge serves"}\n');
    expect(await verify('--anchor', missing)).toEqual({
      code: 1,
      output: '',
      complaints: `--anchor ${missing} cannot be read: it does not exist\n`,
    });
    expect((await verify('--anchor', other)).complaints).toBe(
      `--anchor ${other} holds no anchor of a history\n`,
    );
    expect(await verify('--anchor', bridges.varDir)).toMatchObject({ code: 1, output: '' });
  });

  test('the log stream of either process anchors the history as the file does', async () => {
    await nth(bridges, 0).stop();
    await nth(bridges, 1).stop();
    const logs = [0, 1].map((place) => {
      const file = join(bridges.varDir, `captured-${place}.log`);
      writeFileSync(file, nth(bridges, place).complaints());
      return file;
    });
    const held = readFileSync(join(bridges.varDir, 'history-anchors.ndjson'), 'utf8');
    const head = await events().select('position').orderBy('position', 'desc').executeTakeFirst();
    expect(held.trimEnd().split('\n').at(-1)).toContain(`"position":${head?.position},`);
    const captured = logs.map((file) => readFileSync(file, 'utf8')).join('');
    expect(captured).toContain('"history anchor"');
    const logged = logs.filter((file) => readFileSync(file, 'utf8').includes('history anchor'));
    const { code, output } = await verify('--anchor', ...logged);
    expect(output).toMatch(
      /^The history is whole: \d+ entries, chained to position \d+, newest anchor 20\S+Z\.\n$/,
    );
    expect(code).toBe(0);
  });

  test('a cut tail fails the command, which names it', async () => {
    const head = await events().select('position').orderBy('position', 'desc').executeTakeFirst();
    const last = Number(head?.position);
    await bridges.context.store.durable
      .deleteFrom('events')
      .where('position', '>', last - 3)
      .execute();
    const { code, output } = await verify();
    expect(output).toMatch(
      new RegExp(`^The history ends with the entry at position ${last - 3} .*reached position ${last}`),
    );
    expect(code).toBe(1);
    const { code: codeOfJson, json } = await runJson(bridges.settings, 'history', 'verify');
    expect(json).toMatchObject({ ok: false, finding: { kind: 'cut', position: last - 3 } });
    expect(codeOfJson).toBe(1);
  });

  test('an edited entry fails the command, which names it', async () => {
    const db = bridges.context.store.durable;
    const update = db.updateTable('events').set({ reason: 'changed' }).where('position', '=', 5);
    const { id } = await update.returning('id').executeTakeFirstOrThrow();
    const { json } = await runJson(bridges.settings, 'history', 'verify');
    expect(json).toMatchObject({ ok: false, finding: { kind: 'edited', position: 5, id } });
  });
});
