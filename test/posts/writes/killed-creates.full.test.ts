import { openStoreBreaker, type StoreBreaker } from '../../support/database/store-breaker.ts';
import { nth } from '../../races/calls.ts';
import { holdAnswer, until } from '../../support/servers/held-answer.ts';
import { sendRaw } from '../../support/callers/raw-request.ts';
import type { NetworkFault } from '../../verification/shared/faults/fault-proxy.ts';
import { CHANNELS } from '../support/posts.ts';
import {
  create,
  faultsOf,
  idsByText,
  newRowsOf,
  lies,
  openStage,
  settleAll,
  type Stage,
  type Told,
} from '../support/writes-under-faults.ts';
import { databasesOf } from '../../support/jest/test-mode.ts';

/**
 * A process that is killed at each step of a create: the post is there at most once, the journal finds out whether it is,
 * and a caller that looks and sends its call again where nothing is there gets what it wanted. The steps are held from
 * outside: by a lock on the database that the bridge waits for, or on the network.
 */

interface Step {
  name: string;
  /** What the network does to the write. */
  fault?: NetworkFault;
  /** What the bridge waits for from its beginning on, or once its answer is on the way. */
  locked?: { table: string; from: 'beginning' | 'answer' };
  /** Whether the step is reached. */
  isReached: (seen: Seen) => boolean | Promise<boolean>;
  /** How the row of the journal stands after the kill; undefined for none. */
  row: 'sending' | 'done' | undefined;
  /** Whether the post is there. */
  isMade: boolean;
}

/** What the test sees of the create that is under way; all of it since it began. */
interface Seen {
  connections: number;
  held: number;
  ended: number;
  rowState: () => Promise<string | undefined>;
}

/**
 * A row that is kept before a byte leaves and one that is kept before a byte arrives look the same from outside, so that
 * the first step after the row swallows every byte.
 */
const STEPS: Step[] = [
  {
    name: 'before its row is kept',
    locked: { table: 'post_writes', from: 'beginning' },
    isReached: ({ connections }) => connections > 0,
    row: undefined,
    isMade: false,
  },
  {
    name: 'after its row is kept, before the first byte',
    fault: { kind: 'black-hole', direction: 'up' },
    isReached: ({ held }) => held > 0,
    row: 'sending',
    isMade: false,
  },
  {
    name: 'after half of the request',
    fault: { kind: 'black-hole', direction: 'up', after: 300 },
    isReached: ({ held }) => held > 0,
    row: 'sending',
    isMade: false,
  },
  {
    name: 'after the request, before the answer',
    fault: { kind: 'black-hole', direction: 'down' },
    isReached: ({ held }) => held > 0,
    row: 'sending',
    isMade: true,
  },
  {
    name: 'after half of the answer',
    fault: { kind: 'black-hole', direction: 'down', after: 300 },
    isReached: ({ held }) => held > 0,
    row: 'sending',
    isMade: true,
  },
  {
    name: 'after the answer, before its row is settled',
    locked: { table: 'post_writes', from: 'answer' },
    isReached: ({ ended }) => ended > 0,
    row: 'sending',
    isMade: true,
  },
  {
    name: 'after its row is settled, before its caller is answered',
    locked: { table: 'post_answers', from: 'beginning' },
    isReached: async ({ rowState }) => (await rowState()) === 'done',
    row: 'done',
    isMade: true,
  },
];

const QUEUED = {};

const COUNTS = { sqlite: 1, postgres: 2 };

describe.each(databasesOf('postgres').map((database) => ({ database, count: COUNTS[database] })))(
  'killed on $database',
  (options) => {
    let stage: Stage;
    let breaker: StoreBreaker;
    let count = 0;

    beforeAll(async () => {
      stage = await openStage({ ...options, isRecorded: true });
      const { DATABASE_URL: url = '' } = stage.bridges.settings;
      breaker = await openStoreBreaker(
        options.database === 'sqlite'
          ? { kind: 'sqlite', file: url.replace(/^sqlite:/, '') }
          : { kind: 'postgres', url },
      );
    });

    afterAll(async () => {
      await breaker.close();
      await stage.stop();
    });

    afterEach(() => stage.proxy.clear());

    const first = () => nth(stage.bridges, 0);

    /** The process that callers reach once the first is dead: another one, or the same after its restart. */
    async function survivor() {
      await first().start();
      return stage.bridges.processes.at(-1) ?? first();
    }

    async function pendingTexts(url: string): Promise<string[]> {
      const path = `/1/profiles/${CHANNELS.twitter}/updates/pending.json?count=100`;
      const { json } = await sendRaw(url, { path, headers: { authorization: `Bearer ${stage.token}` } });
      return (json as { updates: Array<{ text: string }> }).updates.map(({ text }) => text);
    }

    /** The lock is taken while the answer is on its way. */
    async function killOnceAnswered(table: string, begin: () => void, killed: () => Promise<void>) {
      const answer = holdAnswer(stage.bridges.proxy, 'onOtherAnswer');
      begin();
      await until(() => answer.answer !== undefined);
      await breaker.whileLocked(table, async () => {
        answer.release();
        await killed();
      });
      stage.bridges.proxy.onOtherAnswer = undefined;
    }

    /** Kills the first process at a step of a create; what the caller was told. */
    async function killAt({ fault, locked, isReached }: Step, text: string): Promise<Told> {
      const { proxy } = stage;
      const newRows = await newRowsOf(stage);
      const before = { opened: proxy.opened, held: proxy.held, ended: proxy.ended };
      const isThere = async () =>
        isReached({
          connections: proxy.opened - before.opened,
          held: proxy.held - before.held,
          ended: proxy.ended - before.ended,
          rowState: async () => (await newRows())[0]?.state,
        });
      // Others look for writes meanwhile.
      if (fault) proxy.inject({ fault, times: 1, beginning: 'POST ', containing: 'createPost' });
      const killed = async () => {
        await until(isThere);
        await first().kill();
      };
      const creating = { told: undefined as Promise<Told> | undefined };
      const begin = () => void (creating.told = create(stage, first().url, { text, fields: QUEUED }));
      if (!locked) begin();
      if (!locked) await killed();
      if (locked?.from === 'beginning')
        await breaker.whileLocked(locked.table, async () => {
          begin();
          await killed();
        });
      if (locked?.from === 'answer') await killOnceAnswered(locked.table, begin, killed);
      return creating.told as Promise<Told>;
    }

    test.each(STEPS)('$name', async (step) => {
      count += 1;
      const text = `Crumb ${count}`;
      const newRows = await newRowsOf(stage);
      const told = await killAt(step, text);
      expect(told.what).toBe('nothing');
      const { url } = await survivor();
      expect((await newRows()).map(({ state }) => state)).toEqual(step.row ? [step.row] : []);
      expect((await pendingTexts(url)).includes(text)).toBe(step.isMade);
      // Nobody told the caller anything: it looks, and sends its call once more where nothing is there.
      const again = step.isMade ? [] : [await create(stage, url, { text, fields: QUEUED })];
      expect(again.map(({ what }) => what)).toEqual(step.isMade ? [] : ['posted']);
      await settleAll(stage);
      const ids = await idsByText(stage);
      expect(ids.get(text)).toHaveLength(1);
      expect(faultsOf([told, ...again], ids, 1)).toEqual([]);
      expect(await lies(stage, ids)).toEqual([]);
      const settled =
        step.row === 'sending' ? [step.isMade ? 'found' : 'not_found'] : step.row ? [step.row] : [];
      const states = (await newRows()).map(({ state }) => state);
      expect(states).toEqual([...settled, ...again.map(() => 'done')]);
    });

    test('at any moment', async () => {
      const told: Told[] = [];
      for (let kill = 0; kill < 3; kill += 1) {
        count += 1;
        const creating = create(stage, first().url, { text: `Crumb ${count}` });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        await first().kill();
        told.push(await creating);
        await first().start();
      }
      await settleAll(stage);
      const ids = await idsByText(stage);
      expect(faultsOf(told, ids, 1)).toEqual([]);
      expect(await lies(stage, ids)).toEqual([]);
    });
  },
);
