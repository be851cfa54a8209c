import { groupBy } from '../../../shared/group-by.ts';
import { type Leak, readLeaks } from '../../../store/leaks/leaked-tokens.ts';
import { type LeakedToken, listLeakedOf } from '../../../store/reminders/leak-readers.ts';
import type { ReminderRow } from '../../../store/reminders/reminders.ts';
import type { PersonRole } from '../../../store/tables/lifecycle.ts';
import { yieldToEventLoop } from '../../work/yield-to-event-loop.ts';
import type { RemindersDeps } from '../deps.ts';
import { aboutApp, callsOfTokens, isBridgeAlone } from '../letter/about-app.ts';
import { asHtml } from '../letter/as-html.ts';
import { asText } from '../letter/as-text.ts';
import { type Letter, letterHeaders } from '../letter/compose.ts';
import type { Card, LetterContent, LetterLine } from '../letter/content.ts';
import { callBlocks } from '../letter/evidence.ts';
import { createLinks, type Links } from '../letter/links.ts';
import { letterCountWords, type LetterReader } from '../letter/moments.ts';
import { ROWS_MAX } from '../letter/others.ts';
import { footLines, greetingOf, openingOf } from '../letter/opening.ts';
import { plainName } from '../letter/plain.ts';
import type { HolderPart, ReminderPerson } from '../people.ts';
import { notMePath } from '../stop-mails.ts';
import { leakBlocks, leakSubject, type LeakedApp, stepBlocks } from './leak-words.ts';

/** Writes the mail about leaked tokens, app by app: where they were found, when they end, and what they were used for. */

interface LeakLetterOrder {
  /** 24 hexadecimal characters. */
  mailId: string;
  person: ReminderPerson;
  reminders: readonly ReminderRow[];
}

/** Each card costs a read of calls. */
const CARDS_MAX = 5;

function appOf(
  tokens: readonly LeakedToken[],
  { leaks, roles }: { leaks: ReadonlyMap<string, Leak>; roles: ReadonlySet<PersonRole> },
): LeakedApp | undefined {
  const [first] = tokens;
  if (!first) return undefined;
  return {
    clientId: first.client_id,
    name: plainName(first.app_name, first.client_id),
    roles,
    tokens: tokens.flatMap((token) => {
      const leak = leaks.get(token.id);
      return leak ? [{ ...leak, hintLast: token.hint_last, lastUsedAt: token.last_used_at }] : [];
    }),
  };
}

async function appsOf(context: RemindersDeps, reminders: readonly ReminderRow[]) {
  const { durable } = context.store;
  const ids = [...new Set(reminders.map(({ planned_for: id }) => id))];
  const leaks = await readLeaks(durable, ids);
  const byApp = groupBy(await listLeakedOf(durable, ids), ({ client_id }) => client_id);
  const byToken = groupBy(reminders, ({ planned_for: id }) => id);
  return [...byApp.values()].flatMap((tokens) => {
    const own = tokens.map(({ id }) => id);
    const roles = new Set(own.flatMap((id) => byToken.get(id) ?? []).map(({ role }) => role));
    const app = appOf(tokens, { leaks, roles });
    const isHeld = roles.has('holder');
    const isUnproven = isHeld
      ? tokens.some(({ account_id }) => account_id === null)
      : tokens.every(({ owner_account_id }) => owner_account_id === null);
    return app ? [{ app, ids: own, isUnproven }] : [];
  });
}

/** What the evidence needs of tokens that need not wait for anything. */
function partOf({ clientId, name, tokens }: LeakedApp): HolderPart {
  const lastUsedAt = tokens.reduce((last, token) => Math.max(last, token.lastUsedAt ?? 0), 0);
  return {
    role: 'holder',
    clientId,
    appName: name,
    waiting: tokens.length,
    lastUsedAt: lastUsedAt > 0 ? lastUsedAt : undefined,
    wokenAt: undefined,
    diedAt: undefined,
    knownSince: undefined,
  };
}

interface LetterView {
  reader: LetterReader;
  links: Links;
  /** Apps with a card. */
  cards: number;
}

async function cardOf(
  context: RemindersDeps,
  { app: leaked, ids, isUnproven }: { app: LeakedApp; ids: readonly string[]; isUnproven: boolean },
  view: LetterView,
): Promise<Card> {
  const part = partOf(leaked);
  const app = aboutApp(context, part, view);
  const evidence = callBlocks({
    app,
    part,
    due: [],
    isUnproven,
    endings: [],
    ...(await callsOfTokens(context, ids)),
  });
  await yieldToEventLoop();
  const to = (aim: 'app' | 'revoke') => view.links.to(aim, leaked.clientId, isUnproven);
  const targets = {
    app: await to('app'),
    revoke: await to('revoke'),
    isProof: view.links.isProof(isUnproven),
  };
  const told = { reader: view.reader, hasOldApi: !isBridgeAlone(app), cards: view.cards };
  const blocks = [...leakBlocks(leaked, told), ...evidence, ...stepBlocks(leaked, targets)];
  return { name: leaked.name, href: targets.app, blocks };
}

/** The apps without a card. A mail has to stay short, because mail programs cut a long one. */
function othersOf(
  apps: readonly LeakedApp[],
  { page }: Pick<Links, 'page'>,
): Pick<LetterContent, 'others' | 'more'> {
  const others = apps.slice(0, ROWS_MAX).map(({ name, clientId, tokens }) => ({
    name: `“${name}”`,
    words: letterCountWords(tokens.length, 'leaked token'),
    href: page(`/apps/${clientId}`),
  }));
  const rest = apps.length - others.length;
  if (rest === 0) return { others };
  const link = { label: 'See all your apps', href: page('/apps') };
  return { others, more: { text: `and ${letterCountWords(rest, 'more app')}`, link } };
}

/** Who sends the mail, and why. */
function whyLine(
  { publicUrl, serviceName }: RemindersDeps['settings'],
  roles: ReadonlySet<PersonRole>,
): LetterLine {
  const why = roles.has('holder')
    ? 'a token of your account has leaked'
    : 'a token of an app that you look after has leaked';
  return { text: `${serviceName} at ${new URL(publicUrl).host} sends this mail because ${why}.` };
}

/** Writes the mail. Every link in it is built from PUBLIC_URL: none leads to the place where a token was found. */
export async function composeLeakLetter(context: RemindersDeps, order: LeakLetterOrder): Promise<Letter> {
  const { mailId, person, reminders } = order;
  const all = await appsOf(context, reminders);
  const view = {
    reader: { zone: person.zone, now: context.clock.now() },
    links: await createLinks(context, person),
    cards: Math.min(all.length, CARDS_MAX),
  };
  const apps = all.map(({ app }) => app);
  const cards: Card[] = [];
  for (const one of all.slice(0, CARDS_MAX)) cards.push(await cardOf(context, one, view));
  const notMe = view.links.page(notMePath(context, mailId));
  const roles = new Set(apps.flatMap((app) => [...app.roles]));
  const ground = { person, settings: context.settings };
  const content: LetterContent = {
    subject: leakSubject(apps),
    greeting: greetingOf(person),
    opening: openingOf(ground, roles),
    cards,
    ...othersOf(apps.slice(CARDS_MAX), view.links),
    foot: footLines(ground, whyLine(context.settings, roles), notMe),
  };
  return {
    subject: content.subject,
    text: asText(content),
    html: asHtml(content, context.settings),
    calendar: undefined,
    headers: letterHeaders(context.settings.publicUrl, notMe),
  };
}
