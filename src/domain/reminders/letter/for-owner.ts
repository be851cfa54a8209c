import type { Due, OwnerPart } from '../people.ts';
import type { RoleFacts } from './about-app.ts';
import type { Block, Line } from './content.ts';
import { brownoutBlocks, callBlocks, extensionBlocks, SIGN_IN } from './evidence.ts';
import { countWords, daysUntil, dayWords, inDays, momentWords } from './moments.ts';
import { byUrgency, kindOf, stopWords } from './stages.ts';

/** What the owner of an app is told: who uses it, what will break, how to move, and how to try that out. */

type Facts = RoleFacts<OwnerPart>;

function statusOf({ app: { reader }, part }: Facts, due: Due): string {
  const { at, milestone } = due;
  if (kindOf(due, reader) === 'unused' || at === undefined)
    return 'Seems not to be used any more: no call came in the last 30 days.';
  const when = `${at > reader.now ? 'on' : 'the date was'} ${momentWords(at, reader)}`;
  if (milestone === 'sunset')
    return at > reader.now
      ? `Stops working ${inDays(at, reader)}: ${when}.`
      : `Has stopped working: ${when}.`;
  const { waiting } = part.tokens;
  return `${countWords(waiting, 'token')} of its users ${stopWords(at, reader, waiting !== 1)}: ${when}.`;
}

function explanationOf({ app: { reader } }: Facts, due: Due): string {
  if (kindOf(due, reader) === 'unused')
    return 'If nobody needs it, there is nothing to do. If somebody does, read on how to move.';
  const isPast = kindOf(due, reader) === 'past';
  if (due.milestone === 'sunset')
    return isPast
      ? 'The old API has ended, also for users who are connected. The app has to use the new API.'
      : 'Then the old API ends, also for users who are connected. The app has to use the new API by then.';
  return isPast
    ? 'Users who have not connected your app to the new API are refused since then. Once they connect it, it works again.'
    : 'Users who have not connected your app to the new API are refused from then on. Once they connect it, it keeps working.';
}

const of = (tokens: number, accounts: number) =>
  tokens === 0
    ? 'none'
    : accounts === 0
      ? countWords(tokens, 'token')
      : `${countWords(tokens, 'token')} of ${countWords(accounts, 'user')}`;

function standing({ part: { tokens, accounts } }: Facts): Block {
  const lines = [
    { text: `Connected to the new API: ${of(tokens.active, accounts.active)}` },
    { text: `Not connected yet: ${of(tokens.waiting, accounts.waiting)}` },
  ];
  return { kind: 'list', title: 'Your app today', lines };
}

function later({ app: { dates, reader } }: Facts, due: readonly Due[]): Block[] {
  const { sunset } = dates;
  if (!sunset || sunset.at <= reader.now || due.some(({ milestone }) => milestone === 'sunset')) return [];
  const text = `Later, on ${dayWords(sunset.at, reader)}, the old API ends for all users, connected or not.`;
  return [{ kind: 'note', text }];
}

/** What an owner can do, the quickest first; after the sunset nothing of it is of use but the new API itself. */
function moving({ app: { clientId, links, dates, reader }, part }: Facts, chief: Due): Block {
  const page = links.page(`/apps/${clientId}`);
  const connecting: Line = {
    text: 'Ask your users to connect it once; the app itself needs no change.',
    link: { label: 'The page for your users', href: page },
  };
  const ownClient: Line = {
    text: 'Move the app itself: enter a client of your own, exchange each old token for new ones (hand-over at /oauth2/exchange, RFC 8693), and call the new API. Nobody has to agree again.',
    link: { label: 'Your own client', href: `${page}/modern-client` },
  };
  const rehearsal: Line = {
    text: 'Rehearse the date: for five minutes this app, and no other, is answered as it will be then. You see which calls fail, and it ends by itself.',
    link: { label: 'Rehearse it', href: `${page}/rehearse` },
  };
  const isOver = (dates.sunset?.at ?? Infinity) <= reader.now;
  // No connection outlasts the sunset.
  const isHelped = part.tokens.waiting > 0 && chief.milestone === 'retirement';
  const lines = [...(isHelped && !isOver ? [connecting] : []), ownClient, ...(isOver ? [] : [rehearsal])];
  return { kind: 'list', title: 'What you can do', lines };
}

function whyWords({ app: { reader }, part }: Facts, due: Due): string {
  const kind = kindOf(due, reader);
  if (kind === 'unused')
    return 'it is registered and was not used in the last 30 days. This is the only mail about that.';
  const days = daysUntil(due.at ?? 0, reader);
  const left = days <= 0 ? 'the date has come' : `the date is ${countWords(days, 'day')} away`;
  const what =
    due.milestone === 'sunset'
      ? 'your app still calls the old API'
      : `${countWords(part.tokens.waiting, 'token')} of your app ${part.tokens.waiting === 1 ? 'is' : 'are'} not connected`;
  return `${left}, and ${what}.`;
}

/** The blocks of one app for its owner. */
export async function ownerBlocks(facts: Facts): Promise<Block[]> {
  const { app, isUnproven } = facts;
  const due = byUrgency(facts.due, app.reader);
  const [chief] = due;
  if (!chief) return [];
  const href = await app.links.to('app', app.clientId, isUnproven);
  return [
    ...due.map((one): Block => ({ kind: 'status', text: statusOf(facts, one) })),
    { kind: 'text', text: explanationOf(facts, chief) },
    standing(facts),
    { kind: 'button', isQuiet: false, link: { label: `See “${app.name}”`, href } },
    ...(isUnproven ? [SIGN_IN] : []),
    ...callBlocks(facts),
    moving(facts, chief),
    ...later(facts, due),
    ...extensionBlocks(app),
    ...brownoutBlocks(app),
    { kind: 'note', text: `Why this comes now: ${whyWords(facts, chief)}` },
  ];
}
