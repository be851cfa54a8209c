import type { RemindersDeps } from '../deps.ts';
import { notMePath } from '../stop-mails.ts';
import type { DueStage, HolderPart, OwnerPart, ReminderPerson } from '../people.ts';
import { yieldToEventLoop } from '../../work/yield-to-event-loop.ts';
import { aboutApp, type LetterApp, aboutHolder, aboutOwner } from './about-app.ts';
import { asHtml } from './as-html.ts';
import { asText } from './as-text.ts';
import { calendarOf } from './calendar.ts';
import type { LetterBlock, Card, LetterLine } from './content.ts';
import { holderBlocks } from './for-holder.ts';
import { ownerBlocks } from './for-owner.ts';
import { createLinks } from './links.ts';
import type { LetterReader } from './moments.ts';
import { footLines, greetingOf, openingOf } from './opening.ts';
import { otherApps } from './others.ts';
import { withRefused } from './refused.ts';
import { byReminderUrgency, type LetterStage } from './stages.ts';
import { subjectOf } from './subject.ts';
import { groupBy } from '../../../shared/group-by.ts';

/**
 * Writes the one mail of a day: all due reminders of a person, app by app. Each mail is read anew from the databases.
 * Writing a mail stores nothing but the links of the mail.
 */

/** A mail, ready for the mailer. */
export interface Letter {
  /** One line without control characters. */
  subject: string;
  /** Lines end with `\n`. */
  text: string;
  html: string;
  /** An iCalendar file of the dates in the mail (RFC 5545); undefined when the mail names no date ahead. */
  calendar: string | undefined;
  headers: Record<string, string>;
}

/** The order for a mail: the id of its row, the reader with the address of the mail, and the due reminders. */
interface LetterOrder {
  /** 24 hexadecimal characters. */
  mailId: string;
  person: ReminderPerson;
  due: readonly DueStage[];
}

/** The most apps with a card of their own. A mail has to stay short, and each card costs a read of the app's calls. */
const CARDS_MAX = 5;

/** One app with its due reminders. */
interface AppDue {
  app: LetterApp;
  due: LetterStage[];
}

function byApp(due: readonly LetterStage[]): LetterStage[][] {
  return [...groupBy(due, ({ clientId }) => clientId).values()];
}

async function holderPart(
  context: RemindersDeps,
  person: ReminderPerson,
  { app, due }: AppDue,
): Promise<LetterBlock[]> {
  const own = due.filter(({ role }) => role === 'holder');
  const part = own.map((one) => one.part).find((known): known is HolderPart => known.role === 'holder');
  return part ? holderBlocks(await aboutHolder(context, person, { app, part, due: own })) : [];
}

async function ownerPart(context: RemindersDeps, { app, due }: AppDue): Promise<LetterBlock[]> {
  const own = due.filter(({ role }) => role === 'owner');
  const part = own.map((one) => one.part).find((known): known is OwnerPart => known.role === 'owner');
  return part ? ownerBlocks(await aboutOwner(context, { app, part, due: own })) : [];
}

const heading = (text: string): LetterBlock => ({ kind: 'heading', text });

/**
 * The blocks of both roles on one card. Blocks of both roles that are equal, such as planned brownouts, appear once.
 */
function together(held: readonly LetterBlock[], owned: readonly LetterBlock[]): LetterBlock[] {
  if (held.length === 0 || owned.length === 0) return [...held, ...owned];
  const said = new Set(owned.map((block) => JSON.stringify(block)));
  const own = held.filter((block) => !said.has(JSON.stringify(block)));
  return [heading('Your own use of it'), ...own, heading('Your users'), ...owned];
}

async function cardOf(context: RemindersDeps, person: ReminderPerson, app: AppDue): Promise<Card> {
  const [held, owned] = [await holderPart(context, person, app), await ownerPart(context, app)];
  const { name, clientId, links } = app.app;
  return { name, href: links.page(`/apps/${clientId}`), blocks: together(held, owned) };
}

/** Who sends the mail, and why. A contact may get mails in the place of several owners on one day. */
function whyLine(
  { publicUrl, serviceName }: RemindersDeps['settings'],
  { isContact }: ReminderPerson,
  due: readonly DueStage[],
): LetterLine {
  const reasons = [
    ...(due.some(({ role }) => role === 'holder')
      ? ['apps use the old API with tokens of your account']
      : []),
    ...(due.some(({ role }) => role === 'owner')
      ? ['you are the owner or a contact of an app that uses it']
      : []),
  ];
  const often = isContact || due.some(({ isAsked }) => isAsked) ? '' : ', at most one a day';
  return {
    text: `${serviceName} at ${new URL(publicUrl).host} sends this mail${often}, because ${reasons.join(', and ')}.`,
    link: { label: 'All dates of the old API', href: `${publicUrl}/lifecycle` },
  };
}

/**
 * The identifier is of letters, digits, dots and hyphens (RFC 2919 §2). It stays for as long as the list lives (RFC 2919 §4),
 * because readers sort their mails by it. So it has the host of PUBLIC_URL, like every link of these mails, and nothing that
 * an operator may rename, such as SERVICE_NAME. The words before it stay for filters that compare the whole line.
 */
function listId(publicUrl: string): string {
  const host = new URL(publicUrl).hostname.replaceAll(/[^a-z0-9.-]/g, '');
  return `grantbridge reminders <reminders.${host}>`;
}

/** The headers of every mail. `notMe` is the address that stops the mails. */
export const letterHeaders = (publicUrl: string, notMe: string): Record<string, string> => ({
  'List-Id': listId(publicUrl),
  'List-Unsubscribe': `<${notMe}>`,
});

/** Makes one card after the other, and lets the process do other work in between. */
async function cardsOf(
  context: RemindersDeps,
  person: ReminderPerson,
  apps: readonly AppDue[],
): Promise<Card[]> {
  const cards: Card[] = [];
  for (const app of apps) {
    cards.push(await cardOf(context, person, app));
    await yieldToEventLoop();
  }
  return cards;
}

/** Writes the mail. Every link in the mail is built from PUBLIC_URL. */
export async function composeLetter(context: RemindersDeps, order: LetterOrder): Promise<Letter> {
  const { mailId, person } = order;
  const reader: LetterReader = { zone: person.zone, now: context.clock.now() };
  const links = await createLinks(context, person);
  const due = await withRefused(context, { person, links }, order.due);
  const all = byApp(byReminderUrgency(due, reader));
  const apps = all.slice(0, CARDS_MAX).flatMap((own): AppDue[] => {
    const [first] = own;
    return first ? [{ app: aboutApp(context, first.part, { reader, links }), due: own }] : [];
  });
  const cards = await cardsOf(context, person, apps);
  const notMe = links.page(notMePath(context, mailId));
  const ground = { person, settings: context.settings };
  const content = {
    subject: subjectOf(due, reader),
    greeting: greetingOf(person),
    opening: openingOf(ground, new Set(due.map(({ role }) => role))),
    cards,
    ...otherApps(all.slice(CARDS_MAX), { reader, page: links.page('/apps') }),
    foot: footLines(ground, whyLine(context.settings, person, due), notMe),
  };
  await yieldToEventLoop();
  const calendar = calendarOf(person.id, apps);
  await yieldToEventLoop();
  return {
    subject: content.subject,
    text: asText(content),
    html: asHtml(content, context.settings),
    calendar,
    headers: letterHeaders(context.settings.publicUrl, notMe),
  };
}
