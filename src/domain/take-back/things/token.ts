import { findApp } from '../../../store/apps/apps.ts';
import { findGrant, findLiveGrant } from '../../../store/grants/grants.ts';
import { wasReplayedSince } from '../../../store/history/deeds.ts';
import { hasHappenedSince } from '../../../store/history/entries-of-pair.ts';
import { readLeaks } from '../../../store/leaks/leaked-tokens.ts';
import {
  hasOthersOn,
  readTokenPlace,
  restoreTokenPlace,
  type TokenPlace,
} from '../../../store/tokens/token-places.ts';
import type { TokenWas } from '../../tokens/token-deed.ts';
import { CHANGED, type PartScope, readThing, type ThingRules } from './thing.ts';

/** A token: it stands where it was left, and what served it before serves still. */

const wasOf = ({ part }: Pick<PartScope, 'part'>) => readThing(part.was) as TokenWas;
const leftOf = ({ part }: Pick<PartScope, 'part'>) => readThing(part.left_as) as TokenPlace;

const placeOf = (was: TokenWas): TokenPlace => {
  const { live_grant: ofPair, ...place } = was;
  return ofPair === undefined ? was : place;
};

const isSame = (one: TokenPlace, other: TokenPlace): boolean =>
  (Object.keys(one) as Array<keyof TokenPlace>).every((column) => one[column] === other[column]);

const NOW_IN: Readonly<Record<TokenPlace['state'], string>> = {
  revoked: 'The token was revoked since.',
  migrated: 'Its app has taken the connection over since.',
  active: 'The token was connected since.',
  reauthorization_required: 'Its connection has ended since.',
  unmapped: CHANGED,
};

/** What came in between, as far as the token shows it. */
async function whatCame(scope: PartScope): Promise<string | undefined> {
  const { db, part } = scope;
  const [left, now] = [leftOf(scope), await readTokenPlace(db, part.subject)];
  if (!now) return CHANGED;
  if (isSame(left, now)) return undefined;
  if (now.state !== left.state) return NOW_IN[now.state];
  if (now.client_id !== left.client_id) return 'The token was assigned otherwise since.';
  if (now.account_id !== left.account_id) return 'The token has another account since.';
  return now.grant_id === left.grant_id ? CHANGED : 'The account was connected anew since.';
}

/** A token that others have seen or may have is never made to work again. What revokes a token leaves a revoked one as it is. */
async function whyNotSafe({ db, part }: PartScope): Promise<string | undefined> {
  if ((await readLeaks(db, [part.subject])).has(part.subject)) return 'The token was reported as leaked.';
  return (await wasReplayedSince(db, part.subject, part.entry_id))
    ? 'The code that the token was made from was used a second time since.'
    : undefined;
}

async function whyNoGrant({ db }: PartScope, was: TokenWas): Promise<string | undefined> {
  const live = await findLiveGrant(db, was.client_id, was.account_id ?? '');
  if ((live?.id ?? null) === was.live_grant) return undefined;
  if (live) return 'The account was connected anew since.';
  const grant = await findGrant(db, was.live_grant ?? '');
  return grant?.dead_cause === 'handed_over'
    ? 'The app has taken over the connection since that served it.'
    : 'The connection that served it has ended since.';
}

/** Whether what the token goes back to is still there: its app, its account's consent, its connection. */
async function whyNoWayBack(scope: PartScope): Promise<string | undefined> {
  const { db, part } = scope;
  const was = wasOf(scope);
  if (!(await findApp(db, was.client_id))) return 'The app that it goes back to is retired.';
  if (was.account_id === null) return undefined;
  const parted = { clientId: was.client_id, accountId: was.account_id, action: 'deauthorized' };
  // Its holder, or the app for its holder, wanted an end. Nobody else takes that back.
  if (await hasHappenedSince(db, parted, part.entry_id))
    return 'The access of the app to the account was ended since.';
  return whyNoGrant(scope, was);
}

/** A grant that serves no token ends with its last token, and the new API is told. That would be lost. */
async function whyNotLeave(scope: PartScope): Promise<string | undefined> {
  const { db, part } = scope;
  const [was, left] = [wasOf(scope), leftOf(scope)];
  if (left.state !== 'active' || left.grant_id === null || left.grant_id === was.grant_id) return undefined;
  return (await hasOthersOn(db, left.grant_id, part.subject))
    ? undefined
    : 'No other token uses the connection on which it works now, so that connection would end.';
}

/** The rules of tokens. */
export const tokenRules: ThingRules = {
  async whyNot(scope) {
    const unsafe = scope.deed.kind === 'revoke' ? await whyNotSafe(scope) : undefined;
    return unsafe ?? (await whatCame(scope)) ?? (await whyNoWayBack(scope)) ?? whyNotLeave(scope);
  },
  restore: (scope) =>
    restoreTokenPlace(scope.db, scope.part.subject, { left: leftOf(scope), was: placeOf(wasOf(scope)) }),
  subject(part) {
    const was = readThing(part.was) as TokenWas;
    const { client_id: clientId, account_id: accountId, grant_id: grantId } = was;
    return { clientId, accountId, grantId, mappingId: part.subject };
  },
};
