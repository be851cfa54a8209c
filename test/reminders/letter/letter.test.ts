import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import ICAL from 'ical.js';
import PostalMime from 'postal-mime';
import { DAY } from '../../../src/shared/lifetimes.ts';
import { DANA } from '../../owners/support/people.ts';
import { SettableClock } from '../../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../../support/servers/smtp-server.ts';
import { startSystem, type System } from '../../support/bridge/system.ts';
import {
  appNamed,
  BY_EMAIL,
  type Letter,
  letterTo,
  linksIn,
  MAIL_ID,
  NOW,
  RETIREMENT,
  sampleLetters,
  setDates,
  SUNSET,
  toHolder,
  wordsIn,
} from '../support/letters.ts';

import { hostileNames } from '../support/letter-names.ts';
import { subjects } from '../support/letter-subjects.ts';

/** What a reminder says, to whom, and that nobody's text can make it say something else. */

let system: System;
let smtp: SmtpDoor;
const stage = { system: () => system, smtp: () => smtp };
let letters: Record<string, Letter>;
const clock = new SettableClock(NOW);

beforeAll(async () => {
  smtp = await startSmtpServer();
  const env = {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'no-reply@bridge.example',
    // Waiting tokens have something to lose.
    LEGACY_BACKEND_URL: 'http://127.0.0.1:9',
  };
  system = await startSystem({ clock, env });
  letters = await sampleLetters(system);
});
afterAll(async () => {
  await system.stop();
  await smtp.close();
});
beforeEach(() => clock.set(NOW));

const letter = (name: string): Letter => letters[name] ?? ({} as Letter);

test('a holder is told what stops when, in the own zone and in UTC, by which tokens, and gets the one link', () => {
  const { text, subject } = letter('holder-one-app');
  const flat = text.replace(/\s+/g, ' ');
  expect(subject).toBe('“Report tool” stops working in 14 days (1 February 2027)');
  for (const fact of [
    'Stops working in 14 days: on 1 February 2027 at 01:00 (Europe/Berlin), which is 00:00 UTC.',
    '3 tokens of this app are not connected',
    'Hello Dana, This mail is about apps that use the old API with your account at grantbridge (demo@grantbridge.example).',
    'You need not follow the links of a mail. You can type 127.0.0.1',
    'The last call was on 17 January 2027 at 09:00 (Europe/Berlin), by buffer-python/1.2.',
    'Later, on 1 June 2027, the old API ends for every app',
    'Short test outages (brownouts) before that, to show what will fail: - 20 January 2027, 09:00 to 09:15 (Europe/Berlin)',
    'Why you get this: the date is 14 days away',
  ])
    expect(flat).toContain(fact);
  expect(flat).toMatch(/Connect “Report tool”: http:\S+\/apps\/connect\/[0-9a-f]{24} /);
  expect(flat).toMatch(/ The tokens? ends? with [0-9a-f]{4}[., ]/);
  // The names of calls are for those who make apps.
  expect(flat).not.toContain('/1/profiles.json');
});

test('an owner gets one digest: who uses each app, what waits, how to move, how to rehearse, what is planned', () => {
  const flat = letter('owner-three-apps').text.replace(/\s+/g, ' ');
  for (const fact of [
    'This mail is about apps that you own or look after at grantbridge (',
    '1,240 /1/profiles.json by buffer-python/1.2, token in the header',
    '12 tokens of its users stop working in 14 days',
    'Connected to the new API: 30 tokens of 25 users - Not connected yet: 12 tokens of 8 users',
    '1 token of its users stops working in 42 days: on 1 March 2027',
    'This app was given more time: until 1 March 2027 instead of 1 February 2027.',
    'Connected to the new API: none',
    '45,000 tokens of 31,000 users',
    'Stops working in 134 days: on 1 June 2027 at 02:00 (Europe/Berlin)',
    'This app is left out of the short test outages (brownouts) until 1 February 2027.',
  ])
    expect(flat).toContain(fact);
  const paths = linksIn(letter('owner-three-apps')).map((href) => new URL(href).pathname);
  for (const end of ['', '/rehearse', '/modern-client'])
    expect(new Set(paths.filter((path) => new RegExp(`^/apps/[0-9a-f]{24}${end}$`).test(path))).size).toBe(3);
  // Exempt until its date: none of the two windows is its own.
  expect(flat.split('Archive of everything')[1]).not.toContain('20 January');
});

test('text and HTML say the same, and every link is of PUBLIC_URL', () => {
  for (const [name, { text, html }] of Object.entries(letters)) {
    const links = linksIn({ html } as Letter);
    expect({ name, foreign: links.filter((href) => !href.startsWith(`${system.bridgeUrl}/`)) }).toEqual({
      name,
      foreign: [],
    });
    // The title of a card leads to the page of the app.
    const inText = [...text.matchAll(/^\s*(http\S+)$/gm)].map(([, href]) => href);
    const titles = [...html.matchAll(/<h2[^>]*><a[^>]*href="([^"]*)"/g)].map(([, href]) => href);
    expect(new Set([...inText, ...titles])).toEqual(new Set(links));
    const ignored = /http\S+|[-*“”:\s]/g;
    const words = (said: string) => said.replace(ignored, '');
    expect(words(wordsIn(html)).replaceAll('WhatwascalledCalls', '').length).toBeGreaterThan(400);
    for (const line of text.split('\n\n').filter((part) => !/http|^ {2}|Calls|^-+$|^“/m.test(part)))
      expect(words(wordsIn(html))).toContain(words(line));
  }
});

describe('the subject', () => subjects(stage));

describe('a name', () => hostileNames(stage));

test('a card has one warning, and says no name of a person whom the mail does not know', () => {
  for (const [name, { html }] of Object.entries(letters)) {
    const cards = html.split(/<h2/).slice(1);
    const warned = cards.map((card) => card.split('class="status" bgcolor').length - 1);
    // Who uses an app that is also their own reads one of each.
    expect({ name, most: Math.max(...warned) }).toEqual({ name, most: name === 'both' ? 2 : 1 });
  }
  expect(letter('email-person').text).toContain(
    '\n\nHello,\n\nThis mail is about apps that use the old API at ',
  );
});

test('the mail arrives with its headers, each once, and its calendar', async () => {
  const made = letter('holder-one-app');
  await system.bridge.context.mailer.send({
    ...made,
    to: DANA.login,
    sender: 'grantbridge',
    messageId: MAIL_ID,
  });
  const mail = await PostalMime.parse(smtp.mailTo(DANA.login).raw);
  const all = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  expect(all('list-id')).toEqual(['grantbridge reminders <reminders.127.0.0.1>']);
  expect(all('list-unsubscribe')).toEqual([`<${linksIn(made).find((href) => href.endsWith('/not-me'))}>`]);
  expect(all('auto-submitted')).toEqual(['auto-generated']);
  expect(mail.attachments.map(({ mimeType, filename }) => [mimeType, filename])).toEqual([
    ['text/calendar', 'dates.ics'],
  ]);
});

/** The events of a calendar file, as an independent program reads them. */
function eventsIn({ calendar }: Letter) {
  const root = new ICAL.Component(ICAL.parse(calendar ?? '') as unknown[]);
  expect(root.getFirstPropertyValue('method')).toBe('PUBLISH');
  return root.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    const alarm = component.getFirstSubcomponent('valarm');
    return {
      uid: event.uid,
      at: event.startDate.toJSDate().toISOString(),
      isUtc: event.startDate.zone === ICAL.Timezone.utcTimezone,
      sequence: event.sequence,
      summary: event.summary,
      url: String(component.getFirstPropertyValue('url')),
      alarm: String(alarm?.getFirstPropertyValue('trigger')),
    };
  });
}

test('the calendar has each date once, with an alarm, and a moved date takes the place of the old one', async () => {
  const [app, before] = [await appNamed(system, 'Moved; tool, “x”'), letter('holder-one-app')];
  const due = (at: number) => [toHolder({ ...app, name: 'Moved; tool, “x”' }, { at })];
  expect(eventsIn(before).map(({ at }) => at)).toEqual([
    '2027-02-01T00:00:00.000Z',
    '2027-06-01T00:00:00.000Z',
  ]);
  const [first] = eventsIn(await letterTo(system, BY_EMAIL, due(RETIREMENT)));
  expect(first).toMatchObject({
    at: '2027-02-01T00:00:00.000Z',
    isUtc: true,
    summary: '“Moved; tool, x” stops working unless it is connected',
    url: `${system.bridgeUrl}/apps/${app.clientId}`,
    alarm: '-P1D',
  });
  clock.advance(DAY);
  await setDates(system, { retirement: RETIREMENT - 5 * DAY, sunset: SUNSET });
  const [moved] = eventsIn(await letterTo(system, BY_EMAIL, due(RETIREMENT - 5 * DAY)));
  await setDates(system, { retirement: RETIREMENT, sunset: SUNSET });
  expect(moved).toMatchObject({ uid: first?.uid, at: '2027-01-27T00:00:00.000Z' });
  expect(moved?.sequence).toBeGreaterThan(first?.sequence ?? Infinity);
  const uids = eventsIn(letter('owner-three-apps')).map(({ uid }) => uid);
  expect(new Set(uids).size).toBe(5);
  expect(letter('unused').calendar).toBeUndefined();
  expect(
    Object.values(letters)
      .map(({ calendar }) => calendar ?? '')
      .join(),
  ).not.toContain('prove-email');
});

test('days are those of the reader: it is tomorrow in Kiritimati and today in Honolulu', async () => {
  const at = Date.parse('2027-01-19T09:00:00Z');
  const said = async (zone: string) =>
    (await letterTo(system, { ...BY_EMAIL, zone }, [toHolder(system.app, { at })])).subject;
  expect(await said('Pacific/Kiritimati')).toContain('tomorrow (19 January 2027)');
  expect(await said('Pacific/Honolulu')).toContain('tomorrow (18 January 2027)');
  clock.set(at - 3_600_000);
  expect(await said('Pacific/Honolulu')).toContain('today (18 January 2027)');
  expect(await said('No/Where')).toContain('today (19 January 2027)');
});

const CLIENTS = [
  'gmail.desktop-webmail',
  'gmail.ios',
  'gmail.android',
  'apple-mail.*',
  'outlook.windows',
  'outlook.macos',
  'outlook.ios',
  'outlook.android',
  'yahoo.*',
];

/** What some mail programs do not know, and why the mail is read all the same. */
const HARMLESS: Record<string, string> = {
  '@media': 'the rules for dark screens alone: without them the light colours stay',
  'border-radius': 'corners are square',
  'white-space': 'a number might wrap, and none is as long as its column',
  '<body> element': 'the outer table has the same colours',
  'height property': 'the cell has the height attribute too',
  'word-break': 'a name without blanks has 40 letters at most',
};

test('mail programs support what the reading needs; it has no image, and loads nothing', async () => {
  const program = join(import.meta.dirname, '../programs/caniemail.mjs');
  const child = spawn(process.execPath, [program, ...CLIENTS], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(
    Object.values(letters)
      .map(({ html }) => html)
      .join('\n'),
  );
  const [said] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
  const { errors } = JSON.parse(said) as { errors: Record<string, string[]> };
  expect(Object.keys(errors).length).toBeGreaterThan(0);
  expect(new Set(Object.values(errors).flat())).toEqual(new Set(Object.keys(HARMLESS)));
  for (const { html } of Object.values(letters)) {
    expect(html).not.toMatch(
      /<(img|picture|video|svg|link|script|iframe|object|form|input)\b|url\(|@import|@font-face/i,
    );
    expect(html).toMatch(
      /<html lang="en"[\s\S]*<meta name="color-scheme" content="light dark">[\s\S]*<title>[^<]+<\/title>/,
    );
    const tables = [...html.matchAll(/<table[^>]*>(?=\s*<tr>\s*<(t[hd]))/g)];
    // Only the table of calls is one; the others are for the layout.
    for (const [table, cell] of tables)
      expect([table.includes('role="presentation"'), cell]).toEqual([cell === 'td', cell]);
  }
});
