import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import type { MappingTarget } from '../../../domain/support/actions.ts';

/** Which actions make sense for what a page shows, as it stands at this moment, and who may do them. */

/** What the mapping page knows. */
export interface MappingFacts {
  mappingId: string;
  state: MappingTarget['state'];
  accountId: string | null;
  /** The address under which it waits while no account is known. */
  email: string | null;
  /** Whether a grant serves it. */
  hasGrant: boolean;
  /** Whether it belongs to an unidentified program (an observed app). */
  isUnidentified: boolean;
  /** Whether support may say which app it is. */
  isAssignable: boolean;
  isAppRetired: boolean;
  /** Whether the old API has ended for the app. */
  hasEnded: boolean;
}

/** What the app page knows. */
export interface AppFacts {
  clientId: string;
  isUnidentified: boolean;
  /** Whether an extension of either date is in force. */
  isExtended: boolean;
}

/** One action as a page offers it. */
export interface Action {
  name: string;
  /** What stands on its button. */
  label: string;
  href: string;
  /** One stands out on a page at most. */
  kind: 'primary' | 'plain' | 'danger';
  needs: StaffRole;
  /** Else only the name of the role is shown. */
  isAllowed: boolean;
}

type Offer = Omit<Action, 'isAllowed' | 'kind'> & { kind?: Action['kind']; makesSense: boolean };

function offered(role: StaffRole, offers: readonly Offer[]): Action[] {
  return offers
    .filter(({ makesSense }) => makesSense)
    .map(({ name, label, href, kind = 'plain', needs }) => {
      return { name, label, href, kind, needs, isAllowed: mayAct(role, needs) };
    });
}

/** Nothing makes a token of a retired app work, nor one of an app for which the old API has ended. */
const isWaiting = ({ state, isAppRetired, hasEnded }: MappingFacts) =>
  !isAppRetired && !hasEnded && (state === 'unmapped' || state === 'reauthorization_required');

/** Whether its holder is known by an address alone. */
const isOfAddress = ({ accountId, email }: MappingFacts) => accountId === null && email !== null;

const isOver = ({ state }: MappingFacts) => state === 'revoked' || state === 'migrated';

/** A token of an unidentified program needs its app before anything else; of others only a mistake is corrected. */
function assignOffer(facts: MappingFacts): Pick<Offer, 'kind' | 'makesSense'> {
  const isNext = facts.isUnidentified && !facts.hasEnded;
  return { kind: isNext ? 'primary' : 'plain', makesSense: !isOver(facts) && facts.isAssignable };
}

function mappingOffers(facts: MappingFacts): Offer[] {
  const at = (name: string) => ({ name, href: `/support/mappings/${facts.mappingId}/${name}` });
  const waits = isWaiting(facts);
  return [
    {
      ...at('link'),
      label: 'Make a link to connect again',
      // A connection does not come along to another app.
      kind: facts.isUnidentified ? 'plain' : 'primary',
      needs: 'agent',
      makesSense: waits && facts.accountId !== null,
    },
    {
      ...at('pin'),
      label: 'Say whose account this is',
      needs: 'lead',
      makesSense: !isOver(facts) && !facts.hasEnded && isOfAddress(facts),
    },
    {
      ...at('assign'),
      label: 'Say which app this is',
      needs: 'agent',
      ...assignOffer(facts),
    },
    {
      ...at('remind'),
      label: 'Send a reminder',
      // Its link proves the address; a link of support is for an account that is known.
      kind: isOfAddress(facts) && !facts.isUnidentified ? 'primary' : 'plain',
      needs: 'agent',
      makesSense: waits,
    },
    {
      ...at('probe'),
      label: 'Test the connection',
      needs: 'agent',
      makesSense: facts.state === 'active' && facts.hasGrant,
    },
    { ...at('revoke'), label: 'Revoke', kind: 'danger', needs: 'agent', makesSense: !isOver(facts) },
  ];
}

/** The actions for one token; none for one that has ended. */
export function actionsFor(role: StaffRole, facts: MappingFacts): Action[] {
  return offered(role, mappingOffers(facts));
}

/** The actions for one app. */
export function appActionsFor(role: StaffRole, facts: AppFacts): Action[] {
  const at = (name: string) => ({ name, href: `/support/apps/${facts.clientId}/${name}` });
  return offered(role, [
    { ...at('extend'), label: 'Give more time', needs: 'lead', makesSense: !facts.isUnidentified },
    { ...at('unextend'), label: 'End the extra time', needs: 'lead', makesSense: facts.isExtended },
  ]);
}
