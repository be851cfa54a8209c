import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import { confirmed, confirming, createKey, deleteKeys, keyOn } from '../support/api-keys.ts';
import { apiStatus, bytesAtRest, DEMO, graphql, runModern, SECOND } from '../support/modern.ts';
import { base, modern, rows } from '../support/running-modern.ts';
import { dana, sam, withDanaAndSam } from '../support/settings-people.ts';
import { sendForm, signedIn } from '../support/settings.ts';

withDanaAndSam();
afterEach(deleteKeys);

const listOf = (browser: CookieWalker) => browser.get(`${base}/settings/api`);

/** The channels of an organization, as a key reaches them; undefined when it does not. */
async function channelsOf(key: string, organizationId: string): Promise<unknown[] | undefined> {
  const query = `{ channels(input: { organizationId: "${organizationId}" }) { id } }`;
  return (await graphql(base, `Bearer ${key}`, { query })).body.data?.channels;
}

describe('an API key', () => {
  test('is shown once, with where to keep it, what it reaches and how to try it', async () => {
    const page = await createKey(base, dana);
    expect(page.status).toBe(200);
    expect(keyOn(page)).toMatch(/^gbk_[0-9A-Za-z]{49}$/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    for (const words of ['environment variable', 'version control', 'All organizations and channels', 'curl'])
      expect(page.body).toContain(words);
    const list = await listOf(dana);
    expect(list.body).toContain('My server');
    expect(list.body).toContain(`gbk_…${keyOn(page).slice(-4)}`);
    expect(list.body).not.toContain(keyOn(page));
  });

  test('reaches every organization and channel of its owner and nothing of others', async () => {
    const ofDana = keyOn(await createKey(base, dana));
    const ofSam = keyOn(await createKey(base, sam, 'Sam'));
    const query = '{ account { email organizations { id } } }';
    const [one, other] = await Promise.all(
      [ofDana, ofSam].map((key) => graphql(base, `Bearer ${key}`, { query })),
    );
    expect(one?.body.data.account.email).toBe(DEMO.email);
    expect(other?.body.data.account.email).toBe(SECOND.email);
    expect(one?.body.data.account.organizations.length).toBeGreaterThan(1);
    const own = one?.body.data.account.organizations.map(({ id }: { id: string }) => channelsOf(ofDana, id));
    for (const channels of await Promise.all(own)) expect(channels).not.toHaveLength(0);
    const foreign = other?.body.data.account.organizations[0].id;
    expect(await channelsOf(ofSam, foreign)).not.toHaveLength(0);
    expect(await channelsOf(ofDana, foreign)).toBeUndefined();
  });

  test('is told when it was last used, to the minute, and writes no more often than that', async () => {
    const key = keyOn(await createKey(base, dana));
    expect((await listOf(dana)).body).toContain('never');
    await apiStatus(base, key);
    const first = rows((db) => db.prepare('select last_used_at from api_keys').pluck().get());
    expect((await listOf(dana)).body).toContain('less than a minute ago');
    await apiStatus(base, key);
    expect(rows((db) => db.prepare('select last_used_at from api_keys').pluck().get())).toBe(first);
    rows((db) => db.exec("update api_keys set last_used_at = '2026-01-01T00:00:00.000Z'"));
    expect((await listOf(dana)).body).toContain('1 January 2026');
    await apiStatus(base, key);
    expect((await listOf(dana)).body).toContain('less than a minute ago');
  });

  test('is replaced: the old one is refused at once, the new one works under the same name', async () => {
    const old = keyOn(await createKey(base, dana, 'Night <job>'));
    const asked = await confirming(base, dana, /^Replace/);
    expect(asked.body).toContain('Night &lt;job&gt;');
    expect(asked.body).toContain('stops working at once');
    expect(await apiStatus(base, old)).toBe(200);
    const replaced = await confirmed(dana, asked);
    expect(await apiStatus(base, old)).toBe(401);
    expect(await apiStatus(base, keyOn(replaced))).toBe(200);
    expect(replaced.body).toContain('Night &lt;job&gt;');
    expect(rows((db) => db.prepare('select name from api_keys').pluck().all())).toEqual(['Night <job>']);
  });

  test('keeps its address and its quotas when it is replaced', async () => {
    const limited = await runModern({ quotas: [2, 2, 2] });
    const address = limited.server.url;
    try {
      const browser = await signedIn(address);
      const old = keyOn(await createKey(address, browser));
      expect([await apiStatus(address, old), await apiStatus(address, old)]).toEqual([200, 200]);
      const asked = await confirming(address, browser, /^Replace/);
      const key = keyOn(await confirmed(browser, asked));
      const list = await browser.get(`${address}/settings/api`);
      expect(list.body).toContain('<td data-label="Last used">never');
      expect([await apiStatus(address, old), await apiStatus(address, key)]).toEqual([401, 429]);
      expect((await confirming(address, browser, /^Replace/)).url).toBe(asked.url);
    } finally {
      await limited.stop();
    }
  });

  test('is deleted: it is refused at once, and the list says so', async () => {
    const key = keyOn(await createKey(base, dana));
    const deleted = await confirmed(dana, await confirming(base, dana, /^Delete/));
    expect([deleted.status, deleted.location]).toEqual([303, '/settings/api?done=key-deleted']);
    const list = await dana.follow(deleted);
    expect(list.body).toMatch(/role="status"><p>The key was deleted/);
    expect(list.body).toContain('You have no key yet');
    const answer = await graphql(base, `Bearer ${key}`, { query: '{ account { id } }' });
    expect([answer.status, answer.body.errors]).toEqual([
      401,
      [{ message: 'Access token is not valid', extensions: { code: 'UNAUTHENTICATED' } }],
    ]);
  });

  test('works after a restart', async () => {
    const first = await runModern();
    const browser = await signedIn(first.server.url);
    const form = await browser.get(`${first.server.url}/settings/api/keys/new`);
    const page = await sendForm(browser, form, {
      action: '/settings/api/keys/new',
      values: { name: 'Long life' },
    });
    await first.server.close();
    const again = await runModern({ databaseFile: first.settings.databaseFile });
    expect(await apiStatus(again.server.url, keyOn(page))).toBe(200);
    await Promise.all([again.stop(), first.stop()]);
  });

  test('lies nowhere in the clear', async () => {
    const keys = [
      keyOn(await createKey(base, dana)),
      keyOn(await confirmed(dana, await confirming(base, dana, /^Replace/))),
    ];
    await Promise.all(keys.map((key) => apiStatus(base, key)));
    const bytes = bytesAtRest(modern.folder);
    for (const key of keys) {
      expect(bytes).not.toContain(key);
      expect(bytes).not.toContain(key.slice(4, 30));
    }
  });
});

describe('a bearer token that looks like a key', () => {
  const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

  /** The checksum worked out anew, in numbers small enough to be exact. */
  function withChecksum(body: string): string {
    let [rest, sum] = [crc32(body), ''];
    for (let place = 0; place < 6; place++, rest = Math.floor(rest / 62))
      sum = DIGITS.charAt(rest % 62) + sum;
    return body + sum;
  }

  test('carries CRC-32 of all before its last six characters, in base 62', async () => {
    const key = keyOn(await createKey(base, dana));
    expect(withChecksum(key.slice(0, -6))).toBe(key);
  });

  test.each([
    ['is mistyped', (key: string) => key.slice(0, 10) + (key[10] === 'a' ? 'b' : 'a') + key.slice(11)],
    ['is cut short', (key: string) => key.slice(0, -1)],
    ['is too long', (key: string) => `${key}0`],
    ['is the prefix alone', () => 'gbk_'],
    ['is well formed and unknown', () => withChecksum(`gbk_${'0'.repeat(43)}`)],
    ['is in capitals', (key: string) => key.toUpperCase()],
    ['has letters of another alphabet', (key: string) => `${key.slice(0, -1)}%D0%B0`],
    ['is 10,000 characters long', () => `gbk_${'a'.repeat(10_000)}`],
  ])('and %s is refused as any other', async (_what, change) => {
    const key = keyOn(await createKey(base, dana));
    const answer = await graphql(base, `Bearer ${change(key)}`, { query: '{ account { id } }' });
    expect([answer.status, answer.body.errors[0].message]).toEqual([401, 'Access token is not valid']);
    expect(rows((db) => db.prepare('select last_used_at from api_keys').pluck().get())).toBeNull();
  });

  test('is refused for its checksum alone, even if the database knew it', async () => {
    const key = keyOn(await createKey(base, dana));
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const { digestKey } = JSON.parse(readFileSync(`${modern.settings.databaseFile}.keys.json`, 'utf8'));
    const digestOf = (text: string) =>
      createHmac('sha256', Buffer.from(digestKey, 'base64url')).update(text).digest('base64url');
    const answersTo = (text: string) =>
      rows((db) => db.prepare('update api_keys set digest = ?').run(digestOf(text)));
    answersTo(wrong);
    expect(await apiStatus(base, wrong)).toBe(401);
    answersTo(key);
    expect(await apiStatus(base, key)).toBe(200);
  });

  test('is no key for /token, introspection or revocation', async () => {
    const key = keyOn(await createKey(base, dana));
    for (const path of ['/token/revocation', '/token/introspection'])
      await fetch(base + path, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'public-app', token: key }),
      });
    expect(await apiStatus(base, key)).toBe(200);
  });
});
