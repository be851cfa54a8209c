import type { CallSum } from '../../../store/usage/call-sums.ts';
import { type CallSummary, carrierWords, programWords } from '../../usage/calls-of.ts';
import { gapWords, noneWords, textOfWords } from '../../usage/counted-days.ts';
import { type AppDate, changesCalls } from '../../lifecycle/lifecycle.ts';
import type { AppPart } from '../people.ts';
import { type LetterApp, CALLS_WITHIN_DAYS, type RoleFacts } from './about-app.ts';
import type { LetterBlock, CallLine } from './content.ts';
import { letterCountWords, letterDayWords, localWords, letterNumberWords, windowWords } from './moments.ts';
import { plainWords } from './plain.ts';

/** The blocks that holder and owner share: calls in use, extensions and brownouts. */

const KINDS_MAX = 5;
const WINDOWS_MAX = 3;

const agentWords = (userAgent: string) => plainWords(programWords(userAgent));

function callLine({ endpoint, carrier, user_agent, calls }: CallSum): CallLine {
  return {
    endpoint: plainWords(endpoint),
    how: `by ${agentWords(user_agent)}, token in ${carrierWords(carrier)}`,
    calls: letterNumberWords(calls),
  };
}

function moreWords({ kinds, isCut }: CallSummary): string {
  const rest = kinds.slice(KINDS_MAX);
  if (rest.length === 0) return '';
  const calls = rest.reduce((sum, kind) => sum + kind.calls, 0);
  return `and ${isCut ? 'at least ' : ''}${letterCountWords(rest.length, 'more kind')} of calls, ${letterCountWords(calls, 'call')} together`;
}

/** The day of the last use is known for longer than single calls, and calls may be lost. */
function lastWords({ calls, part, counted, app: { reader } }: RoleFacts<AppPart>): string {
  const last = calls?.last;
  if (last) return `The last call was on ${localWords(last.at, reader)}, by ${agentWords(last.userAgent)}.`;
  if (part.lastUsedAt !== undefined) return `The last use was on ${letterDayWords(part.lastUsedAt, reader)}.`;
  return calls && !counted.isPartial ? 'No call was ever seen.' : '';
}

/** The calls; nothing where no call is known of days of which nobody knows whether they were counted. */
function tableOf(calls: CallSummary, facts: RoleFacts<AppPart>, title: string): LetterBlock[] {
  const { kinds, last } = calls;
  const { part, counted, app } = facts;
  if (kinds.length > 0)
    return [{ kind: 'calls', title, calls: kinds.slice(0, KINDS_MAX).map(callLine), more: moreWords(calls) }];
  // The tokens were used, but their calls are no longer known.
  const isLost = !last && part.lastUsedAt !== undefined;
  if (isLost || (counted.isPartial && counted.since === undefined)) return [];
  const none = noneWords(`No call${toOldApi(part)} came`, counted);
  return [{ kind: 'text', text: `${textOfWords(none, (at) => localWords(at, app.reader))}.` }];
}

const UNSAFE =
  'Some calls send the token in the address, where logs keep it: the app should send it in the Authorization header.';

const toOldApi = ({ role }: AppPart) => (role === 'owner' ? ' to the old API' : '');

/** The calls that were seen, the last call, and a warning about tokens in addresses. */
export function callBlocks(facts: RoleFacts<AppPart>): LetterBlock[] {
  const { calls, part, ofTokens, counted, app } = facts;
  const all = counted.isPartial ? ', at least these' : '';
  const some = ofTokens === undefined ? all : `, of the ${letterNumberWords(ofTokens)} tokens used last`;
  const title = `Calls${toOldApi(part)} in the last ${CALLS_WITHIN_DAYS} days${some}`;
  const unread: LetterBlock = {
    kind: 'text',
    text: `${title}: they could not be read when this mail was written.`,
  };
  const isUnsafe = calls?.kinds.some(({ carrier }) => carrier === 'query') === true;
  const isGap = ofTokens === undefined && (calls?.kinds.length ?? 0) > 0;
  const gap = isGap ? textOfWords(gapWords(counted), (at) => localWords(at, app.reader)) : '';
  const said = [gap, lastWords(facts), isUnsafe ? UNSAFE : ''].filter((text) => text !== '');
  return [
    ...(calls ? tableOf(calls, facts, title) : [unread]),
    ...said.map((text): LetterBlock => ({ kind: 'text', text })),
  ];
}

/** The last use alone: a holder does not know the names of calls. */
export function lastUseBlocks(facts: RoleFacts<AppPart>): LetterBlock[] {
  const text = lastWords(facts);
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** The first is the one warning of a card, the others are told below it in plain text. */
export const warnings = (texts: readonly string[]): LetterBlock[] =>
  texts.map((text, index) => ({ kind: index === 0 ? 'status' : 'text', text }));

/** The note beside a button that proves an address. */
export const SIGN_IN: LetterBlock = {
  kind: 'note',
  text: 'If you are not signed in, you are asked to sign in first, with the account that has this e-mail address. Then open the link in this mail once more. Please do not forward this mail: for 24 hours its link shows that the address is yours. After that it leads you to a new one.',
};

/** The apps for which the old API ends at a sunset. An app with an extension ends alone. */
export function endsFor(sunset: AppDate | undefined): string {
  return sunset?.forOthers === undefined ? 'for every app' : 'for this app';
}

/** The note that this app has an extension, if the extension changes calls. */
export function extensionBlocks({ dates, hasOldBackend, reader }: LetterApp): LetterBlock[] {
  return dates.flatMap(({ milestone, at, forOthers }): LetterBlock[] => {
    if (forOthers === undefined || !changesCalls(milestone, hasOldBackend)) return [];
    const what = milestone === 'sunset' ? ' before the end of the old API' : '';
    const text = `This app was given more time${what}: until ${letterDayWords(at, reader)} instead of ${letterDayWords(forOthers, reader)}.`;
    return [{ kind: 'note', text }];
  });
}

/** The planned brownouts: in these windows, calls are refused as they will be after a date. */
export function brownoutBlocks(app: LetterApp): LetterBlock[] {
  const { brownouts, dates, exemptUntil, reader } = app;
  const exempt: LetterBlock[] =
    exemptUntil === undefined
      ? []
      : [
          {
            kind: 'note',
            text: `This app is left out of the short test outages (brownouts) until ${letterDayWords(exemptUntil, reader)}.`,
          },
        ];
  if (brownouts.length === 0) return exempt;
  const lines = brownouts.slice(0, WINDOWS_MAX).map(({ startsAt, endsAt, rehearses }) => ({
    text: `${windowWords(startsAt, endsAt, reader)}: ${rehearses === 'sunset' ? 'every call is refused' : 'tokens that are not connected are refused'}`,
  }));
  const more = brownouts.length - WINDOWS_MAX;
  const rest = more > 0 ? [{ text: `and ${letterNumberWords(more)} more` }] : [];
  const when = dates.some(({ at }) => at > reader.now) ? ' before that' : '';
  const title = `Short test outages (brownouts)${when}, to show what will fail`;
  return [...exempt, { kind: 'list', title, lines: [...lines, ...rest] }];
}
