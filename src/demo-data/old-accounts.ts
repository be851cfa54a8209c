import { newHexId } from '../shared/ids.ts';
import { CAMPAIGN } from './apps.ts';
import { type SeededPair, layPairs } from './life.ts';
import { oldProfiles } from './old-profiles.ts';
import { DEMO_PEOPLE } from './people.ts';
import { demoPairs } from './tokens.ts';

/** What the old API of the demo knows: everybody who holds one of its tokens. */

interface OldPerson {
  id: string;
  name: string;
  email: string;
  timezone: string;
}

const PEOPLE: ReadonlyMap<string, OldPerson> = new Map(
  Object.values(DEMO_PEOPLE).map(({ accountId, ...said }) => [accountId, { id: accountId, ...said }]),
);

/** The holder of these tokens. Of some, the bridge knows an address or an id of the old API alone. */
function holderOf({ accountId, email, legacyAccountId }: SeededPair): OldPerson {
  const known = accountId === null ? undefined : PEOPLE.get(accountId);
  if (known) return known;
  const address = email ?? 'nobody@old-times.example';
  return { id: legacyAccountId ?? newHexId(), name: address, email: address, timezone: 'UTC' };
}

const CREATED = Math.floor(Date.parse('2016-04-11T08:12:31Z') / 1000);

const userOf = ({ id, name, email, timezone }: OldPerson) => ({
  id,
  _id: id,
  created_at: CREATED,
  email,
  name,
  plan: 'free',
  secret_email: email,
  timezone,
});

/** The accounts with their tokens. `clientId` is the demo integration's. */
export function oldAccounts({ clientId }: { clientId: string }, now: number) {
  const tokens = new Map<OldPerson, string[]>();
  for (const pair of layPairs(demoPairs(clientId), now)) {
    const holder = holderOf(pair);
    tokens.set(holder, [...(tokens.get(holder) ?? []), ...pair.tokens.map(({ token }) => token)]);
  }
  return [...tokens].map(([person, theirs]) => ({
    tokens: theirs,
    user: userOf(person),
    profiles: oldProfiles(person.id, person.name),
  }));
}

const isDanasCampaign = ({ clientId, accountId }: SeededPair) =>
  clientId === CAMPAIGN.clientId && accountId === DEMO_PEOPLE.dana.accountId;

/** A token of the demo account that waits for its consent: until the retirement of its app the old API answers it. */
export function passedToken(): { clientId: string; token: string } {
  const token = layPairs(demoPairs(''), 0).find(isDanasCampaign)?.tokens[0]?.token;
  if (token === undefined) throw new Error('the demo has no token that waits');
  return { clientId: CAMPAIGN.clientId, token };
}
