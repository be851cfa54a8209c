import type { Request } from 'express';
import {
  aheadWords,
  causeThen,
  knownWords,
  chainWords,
  stateThen,
} from '../../../domain/support/past/past-words.ts';
import { type TokenPast, tokenAt } from '../../../domain/support/past/token-at.ts';
import { DAY } from '../../../shared/lifetimes.ts';
import { dayOf, MOMENT_FORM, readMoment } from '../../../shared/moments.ts';
import type { HttpSupportDeps } from '../deps.ts';

/** The card of a token that asks for a past moment, and tells how the token stood then (`?at=`). */

/** What a person typed is shown again, and is no longer than a moment can be. */
const TYPED_MAX = 40;

const typedIn = ({ query }: Request): string => {
  const { at } = query;
  return typeof at === 'string' ? at.trim().slice(0, TYPED_MAX) : '';
};

function shownPast(past: TokenPast) {
  const { token, proof } = past;
  return {
    at: past.at,
    ahead: aheadWords(past),
    state: stateThen(past),
    since: token?.since,
    clientId: token?.clientId,
    appHref: token?.clientId ? `/support/apps/${encodeURIComponent(token.clientId)}` : undefined,
    accountId: token?.accountId,
    accountHref: token?.accountId ? `/support/accounts/${encodeURIComponent(token.accountId)}` : undefined,
    grantId: token?.grantId,
    grant: past.grant ?? 'the history does not tell how it stood',
    cause: causeThen(past),
    isKnown: token !== undefined,
    known: knownWords(past),
    proof: chainWords(past),
    isProven: proof.wrong.length === 0,
  };
}

/** The data of the template `support-past`. */
export async function pastCard(context: HttpSupportDeps, req: Request, mappingId: string) {
  const typed = typedIn(req);
  const at = readMoment(typed);
  const isAsked = req.query['at'] !== undefined && (typed !== '' || typeof req.query['at'] !== 'string');
  return {
    action: `/support/mappings/${encodeURIComponent(mappingId)}`,
    typed,
    example: dayOf(context.clock.now() - 30 * DAY),
    problem: isAsked && at === undefined ? `The moment ${MOMENT_FORM}.` : undefined,
    shown: at === undefined ? undefined : shownPast(await tokenAt(context, mappingId, at)),
  };
}
