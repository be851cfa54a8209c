import { programWords } from '../../../domain/usage/calls-of.ts';
import {
  type CountedDays,
  gapWords,
  noneSentences,
  sentencesOf,
  type TimedWords,
} from '../../../domain/usage/counted-days.ts';
import type { MigrationProgress } from '../../../domain/handover/migration-checklist.ts';
import type { OldApiStatus } from '../../../domain/lifecycle/old-api-status.ts';
import { counted, formatNumber } from '../../wording/words.ts';

/**
 * The migration checklist of an app in words. Each step states the numbers that decide about it, and the next action.
 */

export interface ChecklistStep {
  /** The id of its heading on the page. */
  id: string;
  /** In a list of all steps. */
  name: string;
  title: string;
  /** The title as a task. */
  todo: string;
  state: 'done' | 'partly' | 'open';
  /** Words, and times that the reader gets in their own form. */
  evidence: string | TimedWords;
  /** The programs that keep the step from being done, the most frequent callers first. */
  details: string[];
  /** Undefined where no task is left, and where no person can help. */
  next: { text: string; label: string; href: string } | undefined;
}

/** The page to which the steps link, and the phase of the old API. */
interface ChecklistPage extends Pick<OldApiStatus, 'phase' | 'hasOldApi'> {
  /** The address of the app's page. */
  home: string;
}

type ChecklistInput = MigrationProgress & ChecklistPage;

/** Clients that the app used before. Connections can still be handed over to these clients. */
function formerOf({ former = [] }: ChecklistInput['grants']) {
  const names = former.map(({ id }) => id).join(' and ');
  return { names, are: former.length === 1 ? 'was' : 'were', connections: sumOf(former) };
}

const sumOf = (former: NonNullable<ChecklistInput['grants']['former']>) =>
  former.reduce((sum, { connections }) => sum + connections, 0);

/** The consequence of a missing client, for new connections and for existing connections. */
function noClientWords(grants: ChecklistInput['grants']): string {
  const { names, are, connections } = formerOf(grants);
  if (connections === 0)
    return 'No client is entered. People connect with the client of this service, and such connections cannot be handed over.';
  return `No client is entered for new connections. ${grants.isPart ? 'At least ' : ''}${counted(connections, 'connection')} can still be handed over to ${names}, which ${are} used before.`;
}

function ownClient({ client, grants, home }: ChecklistInput): ChecklistStep {
  const step = {
    id: 'own-client',
    name: 'Own client',
    title: 'The app has its own client at the new API',
    todo: 'Enter the app’s own client at the new API',
    details: [],
  };
  if (client)
    return { ...step, state: 'done', evidence: `${client.id} is entered and was tested.`, next: undefined };
  return {
    ...step,
    state: 'open',
    evidence: noClientWords(grants),
    next: {
      text: 'Register a client in your account settings at the new API, then enter it here.',
      label: 'Enter the own client',
      href: `${home}/modern-client`,
    },
  };
}

/** The number of waiting tokens, and whether calls with waiting tokens are refused. After the sunset no token waits. */
function waitWords({ tokens: { waiting }, phase, hasOldApi }: ChecklistInput): string {
  const [wait, are] = waiting === 1 ? ['waits for its holder', 'is'] : ['wait for their holders', 'are'];
  if (phase === 'ended') return `${formatNumber(waiting)} ${are} not connected; the old API has ended.`;
  return `${formatNumber(waiting)} ${wait}${hasOldApi ? '' : ` and ${are} refused until then`}.`;
}

/** After the sunset connecting does not help any more. */
function connectNext({ home, phase }: ChecklistInput): ChecklistStep['next'] {
  if (phase === 'ended') return undefined;
  return {
    text: 'Send their holders to the page of the app, where they sign in and press “Connect”.',
    label: 'See which tokens wait',
    href: `${home}/tokens`,
  };
}

function usersMapped(facts: ChecklistInput): ChecklistStep {
  const { mapped, waiting } = facts.tokens;
  const all = mapped + waiting;
  const step = {
    id: 'users',
    name: 'Users',
    title: 'All users are connected',
    todo: 'Get all users connected',
    details: [],
  };
  const are = mapped === 1 ? 'is' : 'are';
  if (waiting === 0) {
    const evidence =
      all === 0
        ? 'No token waits, and none is in use.'
        : `${counted(mapped, 'token')} ${are} connected or moved, none waits.`;
    return { ...step, state: 'done', evidence, next: undefined };
  }
  return {
    ...step,
    state: mapped > 0 ? 'partly' : 'open',
    evidence: `${formatNumber(mapped)} of ${counted(all, 'token')} ${are} connected or moved. ${waitWords(facts)}`,
    next: connectNext(facts),
  };
}

/** At most this many kinds of calls are named. */
const NAMED = 3;

const STEP = {
  id: 'old-calls',
  name: 'Calls at zero',
  title: 'Old calls have fallen to zero',
  todo: 'Let your programs call the new API',
  details: [],
};

/** The step while no call is known. */
function noCalls(known: CountedDays, home: string): ChecklistStep {
  const { days, isPartial } = known;
  const evidence = sentencesOf(noneSentences('No call of the old API', known));
  if (!isPartial) return { ...STEP, state: 'done', evidence, next: undefined };
  const next = {
    text: `It is done when ${days} days have passed without a call.`,
    label: 'See all calls',
    href: `${home}/calls?days=${days}`,
  };
  return { ...STEP, state: 'open', evidence, next };
}

function oldCalls({ calls, home }: ChecklistInput): ChecklistStep {
  const { counted: known, total, kinds } = calls;
  const { days, isPartial } = known;
  if (total === 0) return noCalls(known, home);
  const details = kinds
    .slice(0, NAMED)
    .map(
      ({ endpoint, user_agent: agent, calls: n }) =>
        `${endpoint} by ${programWords(agent)}: ${isPartial ? 'at least ' : ''}${counted(n, 'call')}`,
    );
  return {
    ...STEP,
    state: 'open',
    evidence: sentencesOf(
      [
        `${isPartial ? 'At least ' : ''}${counted(total, 'call')} came to the old API in the last ${days} days.`,
      ],
      gapWords(known),
    ),
    details,
    next: {
      text: 'Let these programs call the new API; the examples below show how.',
      label: 'See all calls',
      href: `${home}/calls?days=${days}`,
    },
  };
}

const SECRET_RETIRED =
  'its secret was retired, and hand-overs to it wait until it is entered with a new one.';

/** Which clients the connections were made with that can be handed over. */
function madeWords({ own, former = [] }: ChecklistInput['grants']): string {
  if (former.length === 0) return 'made with the app’s own client';
  if (own > 0) return 'made with the app’s own clients';
  return `made with ${former.length === 1 ? 'a client' : 'clients'} that the app used before`;
}

/**
 * How many of the live connections can be handed over: those made with a present or former client of the app itself.
 */
function ableWords({ isRefused = false, ...grants }: ChecklistInput['grants']): string {
  const { all, own, former = [], isPart } = grants;
  const looked = `${isPart ? 'the first ' : ''}${counted(all, 'connection')}`;
  if (isRefused) {
    const held = `${formatNumber(own)} of ${looked} ${own === 1 ? 'was' : 'were'} made with the app’s own client: ${SECRET_RETIRED}`;
    return former.length === 0 ? held : `${held} ${ableWords({ ...grants, own: 0 })}`;
  }
  const able = own + sumOf(former);
  const made = madeWords(grants);
  if (able === 0) return `None of ${looked} was ${made}. Only such connections can be handed over.`;
  return `${formatNumber(able)} of ${looked} can be handed over now: ${able === 1 ? 'it was' : 'they were'} ${made}.`;
}

function handedWords({ handed, confirmed, lost, isPart }: ChecklistInput['handovers']): string {
  const words = isPart
    ? `Of the first ${counted(handed, 'connection')} handed over ${formatNumber(confirmed)} are confirmed by the app.`
    : `${counted(handed, 'connection')} handed over, ${formatNumber(confirmed)} confirmed by the app.`;
  if (lost === 0) return words;
  return `${words} ${formatNumber(lost)} ${lost === 1 ? 'was' : 'were'} not confirmed within seven days, so ${lost === 1 ? 'its' : 'their'} new tokens were erased here.`;
}

function handOverEvidence({ tokens, grants, handovers, phase }: ChecklistInput): string {
  const { handed } = handovers;
  const done = handedWords(handovers);
  if (tokens.active === 0) return handed === 0 ? 'No connection is here to hand over.' : done;
  const kept = phase === 'ended' ? 'connected' : 'answered by this service';
  const left = `${counted(tokens.active, 'token')} ${tokens.active === 1 ? 'is' : 'are'} still ${kept}.`;
  return [...(handed > 0 ? [done] : []), left, ableWords(grants)].join(' ');
}

const EXCHANGE = 'The app exchanges each old token for the connection behind it.';

const CONFIRM = 'Confirm each one within seven days, once the app has stored the new tokens.';

const LOST =
  'It is too late to confirm these. If the app has stored the new tokens, nothing is left to do. If not, people connect once more from the app, and the app takes the new connections over. After the sunset they connect at the new API itself.';

/** How the app gets the remaining connections. After the sunset no person connects from the app any more. */
function takeOverWords({ client, grants, phase }: ChecklistInput): string | undefined {
  const able = grants.own + sumOf(grants.former ?? []);
  if (grants.all === able || !client) return EXCHANGE;
  if (phase !== 'ended')
    return 'People who connected before the own client was entered connect once more from the app.';
  return able > 0 ? EXCHANGE : undefined;
}

function handOverNext(facts: ChecklistInput): ChecklistStep['next'] {
  const { client, grants, handovers, tokens, home } = facts;
  if (!client && sumOf(grants.former ?? []) === 0)
    return {
      text: 'Enter the app’s own client first.',
      label: 'Enter the own client',
      href: `${home}/modern-client`,
    };
  if (grants.isRefused && grants.own > 0)
    return {
      text: 'Enter the client with a new secret.',
      label: 'Enter the new secret',
      href: `${home}/modern-client`,
    };
  const isUnconfirmed = handovers.awaited + handovers.lost > 0 && tokens.active === 0;
  if (isUnconfirmed)
    return {
      text: handovers.awaited > 0 ? CONFIRM : LOST,
      label: 'How to confirm',
      href: `${home}/move#hand-over`,
    };
  const text = takeOverWords(facts);
  return text === undefined
    ? undefined
    : { text, label: 'How to take one over', href: `${home}/move#hand-over` };
}

function handOver(facts: ChecklistInput): ChecklistStep {
  const { tokens, handovers } = facts;
  const isLeft = tokens.active + tokens.waiting + handovers.awaited + handovers.lost > 0;
  const isDone = !isLeft && (handovers.handed > 0 || facts.client !== undefined);
  return {
    id: 'handed-over',
    name: 'Hand-over',
    title: 'The connections are handed over to the app',
    todo: 'Take the connections over',
    state: isDone ? 'done' : handovers.handed > 0 ? 'partly' : 'open',
    evidence: handOverEvidence(facts),
    details: [],
    next: isDone ? undefined : handOverNext(facts),
  };
}

/** The four steps of the checklist, in the order in which they can be done: calls fall to zero after the hand-over. */
export function checklist(
  moved: MigrationProgress,
  { home, phase, hasOldApi }: ChecklistPage,
): ChecklistStep[] {
  const facts = { ...moved, home, phase, hasOldApi };
  return [ownClient, usersMapped, handOver, oldCalls].map((step) => step(facts));
}

/** The state of a step as a badge. */
export const STEP_STATES: Readonly<
  Record<ChecklistStep['state'], { label: string; kind: 'ok' | 'warning' }>
> = {
  done: { label: 'done', kind: 'ok' },
  partly: { label: 'partly done', kind: 'warning' },
  open: { label: 'not yet', kind: 'warning' },
};

/** The step that comes next: the first that is not done and that somebody can do. */
export const nextStep = (steps: readonly ChecklistStep[]): ChecklistStep | undefined =>
  steps.find(({ next }) => next !== undefined);
