import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { valueOf } from '../../modern/support/settings.ts';
import { consentAt, DANA, historyOf, pressIn, SAM, wordsOf } from '../support/people.ts';
import type { Stage } from './stage.ts';

const secretsOn = (page: Page) => ({
  clientId: valueOf(page, 'client-id'),
  clientSecret: valueOf(page, 'client-secret'),
  ownerToken: valueOf(page, 'owner-token'),
});

/** Registering an app by page: what is checked, what is shown once, and what works afterwards. */
export function registering(stage: Stage): void {
  const CALLBACK = 'https://planner.example/callback';

  const at = (path: string) => `${stage.system.bridgeUrl}${path}`;

  async function sendForm(entries: Record<string, string>, browser = stage.dana): Promise<Page> {
    const page = await browser.get(at('/apps/register'));
    return pressIn(browser, page, /^Register app$/, {
      name: 'Night planner',
      callbacks: CALLBACK,
      contacts: '',
      ...entries,
    });
  }

  async function countApps(): Promise<number> {
    const rows = await stage.system.bridge.context.store.durable
      .selectFrom('apps')
      .select('client_id')
      .execute();
    return rows.length;
  }

  async function read(token: string): Promise<number> {
    const { status } = await fetch(at('/1/user.json'), { headers: { authorization: `Bearer ${token}` } });
    return status;
  }

  test('registering shows id, secret and token once, keeps what was entered, and the token works after one consent', async () => {
    const page = await sendForm({
      name: '  Bold <b>planner</b> ',
      callbacks: `${CALLBACK}\r\n\r\n http://localhost:5000/cb \r\n${CALLBACK}`,
      contacts: 'dev@planner.example, ops@planner.example\r\ndev@planner.example',
    });
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.url).toBe(at('/apps/register'));
    expect(page.body).toContain('Bold &lt;b&gt;planner&lt;/b&gt;');
    const { clientId, clientSecret, ownerToken } = secretsOn(page);
    expect(clientId).toMatch(/^[0-9a-f]{24}$/);
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    expect(ownerToken).toMatch(/^1\/[0-9a-f]{32}$/);

    expect(page.body.split(ownerToken.slice(2))).toHaveLength(2);
    expect(wordsOf(page)).toContain(`curl ${at('/1/user.json')} -H`);

    const { durable } = stage.system.bridge.context.store;
    const rowsOf = (table: 'apps' | 'app_callbacks' | 'app_contacts' | 'mappings') =>
      durable.selectFrom(table).selectAll().where('client_id', '=', clientId).execute();
    expect(await rowsOf('apps')).toMatchObject([
      { name: 'Bold <b>planner</b>', owner_account_id: DANA.accountId, source: 'registered' },
    ]);
    expect((await rowsOf('app_callbacks')).map((row) => String('uri' in row && row.uri)).toSorted()).toEqual([
      'http://localhost:5000/cb',
      CALLBACK,
    ]);
    expect(await rowsOf('app_contacts')).toHaveLength(2);
    expect(await rowsOf('mappings')).toMatchObject([{ state: 'unmapped', account_id: DANA.accountId }]);
    expect(await historyOf(stage.system, clientId)).toEqual([
      'app_registered: registration',
      'token_issued: the owner token of a registration',
    ]);

    expect(await read(ownerToken)).toBe(401);
    const left = await pressIn(stage.dana, page, /^Connect to my account$/);
    const back = await stage.dana.get(await consentAt(stage.system, left, { person: DANA }));
    expect(back.location).toBe(`/apps/${clientId}/connected`);
    expect(await read(ownerToken)).toBe(200);
    for (const path of ['/apps', `/apps/${clientId}`, `/apps/${clientId}/secrets`]) {
      const { body, status } = await stage.dana.get(at(path));
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(body).not.toContain(clientSecret);
      expect(body).not.toContain(ownerToken);
    }
  });

  test('a form that is sent twice, or twice at once, registers one app', async () => {
    const page = await stage.dana.get(at('/apps/register'));
    const send = () => pressIn(stage.dana, page, /^Register app$/, { name: 'Twice', callbacks: CALLBACK });
    const before = await countApps();
    const answers = [...(await Promise.all([send(), send()])), await send()];
    const titles = answers.map(wordsOf).toSorted();
    expect(titles.map((words) => words.slice(0, 33))).toEqual([
      'This app is registered already Th',
      'This app is registered already Th',
      '“Twice” is registered Copy these ',
    ]);
    expect(await countApps()).toBe(before + 1);
  });

  test('the id of a form is good for the person alone who was shown it, and nobody chooses one', async () => {
    const before = await countApps();
    const page = await stage.dana.get(at('/apps/register'));
    const theirs = valueOf(page, 'new_id');
    for (const new_id of [theirs, `${'a'.repeat(24)}.${theirs.split('.')[1]}`, 'a'.repeat(24), '']) {
      const answer = await sendForm({ new_id }, stage.sam);
      expect(answer.status).toBe(422);
      expect(wordsOf(answer)).toContain('The form was out of date. Send it once more.');
    }
    expect(await countApps()).toBe(before);
  });

  const manyCallbacks = Array.from({ length: 21 }, (_, i) => `${CALLBACK}/${i}`).join('\n');
  const manyContacts = Array.from({ length: 11 }, (_, i) => `a${i}@planner.example`).join('\n');

  test('each bad entry is named in one sentence beside its field, with what was typed, and nothing is kept', async () => {
    const before = await countApps();
    const cases: Array<[entries: Record<string, string>, sentences: string[]]> = [
      [{ name: ' ' }, ['Enter 1 to 120 printable characters.']],
      [{ name: 'x'.repeat(121) }, ['Enter 1 to 120 printable characters.']],
      [{ name: 'Evil\u{202E}ppa' }, ['Enter 1 to 120 printable characters.']],
      [{ callbacks: ' ' }, ['Enter at least one address.']],
      [{ callbacks: manyCallbacks }, ['Enter at most 20 addresses, these are 21.']],
      [{ contacts: manyContacts }, ['Enter at most 10 addresses, these are 11.']],
      [
        { name: '', callbacks: `${CALLBACK}\nhttp://planner.example/<b>\n/cb`, contacts: 'dev@planner' },
        [
          'Enter 1 to 120 printable characters.',
          '“http://planner.example/&lt;b&gt;” must be plain ASCII',
          '“/cb” must be a whole address',
          '“dev@planner” must be one mail address',
        ],
      ],
    ];
    for (const [entries, sentences] of cases) {
      const page = await sendForm(entries);
      expect(page.status).toBe(422);
      expect(page.body).toContain('<title>Error: Register an app');
      for (const sentence of sentences) expect(page.body.split(sentence)).toHaveLength(3);
      if (entries['callbacks']?.includes('<b>')) {
        expect(valueOf(page, 'callbacks')).toContain(`${CALLBACK}\nhttp://planner.example/`);
        expect(page.body).toContain('>\ndev@planner</textarea>');
      }
    }
    expect(await countApps()).toBe(before);
  });

  test('the page is for people who are signed in, and its form comes from it alone', async () => {
    const nobody = new CookieWalker();
    expect((await nobody.get(at('/apps/register'))).location).toBe('/sign-in?return_to=%2Fapps%2Fregister');
    const fields = { name: 'X', callbacks: CALLBACK };
    expect((await nobody.post(at('/apps/register'), fields)).status).toBe(403);
    expect((await stage.dana.post(at('/apps/register'), fields)).status).toBe(403);
    const page = await stage.dana.get(at('/apps/register'));
    const all = { ...fields, _form: valueOf(page, '_form'), new_id: valueOf(page, 'new_id') };
    const foreign = await stage.dana.post(at('/apps/register'), all, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });

  test('one owner has at most fifty apps', async () => {
    const { durable } = stage.system.bridge.context.store;
    const owned = durable
      .selectFrom('apps')
      .select('client_id')
      .where('owner_account_id', '=', SAM.accountId);
    const missing = 49 - (await owned.execute()).length;
    const rows = Array.from({ length: missing }, (_, i) => ({
      client_id: `of-stage.sam-${i}`,
      name: 'One of many',
      owner_account_id: SAM.accountId,
      source: 'registered' as const,
      created_at: 1,
    }));
    await durable.insertInto('apps').values(rows).execute();
    expect((await sendForm({}, stage.sam)).status).toBe(200);
    const full = await sendForm({}, stage.sam);
    expect(full.status).toBe(422);
    expect(wordsOf(full)).toContain('One owner can have at most 50 apps, and you have them.');
    expect(await owned.execute()).toHaveLength(50);
  });

  test('who registers five apps within a minute waits for the next; what was typed stays', async () => {
    let answer = await sendForm({});
    for (let sent = 1; answer.status === 200 && sent < 6; sent += 1)
      answer = await sendForm({ name: `App ${sent}` });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(valueOf(answer, 'name')).toMatch(/^App \d$/);
  });
}
