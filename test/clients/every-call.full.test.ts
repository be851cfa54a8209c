import { cutOverApp } from '../../src/domain/cut-over/cut-over-app.ts';
import { OLD_CALL_NAMES } from '../../src/domain/old-calls/old-calls.ts';
import { newHexId } from '../../src/shared/ids.ts';
import { DAY, MINUTE } from '../../src/shared/lifetimes.ts';
import { type Plan, plan } from '../lifecycle/support/lifecycle-rows.ts';
import { CHANNELS } from '../posts/support/posts.ts';
import { until } from '../support/servers/held-answer.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { answerCell, type KeptIds, printTable, rowsOf, type Table } from './support/answer-table.ts';
import {
  type ClientCall,
  DEAUTHORIZE,
  NAMES_OF_LAST_ROWS,
  startTableClients,
  type Subject,
  type TableClient,
} from './support/every-call.ts';
import { beginTokenLife, type Step, STEPS, type TokenLife } from './support/token-life.ts';
import { type OldWorld, startWholeOldApi, type WholeOldApi } from './support/whole-old-api.ts';

/**
 * Every method of every old client, over the whole life of a token. One table for each client is printed: call, phase, who
 * answered, and what. No client is changed, and none learns anything: it goes on with the ids that it has.
 */

const NEVER_LIMITED = { LEGACY_RATE_LIMIT: '0' };

const world: OldWorld = {
  tokens: new Set(),
  user: { id: newHexId(), timezone: 'Europe/Berlin' },
  profiles: [],
};
let old: WholeOldApi;
let withOld: System;
let alone: System;
let clients: TableClient[];
let clientsOfAlone: TableClient[];
/** Those that the clients have had from the first day. */
let keptIds: KeptIds;

beforeAll(async () => {
  old = await startWholeOldApi(world);
  withOld = await startSystem({ env: { ...NEVER_LIMITED, LEGACY_BACKEND_URL: old.url } });
  alone = await startSystem({ env: NEVER_LIMITED });
  clients = await startTableClients(withOld.bridgeUrl);
  clientsOfAlone = await startTableClients(alone.bridgeUrl);
  await fillOldWorld();
});

afterAll(async () => {
  for (const client of [...clients, ...clientsOfAlone]) await client.stop();
  await withOld.stop();
  await alone.stop();
  await old.close();
});

/** The same channels as the new API has, under the ids of the older generation. */
async function fillOldWorld(): Promise<void> {
  const shown = await read(withOld, '/1/profiles.json', await issueToken(withOld));
  const profiles = shown.json as OldWorld['profiles'];
  for (const profile of profiles) world.profiles.push({ ...profile, id: newHexId(), user_id: world.user.id });
  const place = profiles.findIndex(({ id }) => id === CHANNELS.twitter);
  keptIds = { user: world.user.id, profile: world.profiles[place]?.id ?? '' };
}

const isLast = ({ name }: ClientCall) => NAMES_OF_LAST_ROWS.includes(name);

const firstUpdate = (body: unknown): string | undefined =>
  /"updates":\[\{[^\]]*?"id":"([0-9a-f]{24})"/.exec(JSON.stringify(body))?.[1];

/** How a column is called: with which ids, and whether the old API is told of an end after the answer. */
interface Calling {
  ids: KeptIds;
  tellsOldApi?: boolean;
}

/** Calls every method once, and goes on with the update that was made. */
async function callAll(calls: readonly ClientCall[], subject: Subject, { ids, tellsOldApi }: Calling) {
  const cells: Array<[string, string]> = [];
  for (const call of calls) {
    old.seen.length = 0;
    const answer = await call.run(subject);
    if (call.name === DEAUTHORIZE && tellsOldApi) await until(() => old.seen.includes(call.path));
    cells.push([
      call.name,
      answerCell(call, { answer, seen: old.seen, kept: { ...ids, update: subject.update } }),
    ]);
    if (call.name === 'createUpdate') subject.update = firstUpdate(answer.body) ?? subject.update;
  }
  return cells;
}

/** One column: the calls with the token of the client, and the last ones with a token that is spent by them. */
async function columnOf(client: TableClient, { token, spent }: Tokens, calling: Calling) {
  const subject = { token, profile: calling.ids.profile, update: newHexId() };
  const ordinary = client.calls.filter((call) => !isLast(call));
  const last = client.calls.filter(isLast);
  const cells = [
    ...(await callAll(ordinary, subject, calling)),
    ...(await callAll(last, { ...subject, token: spent }, calling)),
  ];
  return new Map(cells);
}

interface Tokens {
  token: string;
  /** Ended by the last calls. */
  spent: string;
}

/** What is so in a phase beside how far the token has come. */
const WORLDS: Record<string, (now: number) => Plan> = {
  brownout: (now) => ({
    brownouts: [{ rehearses: 'retirement', startsAt: now - MINUTE, endsAt: now + 60 * MINUTE }],
  }),
  retired: (now) => ({ dates: { retirement: now - DAY } }),
};

const PHASES = [
  ...STEPS,
  'cut over',
  'taken back',
  'brownout',
  'retired',
  'retired, never connected',
] as const;

const stepOf = (phase: (typeof PHASES)[number]): Step =>
  phase === 'retired, never connected' ? 'waiting' : (STEPS.find((step) => step === phase) ?? 'connected');

let begun = 0;

async function beginLife(): Promise<TokenLife> {
  const life = await beginTokenLife(withOld, (begun += 1));
  world.tokens.add(life.token);
  return life;
}

/** How far the apps are cut over from a phase on, and how far they were. */
const CUT_OVERS: Record<string, { percent: number; before: number }> = {
  'cut over': { percent: 100, before: 0 },
  'taken back': { percent: 0, before: 100 },
};

/** The apps of the spent tokens begin anew in each phase, so that a lower percentage is none for them. */
async function cutOver(phase: string, lives: { kept: TokenLife[]; spent: TokenLife[] }): Promise<void> {
  const change = CUT_OVERS[phase];
  if (!change) return;
  const all = change.percent === 0 ? lives.kept : [...lives.kept, ...lives.spent];
  const why = { reason: 'asked for it', actor: 'test' };
  for (const { app } of all)
    await cutOverApp(withOld.bridge.context, { clientId: app.clientId, ...change, ...why });
}

async function bringAbout(phase: string): Promise<void> {
  const planned = WORLDS[phase];
  if (planned) await plan(withOld.bridge, planned(withOld.bridge.context.clock.now()));
  if (phase === 'retired') await old.close();
}

/** The column of tokens that the bridge issued, without an old API. */
async function issuedColumn(client: TableClient, number: number) {
  const app = await alone.registerApp(`https://spent-${number}.example/callback`);
  const tokens = { token: await issueToken(alone), spent: await issueToken(alone, { app }) };
  const shown = await read(alone, '/1/user.json', tokens.token);
  const { id } = shown.json as { id: string };
  return columnOf(client, tokens, { ids: { user: id, profile: CHANNELS.twitter } });
}

/** The columns of one old token for each client, which lives through all phases. */
async function addOldColumns(tables: readonly Table[]): Promise<void> {
  const [kept, never] = [
    await Promise.all(clients.map(beginLife)),
    await Promise.all(clients.map(beginLife)),
  ];
  for (const phase of PHASES) {
    const spent = await Promise.all(clients.map(beginLife));
    const serving = phase === 'retired, never connected' ? never : kept;
    for (const life of [...serving, ...spent]) await life.reach(stepOf(phase));
    await bringAbout(phase);
    await cutOver(phase, { kept: serving, spent });
    const tellsOldApi = !['waiting', 'consent open', 'retired', 'retired, never connected'].includes(phase);
    for (const [index, client] of clients.entries()) {
      const tokens = { token: serving[index]?.token ?? '', spent: spent[index]?.token ?? '' };
      tables[index]?.columns.push([phase, await columnOf(client, tokens, { ids: keptIds, tellsOldApi })]);
    }
  }
}

const REFUSED = '401 401 "The provided access token is invalid"';
const NEVER = `retired, never connected: new ${REFUSED}`;

/** Of `user`, `profiles` and `profiles/:id` the new API is in charge from the consent on. */
const account = (word: string) => [
  `issued, no old API: new ${word}`,
  `waiting | consent open: old ${word}`,
  `code not exchanged | connected | cut over | taken back | brownout | retired: new ${word}`,
  NEVER,
];

/** The other calls stay with the old API for as long as it runs, but for an app that is cut over. */
const queue = (before: string, then = before) => [
  `issued, no old API: new ${then}`,
  `waiting | consent open | code not exchanged | connected: old ${before}`,
  `cut over: new ${then}`,
  `taken back | brownout: old ${before}`,
  `retired: new ${then}`,
  NEVER,
];

const EXPECTED: Record<string, string[]> = {
  user: account('200 user'),
  profiles: account('200 12 entries'),
  profile: account('200 profile'),
  schedules: queue('200 1 entries', '200 2 entries'),
  // The new API has no operation that changes posting times: the refusal names the page where a person can.
  updateSchedules: queue(
    '200 success',
    '400 1012 "Posting times can no longer be changed by a program. Change them here: ADDRESS"',
  ),
  createUpdate: queue('200 success, updates'),
  'createUpdate with a link': queue('200 success, updates'),
  // A mistake of the caller on both sides; the bridge names the field.
  'createUpdate for nobody': queue(
    '400 1004 "Parameter missing."',
    '400 1004 "The parameter profile_ids is missing."',
  ),
  pendingUpdates: queue('200 list with the update'),
  sentUpdates: queue('200 list with the update'),
  update: queue('200 update in buffer'),
  // There is no such update, or none any more.
  'update of nobody': queue('404 1020 "Update could not be found."'),
  'update afterwards': queue('404 1020 "Update could not be found."'),
  interactions: queue('200 interactions'),
  changeUpdate: queue('200 success, update'),
  moveUpdateToTop: queue('200 update in buffer'),
  reorderUpdates: queue('200 success, updates'),
  shuffleUpdates: queue('200 success, updates'),
  shareUpdate: queue('200 success'),
  destroyUpdate: queue('200 success'),
  shares: queue('200 shares'),
  configuration: queue('200 services'),
  // An end is carried out by both sides, so that neither serves the token any more.
  deauthorize: [
    'issued, no old API: new 200 success',
    'waiting | consent open: old 200 success',
    'code not exchanged | connected | cut over | taken back | brownout: both 200 success',
    'retired: new 200 success',
    NEVER,
  ],
  // The token has ended, or was never connected: the bridge answers for both sides.
  'profiles afterwards': [
    `issued, no old API | waiting | consent open | code not exchanged | connected | cut over | taken back | brownout | retired | ${NEVER}`,
  ],
};

/** Where a client calls otherwise than the others. */
const NOT_MOVED = 'new 400 1027 "Update must be in buffer and not custom scheduled in order to move to top."';

const OTHERWISE: Record<string, Record<string, string[]>> = {
  // It asks for the shares without a token. A brownout shows such a caller what comes after the retirement.
  'buffer-node': {
    shares: [
      'issued, no old API: new 200 shares',
      'waiting | consent open | code not exchanged | connected | cut over | taken back: old 200 shares',
      'brownout | retired | retired, never connected: new 200 shares',
    ],
    // It gives its update a time of its own.
    moveUpdateToTop: [
      `issued, no old API: ${NOT_MOVED}`,
      'waiting | consent open | code not exchanged | connected: old 200 update in buffer',
      `cut over: ${NOT_MOVED}`,
      'taken back | brownout: old 200 update in buffer',
      `retired: ${NOT_MOVED}`,
      'retired, never connected: new 401 401 "The provided access token is invalid"',
    ],
  },
};

test('every client is answered in every phase as the table says', async () => {
  const tables: Table[] = [];
  for (const [index, client] of clientsOfAlone.entries())
    tables.push({ name: client.name, columns: [['issued, no old API', await issuedColumn(client, index)]] });
  await addOldColumns(tables);
  for (const table of tables) process.stdout.write(`${printTable(table)}\n`);
  for (const [index, { name, calls }] of clients.entries()) {
    const expected = { ...EXPECTED, ...OTHERWISE[name] };
    const rows = calls.map((call) => [call.name, expected[call.name]]);
    expect({ name, rows: Object.fromEntries(rowsOf(tables[index]!)) }).toEqual({
      name,
      rows: Object.fromEntries(rows),
    });
  }
  for (const { calls } of clients.slice(0, 2))
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining([...OLD_CALL_NAMES]));
}, 240_000);
