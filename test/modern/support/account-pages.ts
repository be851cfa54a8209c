import type { SMTPServerOptions } from 'smtp-server';
import { Sqlite } from '../../../src/shared/sqlite.ts';
import { CookieWalker, type Page } from '../../support/callers/cookie-walker.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import { graphql, type Running, runModern, SECOND } from './modern.ts';
import { sendForm } from './settings.ts';

export interface Person {
  email: string;
  password: string;
}

export interface AccountPages {
  smtp: SmtpDoor;
  modern: Running;
  base: string;
  /** Address of the account page. */
  account: string;
  database: Sqlite.Database;
  /** Somebody whom no other test knows. */
  newPerson(): Person;
  /** Sends one of the forms of the account page, and follows to where that leads. */
  submit(browser: CookieWalker, form: string, values: Record<string, string>): Promise<Page>;
  askForEmail(browser: CookieWalker, email: string, person: Person): Promise<Page>;
  isSignedIn(browser: CookieWalker): Promise<boolean>;
  stop(): Promise<void>;
}

const SECOND_ID = '5e1f0c9a7b3d4e2f8a6c1d02';

/** With the password of the second demo person, so that nothing has to be derived. */
function peopleIn(database: Sqlite.Database): () => Person {
  const insert = database.prepare(
    `insert into accounts (id, email, password_hash, document)
     select ?1, ?2, password_hash, json_set(document, '$.id', ?1, '$.email', ?2) from accounts where id = ?3`,
  );
  let people = 0;
  return () => {
    const id = `person-${++people}`;
    const email = `${id}@people.example`;
    insert.run({ 1: id, 2: email, 3: SECOND_ID });
    return { email, password: SECOND.password };
  };
}

/** A modern generation whose mail goes to a real mail server on loopback, which behaves as `options` say. */
export async function startAccountPages(options: SMTPServerOptions = {}): Promise<AccountPages> {
  const smtp = await startSmtpServer(options);
  const smtpUrl = `smtp://127.0.0.1:${smtp.port}`;
  const mail = { smtpUrl, from: 'no-reply@modern.example', directory: '/nowhere' };
  const modern = await runModern({ mail, logLevel: 'none' });
  const account = `${modern.server.url}/settings/account`;
  const database = new Sqlite(modern.settings.databaseFile);
  const submit: AccountPages['submit'] = async (browser, form, values) => {
    const page = await browser.get(account);
    return browser.follow(await sendForm(browser, page, { action: `/settings/account/${form}`, values }));
  };
  return {
    smtp,
    modern,
    base: modern.server.url,
    account,
    database,
    newPerson: peopleIn(database),
    submit,
    askForEmail: (browser, email, { password }) =>
      submit(browser, 'email', { email, 'email-password': password }),
    isSignedIn: async (browser) => (await browser.get(account)).status === 200,
    async stop() {
      database.close();
      await modern.stop();
      await smtp.close();
    },
  };
}

const QUERY = { query: '{ account { name email organizations { ownerEmail } } }' };

/** The account as an app sees it. */
export async function accountOf(base: string, accessToken: unknown) {
  const { body } = await graphql(base, `Bearer ${String(accessToken)}`, QUERY);
  return body.data.account;
}

/** What stands beside a field, found the way a screen reader finds it. */
export function errorAt(page: Page, field: string): string | undefined {
  const input = new RegExp(
    `<input id="${field}"[^>]*aria-describedby="([^"]*)"[^>]*aria-invalid="true"`,
  ).exec(page.body);
  const id = input?.[1]?.split(' ').at(-1);
  return id && new RegExp(`id="${id}">([^<]*)<`).exec(page.body)?.[1];
}

export const noticeOn = (page: Page): string | undefined => /role="status"><p>([^<]*)</.exec(page.body)?.[1];

export const statusesOf = (answers: Page[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** The link of a mail, on a line of its own. */
export const linkIn = (text: string): string =>
  /^http\S+\/settings\/email\/\S+$/m.exec(text)?.[0] ?? 'no link';

/** Opens a link and presses its button. */
export async function pressLink(link: string, browser = new CookieWalker()): Promise<Page> {
  return sendForm(browser, await browser.get(link), { action: link });
}
