import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LegacyApp } from '../support/callers/authorize.ts';
import { modeDatabases } from '../support/jest/test-mode.ts';
import { type Kind, OTHERS, TEN_OF_EACH } from './canaries/collection.ts';
import { addApp, backedUp, readingCommands, rotateKeys } from './canaries/commands.ts';
import { breakDatabase, FAULTS, loseDatabase, meetFault } from './canaries/faults.ts';
import { type Connected, connect, deauthorize, readEverywhere, readOnce, refuse } from './canaries/flows.ts';
import { formsOf } from './canaries/forms.ts';
import { commandLinesOf, filesBelow, keptIn } from './canaries/kept.ts';
import { exchangeBadly, guess, misplace, sendNoHttp } from './canaries/misuse.ts';
import { inWords, type Place, search, sharpen } from './canaries/search.ts';
import { type Stage, startStage } from './canaries/stage.ts';
import { canReadProcesses } from './start/process-list.ts';
import { buildProgram } from './running-program.ts';

/**
 * Redaction: 200 canaries of a real run of the built product, looked for in everything that it says, keeps and
 * shows. Each answer may hold only what it hands out itself (canaries/answers.ts lists that).
 */

const APPS = 12;
const FLOWS = 26;

beforeAll(() => buildProgram(), 120_000);

test('the search finds a canary in every form, in a text and in a file, and nothing where none is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'));
  const values = [`1/${'ab12'.repeat(8)}`, 'Zx9_-'.repeat(9).slice(0, 43), 'state of the app/7f?a="&é'];
  const needles = sharpen(values.map((value) => ({ kind: 'planted', value })));
  for (const [index, form] of values.flatMap(formsOf).entries()) {
    const text = `{"level":"info","x":"…${form.text}…"}`;
    expect(inWords(search(needles, { where: 'the log', text }))).toContain(
      `planted, ${form.name}, in the log`,
    );
    writeFileSync(join(folder, `${index}.txt`), Buffer.from(`\0${form.text}\0`, 'latin1'));
    const found = filesBelow(folder).flatMap((place) => search(needles, place));
    expect(inWords(found)).toContain(`planted, ${form.name}, in the file ${index}.txt`);
  }
  const basic = Buffer.from(`${'a'.repeat(24)}:${values[1]}`).toString('base64');
  expect(search(needles, { where: 'the log', text: `Basic ${basic}` })).not.toEqual([]);
  expect(search(needles, { where: 'the log', text: 'abab'.repeat(50) })).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('an answer may hold one value of its own kind, not two, and none of another', () => {
  const [one = '', two = ''] = ['a', 'b'].map((letter) => letter.repeat(43));
  const needles = sharpen([one, two].map((value) => ({ kind: 'form token', value })));
  const may = ['form token'];
  expect(search(needles, { where: 'x', text: one, may })).toEqual([]);
  expect(search(needles, { where: 'x', text: `${one} ${two}`, may })).not.toEqual([]);
  expect(search(needles, { where: 'x', text: one, may: ['legacy code'] })).not.toEqual([]);
});

/** What the key file holds now; keys of before are looked for too. */
function addKeys({ varDir, collection }: Stage): void {
  const rings = JSON.parse(readFileSync(join(varDir, 'keys.json'), 'utf8')) as Record<
    string,
    Array<{ secret: string }>
  >;
  for (const { secret } of Object.values(rings).flat()) collection.add('key', secret);
}

async function addApps(stage: Stage, places: Place[]): Promise<LegacyApp[]> {
  const apps: LegacyApp[] = [];
  for (let turn = 0; turn < APPS; turn += 1) {
    const added = await addApp(stage, `app-${turn}`, `https://old-app-${turn}.example/callback`);
    apps.push(added.app);
    places.push(...added.places);
  }
  return apps;
}

async function runFlows(stage: Stage, apps: readonly LegacyApp[]): Promise<Connected[]> {
  const connected: Connected[] = [];
  for (let turn = 0; turn < FLOWS; turn += 1) {
    const app = apps[turn % apps.length];
    if (!app) throw new Error('no app');
    const one = await connect(stage, app, turn);
    expect(new Set(await readEverywhere(stage, one))).toEqual(new Set([200]));
    connected.push(one);
  }
  return connected;
}

/** Everything that can go wrong, with apps of its own at the end of the list, whose grants die of it. */
async function goWrong(stage: Stage, connected: readonly Connected[]): Promise<void> {
  const last = connected.slice(-APPS);
  const [first, second, third] = last as [Connected, Connected, Connected];
  for (const one of last.slice(0, 4)) {
    await exchangeBadly(stage, one);
    await guess(stage, one);
  }
  await misplace(stage, first);
  await sendNoHttp(stage, first);
  await refuse(stage, first.app, 'approval');
  await refuse(stage, first.app, 'consent');
  for (const [index, fault] of FAULTS.entries()) await meetFault(stage, last[index + 3] ?? third, fault);
  await breakDatabase(stage, second);
  await loseDatabase(stage, () => readOnce(stage, second));
  for (const one of last) await readOnce(stage, one);
  expect(await deauthorize(stage, second)).toBe(200);
  await deauthorize(stage, third);
}

/** What the log of a run tells of: without these lines the failing paths were not walked. */
const TOLD = [
  /a legacy exchange was refused.*"refusal":"invalid_client/,
  /a legacy exchange was refused.*"refusal":"invalid_grant/,
  'a consent could not be finished',
  'refresh in doubt',
  'the authorization server answered 500 without a usable token answer',
  'the token answer has no whole token pair',
  'no whole answer came',
  'served the last known answer',
  'a legacy call failed',
  'disk I/O error',
];

const numbers = (stage: Stage) =>
  Object.fromEntries([...TEN_OF_EACH, ...OTHERS].map((kind: Kind) => [kind, stage.collection.count(kind)]));

function expectNone(stage: Stage, places: readonly Place[]): void {
  const needles = sharpen(stage.collection.all());
  expect(inWords(places.flatMap((place) => search(needles, place)))).toEqual([]);
}

describe.each(modeDatabases)('on %s', (kind) => {
  let stage: Stage;
  let folder: string;
  const places: Place[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'canary-backup-'));
    stage = await startStage(kind);
    addKeys(stage);
    const apps = await addApps(stage, places);
    const connected = await runFlows(stage, apps);
    await goWrong(stage, connected);
    places.push(...(await rotateKeys(stage)));
    addKeys(stage);
    if (canReadProcesses) places.push(...commandLinesOf(stage.program.process.pid ?? 0));
    places.push(...(await readingCommands(stage)), ...(await backedUp(stage, folder)));
    places.push(...(await keptIn(stage.database)), ...filesBelow(stage.varDir));
  }, 300_000);

  afterAll(async () => {
    await stage.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('at least 200 canaries were really used, at least ten of each kind', () => {
    const counted = numbers(stage);
    process.stdout.write(`canaries on ${kind}: ${JSON.stringify(counted)}\n`);
    expect(stage.collection.all().length).toBeGreaterThanOrEqual(200);
    expect(TEN_OF_EACH.filter((one) => (counted[one] ?? 0) < 10)).toEqual([]);
    expect(counted['key']).toBeGreaterThanOrEqual(4);
  });

  test('none stands in standard output or standard error', () => {
    const { output, complaints } = stage.program.said;
    expect(complaints.split('\n').length).toBeGreaterThan(500);
    expect(TOLD.filter((message) => complaints.search(message) < 0)).toEqual([]);
    expectNone(stage, [
      { where: 'standard output', text: output },
      { where: 'standard error', text: complaints },
    ]);
  });

  test('none stands in an answer or a page but those that it hands out itself', () => {
    expect(stage.answers.places.length).toBeGreaterThan(1000);
    expectNone(stage, stage.answers.places);
  });

  test('none stands in a row, a file, a command line, or in what a command prints', () => {
    const textOf = (where: string) => places.find((place) => place.where.startsWith(where))?.text ?? '';
    for (const where of ['the table events', 'the output of history export'])
      expect(textOf(where)).toContain('token_issued');
    expect(textOf('the output of apps list')).toContain('app-11');
    const [ofServer, ofCommand] = ['process', "an operator's"].map((whose) =>
      textOf(`the command line of ${whose}`),
    );
    expect([ofServer?.includes('main.js'), ofCommand?.includes('cli.js')]).toEqual([
      canReadProcesses,
      canReadProcesses,
    ]);
    expect(textOf('the file copy.backup') !== '').toBe(kind === 'sqlite');
    expectNone(stage, places);
  });
});
