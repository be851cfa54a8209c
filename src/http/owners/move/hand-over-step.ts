import { sentencesOf, type TimedWords } from '../../../domain/usage/counted-days.ts';
import { counted, formatNumber } from '../../wording/words.ts';
import { type ChecklistInput, type ChecklistStep, sumOf, enterClient } from './checklist-step.ts';

/** The step of the checklist about hand-overs, in words. */

const SECRET_RETIRED =
  'its secret was retired, and hand-overs to it wait until it is entered with a new one.';

/** Which connections go to which client, each of which takes its own connections alone. */
function takerWords({ own, former = [] }: ChecklistInput['grants']): string {
  const present = own > 0 ? [`${formatNumber(own)} to the app’s own client`] : [];
  const before = former.map(({ id, connections }) => `${formatNumber(connections)} to ${id} (used before)`);
  return [...present, ...before].join(', ');
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
  if (able === 0) {
    const none = all === 1 ? 'The one connection was not' : `None of ${looked} was`;
    return `${none} made with the app’s own client. Only such connections can be handed over.`;
  }
  return `${formatNumber(able)} of ${looked} can be handed over now: ${takerWords(grants)}.`;
}

function handedWords({ handed, confirmed, lost, isPart }: ChecklistInput['handovers']): string {
  const words = isPart
    ? `Of the first ${counted(handed, 'connection')} handed over ${formatNumber(confirmed)} are confirmed by the app.`
    : `${counted(handed, 'connection')} handed over, ${formatNumber(confirmed)} confirmed by the app.`;
  if (lost === 0) return words;
  const [was, its, has] =
    lost === 1 ? ['was', 'its', 'its holder has'] : ['were', 'their', 'their holders have'];
  return `${words} ${formatNumber(lost)} ${was} not confirmed within seven days, so ${its} new tokens were erased here. If the app has lost them, ${has} to connect again.`;
}

/** How many hand-overs the app has still to confirm, since when and until when; empty where none is. */
export function awaitedWords({
  awaited,
  awaitedSince,
  awaitedUntil,
  isAwaitedPart = false,
}: ChecklistInput['handovers']): TimedWords {
  if (awaited === 0 || awaitedSince === undefined || awaitedUntil === undefined) return [];
  const [is, first] = awaited === 1 ? ['is', 'it was'] : ['are', 'the first was'];
  return [
    `${isAwaitedPart ? 'At least ' : ''}${counted(awaited, 'hand-over')} ${is} not confirmed yet: ${first} handed over `,
    awaitedSince,
    '. This service keeps a copy of its new tokens until ',
    awaitedUntil,
    '.',
  ];
}

function handOverEvidence({ tokens, grants, handovers, phase }: ChecklistInput): string | TimedWords {
  const { handed } = handovers;
  const done: TimedWords[] = [handed > 0 ? [handedWords(handovers)] : [], awaitedWords(handovers)];
  if (tokens.active === 0) return handed === 0 ? 'No connection is here to hand over.' : sentencesOf(...done);
  const kept = phase === 'ended' ? 'connected' : 'answered by this service';
  const left = `${counted(tokens.active, 'token')} ${tokens.active === 1 ? 'is' : 'are'} still ${kept}.`;
  return sentencesOf(...done, [left], [ableWords(grants)]);
}

const EXCHANGE =
  'The app exchanges one old token of each account for the connection behind it. All old tokens that the app has for that account stop working with it.';

const CONFIRM = 'Confirm each one within seven days, once the app has stored the new tokens.';

const LOST =
  'If the app has stored the new tokens, let it confirm even now, so that this list ends. If not, people connect once more from the app, and the app takes the new connections over. After the sunset they connect at the new API itself.';

/** How the app gets the remaining connections. After the sunset no person connects from the app any more. */
function takeOverWords({ client, grants, phase }: ChecklistInput): string | undefined {
  const able = grants.own + sumOf(grants.former ?? []);
  if (phase === 'ended') return able > 0 ? EXCHANGE : undefined;
  if (grants.all === able || !client) return EXCHANGE;
  return 'People who connected before the own client was entered connect once more from the app.';
}

/** Whether nothing but hand-overs is left that nobody confirmed in time. */
const areOnlyLost = ({ handovers, tokens }: ChecklistInput) => handovers.lost > 0 && tokens.active === 0;

const isToConfirm = (facts: ChecklistInput) => facts.handovers.awaited > 0 || areOnlyLost(facts);

/** What has to be entered before connections can be handed over. After the sunset nobody connects by a new client. */
function clientNext(facts: ChecklistInput): ChecklistStep['next'] {
  const { client, grants, phase } = facts;
  if (!client && phase !== 'ended' && sumOf(grants.former ?? []) === 0 && !isToConfirm(facts))
    return enterClient(facts, { text: 'Enter the app’s own client first.', label: 'Enter the own client' });
  if (grants.isRefused && grants.own > 0)
    return enterClient(facts, { text: 'Enter the client with a new secret.', label: 'Enter the new secret' });
  return undefined;
}

function handOverNext(facts: ChecklistInput): ChecklistStep['next'] {
  const { handovers, home } = facts;
  const enter = clientNext(facts);
  if (enter) return enter;
  // What is not confirmed is erased on a day, so it comes before connections that are still here.
  if (isToConfirm(facts))
    return {
      text: handovers.awaited > 0 ? CONFIRM : LOST,
      label: 'How to confirm',
      href: `${home}/move#hand-over`,
    };
  const text = facts.tokens.active === 0 ? undefined : takeOverWords(facts);
  return text === undefined
    ? undefined
    : { text, label: 'How to take one over', href: `${home}/move#hand-over` };
}

function todoOf(facts: ChecklistInput): string {
  if (facts.handovers.awaited > 0) return 'Confirm what the app has taken over';
  return areOnlyLost(facts) ? 'Confirm what the app has stored' : 'Take the connections over';
}

/** The step in which the connections are handed over to the app. */
export function handOverStep(facts: ChecklistInput): ChecklistStep {
  const { tokens, handovers } = facts;
  const isLeft = tokens.active + tokens.waiting + handovers.awaited + handovers.lost > 0;
  const isDone = !isLeft && (handovers.handed > 0 || facts.client !== undefined);
  return {
    id: 'handed-over',
    name: 'Hand-over',
    title: 'The connections are handed over to the app',
    todo: todoOf(facts),
    state: isDone ? 'done' : handovers.handed > 0 ? 'partly' : 'open',
    evidence: handOverEvidence(facts),
    details: [],
    next: isDone ? undefined : handOverNext(facts),
  };
}
