import { readFileSync } from 'node:fs';
import { type FilledBridge, startFilledBridge } from './support/filled-bridge.ts';
import { tokenOf } from './support/fill.ts';
import { generate } from './support/generator.ts';
import { type Behaviour, hold } from './support/holder.ts';
import { PROFILES, print, wordsOf } from './support/runs.ts';

/**
 * Callers that open connections and do nothing, send a byte now and then, or send far more than anybody takes. Other calls
 * are answered meanwhile, and memory stays bounded.
 */

let bridge: FilledBridge;

beforeAll(async () => {
  bridge = await startFilledBridge({ env: { OVERLOAD_WAIT_MS: '0' } });
});

afterAll(() => bridge.stop());

const callEvenly = () =>
  generate({ port: bridge.port, tokens: bridge.tokens, path: PROFILES, seconds: 1, rate: 50 });

/** How long the slowest of fifty calls takes beside nothing but what else this machine does. */
let alone = 0;

beforeEach(async () => {
  const { accepted } = await callEvenly();
  alone = accepted.most;
});

/** Calls of others at an even pace: every one is answered, and none waits for the unwanted callers. */
async function callBeside(): Promise<void> {
  const others = await callEvenly();
  print(`beside it: ${wordsOf(others)}`);
  expect(Object.keys(others.statuses)).toEqual(['200']);
  expect(others.cut + others.unsent).toBe(0);
  expect(others.accepted.p50).toBeLessThan(1000 + 10 * alone + others.lag.most);
}

/** How much more memory the process holds beside so many such callers, in megabytes. */
async function memoryBeside(order: {
  how: Behaviour;
  count: number;
  path?: string;
  token?: string;
}): Promise<{ grown: number; answers: Record<string, number> }> {
  const before = bridge.memory();
  const holder = await hold({ port: bridge.port, ...order });
  let grown = 0;
  try {
    expect(holder.opened).toBe(order.count);
    await callBeside();
    grown = bridge.memory() - before;
  } finally {
    await holder.end();
  }
  const { answers, closed } = await holder.end();
  print(
    `${order.count} × ${order.how} ${order.path ?? ''}: ${Math.round(grown)} MB more, answers ${JSON.stringify(answers)}, ${closed} closed by the bridge`,
  );
  return { grown, answers };
}

const openFiles = Number(
  /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0,
);
const CONNECTIONS = 10_000;
const mayOpenAll = openFiles >= CONNECTIONS + 1000;
const ifAllowed = mayOpenAll ? test : test.skip;
const unless = mayOpenAll ? '' : ` (skipped: this machine allows a process ${openFiles} open files)`;

ifAllowed(
  `10,000 connections that never send a byte cost little, and nobody else's time${unless}`,
  async () => {
    const { grown } = await memoryBeside({ how: 'silent', count: CONNECTIONS });
    expect(grown).toBeLessThan(300);
  },
);

ifAllowed(`10,000 connections that wait for their next call are kept, and cost little${unless}`, async () => {
  const { grown, answers } = await memoryBeside({ how: 'kept', count: CONNECTIONS, token: tokenOf(0) });
  expect(answers).toEqual({ 200: CONNECTIONS });
  expect(grown).toBeLessThan(500);
});

test.each<[Behaviour]>([['headers'], ['body']])(
  '1,000 callers that send their %s a byte at a time',
  async (how) => {
    const { grown } = await memoryBeside({ how, count: 1000 });
    expect(grown).toBeLessThan(150);
  },
);

/** Of 1,500 bodies of 250 kB only some are read at a time; together they would be 375 MB. */
test.each<[Behaviour]>([['long body'], ['long chunks']])(
  '1,500 callers that stop just before the end of their %s hold no more than the places for long bodies',
  async (how) => {
    const { grown, answers } = await memoryBeside({ how, count: 1500 });
    expect(grown).toBeLessThan(250);
    expect(answers[503]).toBeGreaterThan(0);
  },
);

const PATHS = [PROFILES, '/1/nothing.json', '/1/oauth2/token.json', '/apps', '/nothing'];

test.each<[Behaviour]>([['100 MB in chunks'], ['100 MB once asked']])(
  'bodies of %s at served and unserved addresses, of strangers and of a known token',
  async (how) => {
    const before = bridge.memory();
    const orders = PATHS.flatMap((path) => [{ path }, { path, token: tokenOf(1) }]);
    const holders = await Promise.all(
      orders.map((order) => hold({ port: bridge.port, count: 2, how, ...order })),
    );
    const endAll = () => Promise.all(holders.map((holder) => holder.end()));
    let grown = 0;
    try {
      await callBeside();
      grown = bridge.memory() - before;
    } finally {
      await endAll();
    }
    const ends = await endAll();
    print(
      `${how}: ${Math.round(grown)} MB more, answers ${ends.map(({ answers }) => JSON.stringify(answers)).join(' ')}`,
    );
    expect(grown).toBeLessThan(200);
    const statuses = new Set(ends.flatMap(({ answers }) => Object.keys(answers)));
    expect([...statuses].filter((status) => status.startsWith('5') && status !== '503')).toEqual([]);
  },
);

test('row C166 once they are gone the process is as before', async () => {
  await callBeside();
  expect(bridge.process.isRunning()).toBe(true);
  expect(bridge.process.complaints()).not.toContain('ALARM');
});
