import type { MappingState } from '../../../store/tables/tables.ts';
import { momentText } from '../../../shared/moments.ts';
import { whyTokenEnded } from '../../tokens/standing/ends.ts';
import type { TokenPast } from './token-at.ts';

/** How a token stood, in words for the command and for the page of support. */

const STATES: Readonly<Record<MappingState, string>> = {
  unmapped: 'waiting',
  active: 'connected',
  reauthorization_required: 'stopped',
  revoked: 'revoked',
  migrated: 'moved',
};

/** What happened at the first entry. */
const FIRST: Readonly<Record<string, string>> = {
  token_imported: 'it was imported',
  token_observed: 'it was first seen in use',
  token_issued: 'it was issued',
};

/** The state in words. */
export function stateThen({ token }: TokenPast): string {
  if (!token) return 'not known';
  return token.state === undefined ? 'the history does not tell' : STATES[token.state];
}

/** Why it stood so. */
export const causeThen = ({ token }: TokenPast): string | undefined =>
  token?.cause ? (whyTokenEnded(token.cause) ?? token.cause) : undefined;

/** From when the history knows the token, and what it cannot tell. */
export function knownWords({ first, at, token, isTooLong }: TokenPast): string {
  if (isTooLong) return 'More entries change this token than are read here, so nothing is told.';
  if (!first) return 'The history has no entry that tells how this token stood.';
  const from = momentText(first.at);
  const since = `The history knows this token from ${from} on`;
  if (!first.isBeginning)
    return `${since}. How the token came is not among its entries: they are gone, or older than the history. So what no entry says is not known.`;
  const how = FIRST[first.action] ?? 'it became known';
  if (token || at >= first.at) return `${since}, when ${how}.`;
  return first.action === 'token_issued'
    ? `${since}, when ${how}. Before that it did not exist.`
    : `${since}, when ${how}. Before that it may have been in use at the old API.`;
}

const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`;
const entriesWords = (count: number) => counted(count, 'entry').replace('entrys', 'entries');

/** Whether the chain proves what is told. */
export function chainWords({ proof: { entries, waiting, wrong } }: TokenPast): string {
  if (wrong.length > 0) {
    const named = wrong.map(({ id, at }) => `id ${id}, ${momentText(at)}`).join('; ');
    return `NOT PROVEN: the chain refuses ${entriesWords(wrong.length)} about this token (${named}). They were left out. Run: grantbridge history verify`;
  }
  if (entries === 0) return 'No entry was needed.';
  const said = `The chain proves the ${entriesWords(entries)} that were used`;
  if (waiting === 0) return `${said}. Whether an entry is gone, history verify tells.`;
  return `${said}; ${waiting} of them ${waiting === 1 ? 'waits' : 'wait'} to be chained. Whether an entry is gone, history verify tells.`;
}

/** A moment that has not come. */
export const aheadWords = ({ isAhead }: TokenPast): string | undefined =>
  isAhead ? 'This moment has not come. What follows is the newest state.' : undefined;
