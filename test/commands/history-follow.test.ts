import { renameSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { exportHistory } from '../../src/cli/commands/history/export.ts';
import { followHistory } from '../../src/cli/commands/history/follow.ts';
import type { HistoryOptions } from '../../src/cli/commands/history/selection.ts';
import { type History, openPair, upTo } from '../domain/support/histories.ts';
import { databaseKinds } from '../support/jest/test-mode.ts';
import { until } from '../support/servers/held-answer.ts';

/** The history as a stream: each entry once, in the order of the chain, over stops and outages. */

interface EntryLine {
  position: number | null;
  reason: string;
}

const before = process.env;

/** Ends every follower of a test, also after a failure. */
let stops: AbortController[] = [];

function follow(options: HistoryOptions = {}) {
  const stop = new AbortController();
  stops.push(stop);
  const [reasons, positions, said]: [string[], Array<number | null>, string[]] = [[], [], []];
  const done = followHistory(options, {
    print: async (pieces) => {
      for await (const piece of pieces) {
        const { reason, position } = JSON.parse(piece) as EntryLine;
        reasons.push(reason);
        positions.push(position);
      }
    },
    say: (message) => void said.push(message),
    signal: stop.signal,
  });
  const end = async () => {
    stop.abort();
    await done;
  };
  return { reasons, positions, said, done, end };
}

type Follower = ReturnType<typeof follow>;

const untilBegun = ({ said }: Follower) => until(() => said.length > 0);

const untilRead = ({ reasons }: Follower, count: number) => until(() => reasons.length >= count);

async function exported(options: HistoryOptions): Promise<string[]> {
  const reasons: string[] = [];
  await exportHistory(options, async (pieces) => {
    for await (const piece of pieces) reasons.push((JSON.parse(piece) as EntryLine).reason);
  });
  return reasons;
}

/** The reason for which a follower ends by itself. Call it before the cause. */
function endOf({ done }: Follower): () => Promise<string> {
  let reason: string | undefined;
  done.catch((error: unknown) => (reason = (error as Error).message));
  return async () => {
    await until(() => reason !== undefined);
    return reason ?? '';
  };
}

const named = (first: number, last: number) => upTo(last - first + 1).map((n) => `reason ${first + n - 1}`);

describe.each(databaseKinds)('on %s', (kind) => {
  let history: History;
  let other: History;

  beforeEach(async () => {
    [history, other] = await openPair(kind);
    const { location, varDir } = history;
    process.env = {
      VAR_DIR: varDir,
      DATABASE_URL: location.kind === 'sqlite' ? `sqlite:${location.file}` : location.url,
      MODERN_AUTH_URL: 'http://127.0.0.1:9',
      MODERN_API_URL: 'http://127.0.0.1:9',
      MODERN_CLIENT_ID: 'bridge',
    };
  });
  afterEach(async () => {
    for (const stop of stops) stop.abort();
    stops = [];
    process.env = before;
    await history.close();
    await other.close();
  });

  const chain = async (first: number, last = first) => {
    await history.record(first, last);
    await history.sealAndAnchor();
  };

  test('a follower begins now, and prints each new entry once it is chained', async () => {
    await chain(1, 3);
    const follower = follow();
    await untilBegun(follower);
    expect(follower.said[0]).toMatch(/^Entries after position 3 are printed .* --since 3 if none arrived\.$/);
    await history.record(4, 5);
    await delay(1000);
    expect(follower.reasons).toEqual([]);
    await history.sealAndAnchor();
    await untilRead(follower, 2);
    await follower.end();
    expect([follower.reasons, follower.positions]).toEqual([named(4, 5), [4, 5]]);
  });

  test('an entry that is visible later than a larger id is printed, and none is printed twice', async () => {
    const follower = follow({ since: '0' });
    await untilBegun(follower);
    await history.record(1, 2);
    await history.db.updateTable('events').set({ id: 90_000 }).where('reason', '=', 'reason 1').execute();
    await history.sealAndAnchor();
    await untilRead(follower, 2);
    for (const [n, id] of [
      [3, 80_000],
      [4, 70_000],
    ] as const) {
      await history.record(n);
      await history.db.updateTable('events').set({ id }).where('reason', '=', `reason ${n}`).execute();
      await history.sealAndAnchor();
    }
    await untilRead(follower, 4);
    await follower.end();
    expect(follower.positions).toEqual([1, 2, 3, 4]);
    expect(follower.reasons.toSorted()).toEqual(named(1, 4));
  });

  test('two processes that write and chain at once lead to one stream without a gap', async () => {
    const follower = follow();
    await untilBegun(follower);
    const work = [history, other].map(async (one, place) => {
      for (const n of upTo(15)) {
        await one.record(n * 100 + place * 50, n * 100 + place * 50 + 9);
        await one.sealAndAnchor();
      }
    });
    await Promise.all(work);
    await history.sealAndAnchor();
    await untilRead(follower, 300);
    await follower.end();
    expect(follower.positions).toEqual(upTo(300));
    expect(new Set(follower.reasons).size).toBe(300);
  });

  test('from the position of its last line a new follower loses nothing and repeats nothing', async () => {
    await chain(1, 1500);
    const first = follow({ since: '0' });
    await untilRead(first, 1200);
    await first.end();
    await chain(1501, 1502);
    const second = follow({ since: String(first.positions.at(-1)) });
    await untilRead(second, 1502 - first.reasons.length);
    await second.end();
    expect([...first.reasons, ...second.reasons]).toEqual(named(1, 1502));
  });

  test('a moment means the first entry of that time and everything chained behind it', async () => {
    await chain(1, 4);
    // The clock of another machine is behind.
    await chain(2);
    const since = '2026-03-01T00:00:03Z';
    const follower = follow({ since });
    await untilRead(follower, 3);
    await follower.end();
    expect(follower.reasons).toEqual(['reason 3', 'reason 4', 'reason 2']);
    await history.record(9);
    expect(await exported({ since })).toEqual(['reason 3', 'reason 4', 'reason 2', 'reason 9']);
    expect(await exported({ since: '2026-03-02' })).toEqual(['reason 9']);
  });

  test('only the entries of one app, or of one token', async () => {
    const [clientId, mappingId] = ['a'.repeat(24), 'b'.repeat(24)];
    await history.record(1, 2, { clientId });
    await history.record(3, 4, { clientId, mappingId });
    await chain(5, 6);
    const ofToken = follow({ token: mappingId, since: '0' });
    await untilRead(ofToken, 2);
    await ofToken.end();
    expect(ofToken.reasons).toEqual(named(3, 4));
    expect(await exported({ app: clientId })).toEqual(named(1, 4));
    expect(await exported({ app: clientId, since: '3' })).toEqual(['reason 4']);
    expect(await exported({ app: 'client 5', token: mappingId })).toEqual([]);
  });

  test.each<[what: string, options: HistoryOptions, said: RegExp]>([
    ['an app that nothing names', { app: 'c'.repeat(24) }, /^--app: no app has this client id/],
    ['a token that nothing names', { token: 'c'.repeat(24) }, /^--token: no token has this mapping id/],
    ['a whole token', { token: `1/${'s3cr3t'.repeat(5)}` }, /^--token: (?!.*s3cr3t).*list of processes/],
    ['a position that is not there', { since: '999' }, /has no entry at position 999.*history verify$/],
    ['a moment to come', { since: '2999-01-01' }, /^--since: the moment lies in the future$/],
    ['what is neither position nor moment', { since: 'today' }, /^--since: .*Given: today$/],
  ])('%s is refused at once', async (_what, options, said) => {
    await expect(follow(options).done).rejects.toThrow(said);
    await expect(exported(options)).rejects.toThrow(said);
  });

  test('a history that was replaced under a follower ends it, and no entry is passed over', async () => {
    await chain(1, 5);
    const follower = follow();
    await untilBegun(follower);
    const reason = endOf(follower);
    await history.overwrite([]);
    expect(await reason()).toContain('has no entry at position 5');
    const second = follow({ since: '0' });
    await untilBegun(second);
    await chain(11, 16);
    await untilRead(second, 6);
    const rows = await history.rows();
    const secondReason = endOf(second);
    await history.overwrite(rows.map((row) => (row.position === 6 ? { ...row, chain: 'another' } : row)));
    expect(await secondReason()).toContain('entry at position 6 is another one than before');
    expect(second.reasons).toEqual(named(11, 16));
  });

  const atServer = async (...statements: string[]) => {
    if (history.location.kind === 'sqlite') return;
    const url = new URL(history.location.url);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    for (const statement of statements) await client.query(statement.replaceAll('NAME', name));
    await client.end();
  };

  async function takeAway(): Promise<() => Promise<void>> {
    const { location } = history;
    if (location.kind === 'sqlite') {
      renameSync(location.file, `${location.file}.away`);
      return async () => renameSync(`${location.file}.away`, location.file);
    }
    const cut = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'NAME'";
    await atServer('alter database "NAME" allow_connections false', cut);
    return () => atServer('alter database "NAME" allow_connections true');
  }

  test('a follower tells each reason once why its database is away, and afterwards misses nothing', async () => {
    await chain(1, 2);
    const follower = follow({ since: '0' });
    await untilRead(follower, 2);
    const giveBack = await takeAway();
    await until(() => follower.said.length > 1, 20_000);
    await delay(1200);
    await giveBack();
    await until(() => follower.said.at(-1)?.startsWith('The database answers') === true, 20_000);
    await chain(3, 4);
    await untilRead(follower, 4);
    await follower.end();
    const reasons = follower.said.slice(1, -1);
    const expected = /^The database cannot be read: .* goes on when the database is back\.$/;
    expect(reasons.filter((reason) => !expected.test(reason))).toEqual([]);
    expect([...new Set(reasons)]).toEqual(reasons);
    expect(follower.reasons).toEqual(named(1, 4));
  });

  test('a reader that has enough ends the follower', async () => {
    await chain(1, 5);
    const { signal } = new AbortController();
    const read: string[] = [];
    await followHistory(
      { since: '0' },
      {
        print: async (pieces) => {
          for await (const piece of pieces) if (read.push(piece) === 2) break;
        },
        say: () => undefined,
        signal,
      },
    );
    expect(read).toHaveLength(2);
  });
});
