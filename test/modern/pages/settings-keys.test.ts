import type { CookieWalker, Page } from '../../support/callers/cookie-walker.ts';
import { confirmed, confirming, createKey, deleteKeys, keyOn } from '../support/api-keys.ts';
import { apiStatus } from '../support/modern.ts';
import { base, modern, rows } from '../support/running-modern.ts';
import { dana, sam, withDanaAndSam } from '../support/settings-people.ts';
import { csrfOf, sendForm, signedIn, valueOf } from '../support/settings.ts';

withDanaAndSam();
afterEach(deleteKeys);

const NEW = '/settings/api/keys/new';
const SAME_SITE = { 'sec-fetch-site': 'same-origin' };

const countOfKeys = () => rows((db) => db.prepare('select count(*) from api_keys').pluck().get());
const countOfForms = () => rows((db) => db.prepare('select count(*) from used_forms').pluck().get());

/** Somebody sends the form that another session was given, with the own `csrf`. */
async function sendAs(browser: CookieWalker, page: Page): Promise<Page> {
  const csrf = csrfOf(await browser.get(`${base}/settings/api`));
  return browser.post(page.url, { csrf, form: valueOf(page, 'form'), name: 'Once' }, SAME_SITE);
}

const newKeyPage = (browser = dana) => browser.get(base + NEW);
const listOf = (browser: CookieWalker) => browser.get(`${base}/settings/api`);

describe('the form of a new key', () => {
  test.each([
    ['no name', '', 'Enter a name.'],
    ['spaces alone', '   ', 'Enter a name.'],
    ['61 characters', 'n'.repeat(61), 'at most 60'],
    ['10,000 characters', 'n'.repeat(10_000), 'at most 60'],
    ['a mark that turns the direction', 'a\u202Eb', 'cannot be seen'],
    ['a control character', 'a\u0007b', 'cannot be seen'],
    ['a line separator inside', 'a\u2028b', 'cannot be seen'],
    ['a space of no width', 'a\u200Bb', 'cannot be seen'],
    ['a tag', 'a\u{E0041}b', 'cannot be seen'],
    ['a joiner that joins nothing', 'a \u200Db', 'cannot be seen'],
    ['two marks behind one sign', '\u2764\uFE0F\uFE0F a', 'cannot be seen'],
    ['an empty Hangul letter', '\u3164', 'cannot be seen'],
    ['an empty half of a Hangul letter', '\u115F', 'cannot be seen'],
    ['an empty Braille sign', '\u2800', 'cannot be seen'],
    ['a joiner of marks alone', '\u034F', 'cannot be seen'],
    ['a colour mark alone', '\uFE0F', 'cannot be seen'],
    ['signs alone', '!?…', 'a letter, a digit or an emoji'],
  ])('with %s says what is wrong beside the field and keeps it', async (_what, name, words) => {
    const page = await createKey(base, dana, name);
    expect(page.status).toBe(422);
    expect(page.body).toMatch(/<p class="field-error" id="name-error">/);
    expect(page.body).toContain(words);
    expect(page.body).toMatch(/id="name"[^>]* aria-invalid="true" aria-describedby="name-error/);
    expect(valueOf(page, 'name')).toBe(name.trim());
    expect(page.body).toMatch(/<title>Error: New API key /);
    expect(page.body).toMatch(/role="alert">[^]*<a href="#name">/);
    expect((await listOf(dana)).body).toContain('You have no key yet');
  });

  test('takes 60 characters of any script, without the spaces around them', async () => {
    const name = '🔑'.repeat(60);
    expect((await createKey(base, dana, `  ${name}  `)).status).toBe(200);
    expect(rows((db) => db.prepare('select name from api_keys').pluck().all())).toEqual([name]);
  });

  test.each(['👨‍👩‍👧', '👩🏽‍💻 at work', 'I ❤️', '1️⃣', 'می‌خواهم', 'ක්‍රියා', '日本語のキー', 'Ключ'])(
    'takes the name %s as it is',
    async (name) => {
      expect((await createKey(base, dana, name)).status).toBe(200);
      expect(rows((db) => db.prepare('select name from api_keys').pluck().all())).toEqual([name]);
    },
  );

  test('escapes what was typed, everywhere', async () => {
    const name = '"><script>alert(1)</script>';
    const pages = [
      await createKey(base, dana, name),
      await listOf(dana),
      await confirming(base, dana, /^Replace/),
      await confirming(base, dana, /^Delete/),
    ];
    for (const { body } of pages) {
      expect(body).not.toContain('<script');
      expect(body).toContain('&lt;script&gt;');
    }
  });

  test('that is sent twice at once creates one key, and both answers show it', async () => {
    const page = await newKeyPage();
    const submit = () => sendForm(dana, page, { action: NEW, values: { name: 'Once' } });
    const answers = await Promise.all([submit(), submit(), submit()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(keyOn)).size).toBe(1);
    expect(await apiStatus(base, keyOn(answers[2]))).toBe(200);
    expect(countOfKeys()).toBe(1);
  });

  test('that another session sends again shows no key, in the same account or not', async () => {
    const page = await newKeyPage();
    await sendForm(dana, page, { action: NEW, values: { name: 'Once' } });
    for (const browser of [await signedIn(base), sam]) {
      const again = await sendAs(browser, page);
      expect([again.status, keyOn(again)]).toEqual([409, '']);
      expect(again.body).toContain('The key was already created');
      expect(again.body).toContain('delete it and create another one');
    }
    expect(countOfKeys()).toBe(1);
  });

  test('of a replacement that is sent twice replaces once, and only its session sees the key again', async () => {
    await createKey(base, dana);
    const asked = await confirming(base, dana, /^Replace/);
    const [one, two] = await Promise.all([confirmed(dana, asked), confirmed(dana, asked)]);
    expect(keyOn(two)).toBe(keyOn(one));
    expect(await apiStatus(base, keyOn(one))).toBe(200);
    const elsewhere = await sendAs(await signedIn(base), asked);
    expect([elsewhere.status, keyOn(elsewhere)]).toEqual([409, '']);
    expect(elsewhere.body).toContain('replace it once more');
  });

  test.each([undefined, '', 'short', '<b>', 'x'.repeat(44)])(
    'with the page value %j is refused',
    async (form) => {
      const fields = { csrf: csrfOf(await newKeyPage()), name: 'A key', ...(form !== undefined && { form }) };
      expect((await dana.post(base + NEW, fields, SAME_SITE)).status).toBe(400);
      expect(countOfKeys()).toBe(0);
    },
  );

  test('ends at twenty keys, with words about it', async () => {
    for (let key = 0; key < 20; key++) await createKey(base, dana, `Key ${key}`);
    const page = await newKeyPage();
    const submit = () => sendForm(dana, page, { action: NEW, values: { name: 'One more' } });
    const before = countOfForms();
    const full = await submit();
    expect(full.status).toBe(422);
    expect(full.body).toMatch(/role="alert">\s*<p>You have 20 keys/);
    expect(valueOf(full, 'name')).toBe('One more');
    expect(countOfForms()).toBe(before);
    rows((db) => db.exec("delete from api_keys where name = 'Key 7'"));
    expect((await submit()).status).toBe(200);
    expect((await createKey(base, sam, 'Of somebody else')).status).toBe(200);
  });

  test('takes nothing but the name: other fields change nothing', async () => {
    const values = { name: 'Mine', account_id: 'somebody', accountId: 'x', digest: 'd', id: 'i', hint: 'h' };
    await sendForm(dana, await newKeyPage(), { action: NEW, values });
    const [row] = rows((db) => db.prepare<[], Record<string, string>>('select * from api_keys').all());
    expect(row).toMatchObject({ name: 'Mine', account_id: modern.server.demo?.accountId });
    expect(row?.['id']).toMatch(/^[0-9a-f]{24}$/);
    expect(row?.['hint']).toMatch(/^gbk_…/);
  });
});

describe('the keys of somebody else', () => {
  test.each(['replace', 'delete'])('are not found by %s, and go on working', async (what) => {
    const page = await createKey(base, dana, 'Of Dana');
    const id = rows((db) => db.prepare<[], string>('select id from api_keys').pluck().get());
    const address = `${base}/settings/api/keys/${id}/${what}`;
    const form = await newKeyPage(sam);
    const fields = { csrf: csrfOf(form), form: valueOf(form, 'form') };
    expect((await sam.get(address)).status).toBe(404);
    expect((await sam.post(address, fields, SAME_SITE)).status).toBe(404);
    expect(await apiStatus(base, keyOn(page))).toBe(200);
    expect((await listOf(sam)).body).not.toContain('Of Dana');
  });

  test.each(['nothing', '%00', "x' or 1=1 --", '..%2f..'])('nor is a key called %j', async (id) => {
    const answer = await dana.get(`${base}/settings/api/keys/${encodeURIComponent(id)}/delete`);
    expect(answer.status).toBe(404);
  });
});
