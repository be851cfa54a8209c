import { setTimeout as delay } from 'node:timers/promises';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { apiStatus, consent, exchange, obtainTokens, refresh } from '../support/modern.ts';
import { base, modern, withModernPerTest } from '../support/running-modern.ts';

const DAY = 24 * 60 * 60;
const TEN_YEARS = 10 * 365 * DAY;

withModernPerTest({ accessTokenSeconds: 1 });

interface Row {
  kind: string;
  payload: string;
  createdAt: number;
  expiresAt: number;
}

function inDatabase<T>(work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(modern.settings.databaseFile);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const rowsOf = (...kinds: string[]) =>
  inDatabase((db) =>
    db
      .prepare<[string], Row>(
        `select kind, payload, created_at as createdAt, expires_at as expiresAt from oidc_records
         where kind in (select value from json_each(?)) order by kind`,
      )
      .all(JSON.stringify(kinds)),
  );

/** Makes every row as old as if so many seconds had passed; what a browser holds (sealed) just ends. */
function age(seconds: number): void {
  inDatabase((db) => {
    db.exec("delete from oidc_records where kind in ('Session', 'Interaction')");
    db.prepare(
      `update oidc_records set created_at = created_at - $seconds, expires_at = expires_at - $seconds,
         consumed_at = consumed_at - $seconds,
         payload = json_set(payload, '$.iat', payload ->> 'iat' - $seconds, '$.exp', payload ->> 'exp' - $seconds)`,
    ).run({ seconds });
  });
}

test('an expired access token is 401, as soon as expires_in says', async () => {
  const tokens = await obtainTokens({ base });
  expect(tokens['expires_in']).toBe(1);
  await delay(1100);
  expect(await apiStatus(base, tokens['access_token'])).toBe(401);
});

test('a code lives its sixty seconds and no longer', async () => {
  const [early, late] = [await consent({ base }), await consent({ base })];
  age(55);
  expect((await exchange(base, early)).status).toBe(200);
  age(5);
  const { status, body } = await exchange(base, late);
  expect([status, body['error']]).toEqual([400, 'invalid_grant']);
});

test('grants and refresh tokens are stored for ten years, rotated ones too', async () => {
  const { refresh_token: token } = await obtainTokens({ base });
  await refresh(base, token);
  const rows = rowsOf('Grant', 'RefreshToken');
  expect(rows.map(({ kind }) => kind)).toEqual(['Grant', 'RefreshToken', 'RefreshToken']);
  for (const { payload, createdAt, expiresAt } of rows) {
    const { iat, exp }: { iat: number; exp: number } = JSON.parse(payload);
    expect(Math.abs(exp - iat - TEN_YEARS)).toBeLessThanOrEqual(2);
    expect(Math.abs(expiresAt - createdAt - TEN_YEARS)).toBeLessThanOrEqual(2);
  }
});

test('a grant is refreshed after fifteen days, and after years of monthly refreshes', async () => {
  const first = await obtainTokens({ base });
  age(15 * DAY);
  let latest = await refresh(base, first['refresh_token']);
  for (let month = 0; month < 36; month++) {
    age(31 * DAY);
    latest = await refresh(base, latest.body['refresh_token']);
  }
  expect(latest.status).toBe(200);
});
