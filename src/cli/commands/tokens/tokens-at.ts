import type { Context } from '../../../domain/context.ts';
import {
  aheadWords,
  causeThen,
  knownWords,
  chainWords,
  stateThen,
} from '../../../domain/support/past/past-words.ts';
import { type TokenPast, tokenAt } from '../../../domain/support/past/token-at.ts';
import type { TokenSearchRow } from '../../../domain/support/find-tokens.ts';
import { isoMoment, momentText } from '../../../shared/moments.ts';
import { printable } from '../dates/moment-option.ts';
import type { Result } from '../result.ts';

/** `tokens find QUERY --at MOMENT`: how the found tokens stood at a past moment. */

type Row = TokenSearchRow['row'];

const hintOf = ({ hint_first: first, hint_last: last }: Row) =>
  first === null ? null : `1/${first}…${last}`;

const isoOrNull = (at: number | undefined) => (at === undefined ? null : isoMoment(at));

const NOTHING_KNOWN = {
  state: null,
  since: null,
  client_id: null,
  account_id: null,
  grant_id: null,
  cause: null,
};

function tokenJson({ token }: TokenPast) {
  if (!token) return NOTHING_KNOWN;
  return {
    state: token.state ?? null,
    since: isoMoment(token.since),
    client_id: token.clientId,
    account_id: token.accountId,
    grant_id: token.grantId,
    cause: token.cause,
  };
}

function jsonOf(row: Row, past: TokenPast) {
  const { first, proof } = past;
  return {
    mapping_id: row.id,
    hint: hintOf(row),
    at: isoMoment(past.at),
    ...tokenJson(past),
    grant: past.grant ?? null,
    known_since: isoOrNull(first?.at),
    known_from_beginning: first?.isBeginning ?? false,
    proven: proof.wrong.length === 0,
    entries: proof.entries,
    entries_waiting: proof.waiting,
    entries_refused: proof.wrong.map(({ id, at }) => ({ id, at: isoMoment(at) })),
  };
}

function thenLines(past: TokenPast): string[] {
  const { token, grant } = past;
  if (!token) return [];
  const cause = causeThen(past);
  const grantWords =
    token.grantId === null
      ? 'none'
      : `${token.grantId} (${grant ?? 'the history does not tell how it stood'})`;
  return [
    `    app ${token.clientId ?? 'not named in the history'}`,
    `    account ${token.accountId ?? 'not named in the history'}`,
    `    grant ${grantWords}`,
    ...(cause === undefined ? [] : [`    cause: ${cause}`]),
  ];
}

function linesOf(row: Row, past: TokenPast): string[] {
  const since = past.token ? `, since ${momentText(past.token.since)}` : '';
  const ahead = aheadWords(past);
  return [
    `${row.id}  ${hintOf(row) ?? 'first and last characters not known'}  at ${momentText(past.at)}: ${stateThen(past)}${since}`,
    ...(ahead === undefined ? [] : [`    ${ahead}`]),
    ...thenLines(past),
    `    ${knownWords(past)}`,
    `    ${chainWords(past)}`,
  ].map(printable);
}

/** The found tokens as they stood. Fails where no token was found, and where the chain refuses an entry. */
export async function pastOfTokens(
  context: Pick<Context, 'store' | 'vault' | 'clock'>,
  rows: readonly Row[],
  at: number,
): Promise<Result> {
  const pasts: TokenPast[] = [];
  for (const { id } of rows) pasts.push(await tokenAt(context, id, at));
  const told = rows.flatMap((row, index) => linesOf(row, pasts[index] as TokenPast));
  const json = rows.map((row, index) => jsonOf(row, pasts[index] as TokenPast));
  const isProven = pasts.every(({ proof }) => proof.wrong.length === 0);
  return {
    ok: rows.length > 0 && isProven,
    lines: rows.length > 0 ? told : ['No token was found.'],
    json: { tokens: json },
  };
}
