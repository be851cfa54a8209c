import { programWords } from '../../../domain/usage/calls-of.ts';
import {
  type CountedDays,
  gapWords,
  noneSentences,
  sentencesOf,
} from '../../../domain/usage/counted-days.ts';
import type { MigrationProgress } from '../../../domain/handover/migration-checklist.ts';
import { counted, formatNumber } from '../../wording/words.ts';
import {
  type ChecklistInput,
  type ChecklistPage,
  type ChecklistStep,
  sumOf,
  enterClient,
} from './checklist-step.ts';
import { handOverStep } from './hand-over-step.ts';

/**
 * The migration checklist of an app in words. Each step states the numbers that decide about it, and the next action.
 */

/** Clients that the app used before. Connections can still be handed over to these clients. */
function formerOf({ former = [] }: ChecklistInput['grants']) {
  const names = former.map(({ id }) => id).join(' and ');
  return { names, are: former.length === 1 ? 'was' : 'were', connections: sumOf(former) };
}

/** Where people connect once the old API has ended. */
export const CONNECT_THERE =
  'The old API has ended: people connect at the new API with the app’s own client there.';

/** The consequence of a missing client, for new connections and for existing connections. */
function noClientWords({ grants, phase }: ChecklistInput): string {
  const { names, are, connections } = formerOf(grants);
  if (connections === 0)
    return phase === 'ended'
      ? CONNECT_THERE
      : 'No client is entered. People connect with the client of this service, and such connections cannot be handed over.';
  return `${phase === 'ended' ? CONNECT_THERE : 'No client is entered for new connections.'} ${grants.isPart ? 'At least ' : ''}${counted(connections, 'connection')} can still be handed over to ${names}, which ${are} used before.`;
}

function ownClient(facts: ChecklistInput): ChecklistStep {
  const { client, phase } = facts;
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
    evidence: noClientWords(facts),
    next:
      phase === 'ended'
        ? undefined
        : enterClient(facts, {
            text: 'Register a client in your account settings at the new API, then enter it here.',
            label: 'Enter the own client',
          }),
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

/** The four steps of the checklist, in the order in which they can be done: calls fall to zero after the hand-over. */
export function checklist(
  moved: MigrationProgress,
  { home, phase, hasOldApi }: ChecklistPage,
): ChecklistStep[] {
  const facts = { ...moved, home, phase, hasOldApi };
  return [ownClient, usersMapped, handOverStep, oldCalls].map((step) => step(facts));
}

const STEP_STATES: Readonly<Record<ChecklistStep['state'], { label: string; kind: 'ok' | 'warning' }>> = {
  done: { label: 'done', kind: 'ok' },
  partly: { label: 'partly done', kind: 'warning' },
  open: { label: 'not yet', kind: 'warning' },
};

/** The state of a step as a badge. After the sunset a step without a task is never done any more. */
export function stepBadge({ state, next }: ChecklistStep, phase: ChecklistPage['phase']) {
  const isMissed = phase === 'ended' && state !== 'done' && next === undefined;
  return isMissed ? { label: state === 'partly' ? 'partly done' : 'not done', kind: '' } : STEP_STATES[state];
}

/** The step that comes next: the first that is not done and that somebody can do. */
export const nextStep = (steps: readonly ChecklistStep[]): ChecklistStep | undefined =>
  steps.find(({ next }) => next !== undefined);

/** Whether the old API has ended for the app, and nobody can do any of the steps that are left. */
export const isTooLate = (steps: readonly ChecklistStep[], phase: ChecklistPage['phase']): boolean =>
  phase === 'ended' && nextStep(steps) === undefined && steps.some(({ state }) => state !== 'done');

/** Whether the app took a connection over. Without one all steps can be done, for an app that nobody uses. */
export const hasTakenOver = ({ tokens, handovers }: MigrationProgress): boolean =>
  tokens.migrated > 0 || handovers.handed > 0;
