import { ask, withBearer } from '../support/bearers.ts';
import { base } from '../support/running-modern.ts';
import { sendForm, signedIn } from '../support/settings.ts';

let rename: (name: string) => Promise<string[]>;
withBearer();
beforeAll(async () => {
  const browser = await signedIn(base);
  const page = await browser.get(`${base}/settings/account`);
  const action = '/settings/account/name';
  /** What the main API and the account page answer. */
  rename = async (name) => {
    const query = `mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { __typename } }`;
    const { body } = await ask(query, { input: { name } });
    const { status } = await sendForm(browser, page, { action, values: { name } });
    return [body.data.updateAccount.__typename, String(status)];
  };
});

describe('the name of an account', () => {
  test.each([
    ['turns the direction', 'Dana\u202Eomed'],
    ['has a space of no width', 'Dana\u200B Demo'],
    ['is an empty letter', '\u3164'],
    ['is an empty Braille sign', '\u2800'],
    ['is signs alone', '...'],
    ['has a line separator', 'Dana\u2028Demo'],
  ])('that %s is refused at both places', async (_what, name) => {
    expect(await rename(name)).toEqual([expect.stringMatching(/Error$/), '422']);
  });

  test.each(['Dana 👨‍👩‍👧', '❤️ Dana', '☎️', 'Žofie O’Brien-Łukasz', 'می‌خواهم', '山田 太郎'])(
    'can be %s',
    async (name) => {
      expect(await rename(name)).toEqual(['AccountActionSuccess', '303']);
    },
  );
});
