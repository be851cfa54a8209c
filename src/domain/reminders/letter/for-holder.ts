import type { Milestone } from '../../lifecycle.ts';
import type { Due, HolderPart } from '../people.ts';
import type { RoleFacts } from './about-app.ts';
import type { Block } from './content.ts';
import { brownoutBlocks, callBlocks, extensionBlocks, SIGN_IN } from './evidence.ts';
import { countWords, dayWords, daysUntil, momentWords } from './moments.ts';
import { byUrgency, happenedAt, type Kind, kindOf, stopWords } from './stages.ts';

/** What the holder of tokens is told of one app, and the one button that mends it. */

type Facts = RoleFacts<HolderPart>;

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const tokens = ({ part }: Facts) => countWords(part.waiting, 'token');
const isOne = ({ part }: Facts) => part.waiting === 1;

/** The date that ends the waiting tokens; undefined where none is set. */
function endOf({ app: { dates, reader } }: Facts): { milestone: Milestone; at: number } | undefined {
  const { retirement, sunset } = dates;
  if (retirement && (!sunset || sunset.at > reader.now))
    return { milestone: 'retirement', at: retirement.at };
  return sunset && { milestone: 'sunset', at: sunset.at };
}

function wokenWords(facts: Facts, wokenAt: number): string {
  const { reader } = facts.app;
  const end = endOf(facts);
  const woken = `Is in use again since ${dayWords(wokenAt, reader)}`;
  if (!end) return `${woken}.`;
  const when = momentWords(end.at, reader);
  return end.at > reader.now
    ? `${woken}, and ${stopWords(end.at, reader)}: on ${when}.`
    : `${woken}, but is refused since ${when}.`;
}

function statusOf(facts: Facts, due: Due): string {
  const { reader } = facts.app;
  const { at = 0 } = due;
  const happened = happenedAt(due) ?? reader.now;
  const status: Record<Kind, () => string> = {
    died: () => `Has stopped working: the connection ended on ${momentWords(happened, reader)}.`,
    past: () => `Has stopped working: the date was ${momentWords(at, reader)}.`,
    ahead: () => `${capital(stopWords(at, reader))}: on ${momentWords(at, reader)}.`,
    woken: () => wokenWords(facts, happened),
    unused: () => 'Has a token that you seem not to need: no call came in the last 30 days.',
  };
  return status[kindOf(due, reader)]();
}

const SUNSET_AHEAD =
  'Then the old API ends for every app, connected or not. Whoever makes this app has to move it to the new API before that: please ask them.';
const SUNSET_PAST =
  'The old API has ended for every app. Whoever makes this app has to move it to the new API: please ask them.';

function retirementWords(facts: Facts, isPast: boolean): string {
  const [they, are, it] = isOne(facts)
    ? ['1 token of this app', 'is', 'it keeps']
    : [`${tokens(facts)} of this app`, 'are', 'they keep'];
  if (!isPast)
    return `${they} ${are} not connected to the new API and ${are} refused from then on. Connect the app once, and ${it} working. The app itself needs no change.`;
  return `${they} ${are} not connected to the new API and ${are} refused since then. Connect the app once, and ${isOne(facts) ? 'it works' : 'they work'} again. The app itself needs no change.`;
}

function unusedWords(facts: Facts): string {
  const { reader } = facts.app;
  const end = endOf(facts);
  const off = 'If you do not need it, turn it off: nobody can use it then.';
  if (end === undefined || end.at <= reader.now) return `${off} If you do need it, connect the app instead.`;
  const stops = `${stopWords(end.at, reader)} (${dayWords(end.at, reader)})`;
  return `${off} If you do need it, connect the app instead: otherwise it ${stops}.`;
}

const withoutDate = (facts: Facts) =>
  `${tokens(facts)} of this app ${isOne(facts) ? 'is' : 'are'} not connected to the new API. Connect the app once, so that it keeps working.`;

/** What the date brings that the reminder counts down to, or else the one that ends the waiting tokens. */
function dateWords(facts: Facts, due: Due): string {
  const { reader, dates } = facts.app;
  const milestone = due.milestone === 'sunset' ? due.milestone : endOf(facts)?.milestone;
  if (milestone === undefined) return withoutDate(facts);
  const isPast = (dates[milestone]?.at ?? Infinity) <= reader.now;
  if (milestone === 'retirement') return retirementWords(facts, isPast);
  return isPast ? SUNSET_PAST : SUNSET_AHEAD;
}

function explanationOf(facts: Facts, due: Due): string {
  const kind = kindOf(due, facts.app.reader);
  if (kind === 'unused') return unusedWords(facts);
  if (kind === 'died') return 'Its calls are refused. Connect it once more and they are answered again.';
  return dateWords(facts, due);
}

/** The sunset, where the mail is about something else that comes before it. */
function laterWords({ app: { dates, reader } }: Facts, due: readonly Due[]): Block[] {
  const { sunset } = dates;
  const isTold = due.some(({ milestone, stage }) => milestone === 'sunset' && stage !== 'unused');
  if (!sunset || sunset.at <= reader.now || isTold) return [];
  const text = `Later, on ${dayWords(sunset.at, reader)}, the old API ends for every app, connected or not. Whoever makes this app has to move it to the new API by then.`;
  return [{ kind: 'note', text }];
}

function whyWords({ app: { reader } }: Facts, due: Due): string {
  const why: Record<Kind, () => string> = {
    died: () => 'its connection has ended, and the app was in use in the last 30 days.',
    past: () => 'the date has come, and the app was in use in the last 30 days without being connected.',
    ahead: () => {
      const days = daysUntil(due.at ?? 0, reader);
      const left = days === 0 ? 'the date is today' : `the date is ${countWords(days, 'day')} away`;
      return `${left}, and the app was in use in the last 30 days without being connected.`;
    },
    woken: () => 'it was used again after at least 30 days without a call.',
    unused: () => 'it is not connected and was not used. This is the only mail about that.',
  };
  return `Why this comes now: ${why[kindOf(due, reader)]()}`;
}

async function buttons({ app, isUnproven }: Facts, kind: Kind): Promise<Block[]> {
  const { name, clientId, links, reader, dates } = app;
  const to = (aim: 'connect' | 'revoke' | 'app') => links.to(aim, clientId, isUnproven);
  if ((dates.sunset?.at ?? Infinity) <= reader.now)
    return [{ kind: 'button', isQuiet: true, link: { label: 'See the app', href: await to('app') } }];
  const connect = { label: `Connect “${name}”`, href: await to('connect') };
  if (kind !== 'unused') return [{ kind: 'button', isQuiet: false, link: connect }];
  return [
    { kind: 'button', isQuiet: false, link: { label: 'Turn it off now', href: await to('revoke') } },
    { kind: 'button', isQuiet: true, link: connect },
  ];
}

/** The blocks of one app for its holder. */
export async function holderBlocks(facts: Facts): Promise<Block[]> {
  const { app, isUnproven } = facts;
  const due = byUrgency(facts.due, app.reader);
  const [chief] = due;
  if (!chief) return [];
  const kind = kindOf(chief, app.reader);
  return [
    ...due.map((one): Block => ({ kind: 'status', text: statusOf(facts, one) })),
    { kind: 'text', text: explanationOf(facts, chief) },
    ...(await buttons(facts, kind)),
    ...(isUnproven ? [SIGN_IN] : []),
    ...callBlocks(facts),
    ...laterWords(facts, due),
    ...extensionBlocks(app),
    ...(kind === 'ahead' || kind === 'woken' ? brownoutBlocks(app) : []),
    { kind: 'note', text: whyWords(facts, chief) },
  ];
}
