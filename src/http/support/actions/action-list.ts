import { mayAct, type StaffRole } from '../../../domain/accounts/staff.ts';
import type { MappingTarget } from '../../../domain/support/actions/actions.ts';

/** Which actions make sense for the thing on a page at this moment, and whether the reader may do them. */

/** The facts that the page of a token knows. */
export interface MappingFacts {
  mappingId: string;
  state: MappingTarget['state'];
  accountId: string | null;
  /** The address under which the token waits while no account is known. */
  email: string | null;
  /** Whether the token has a grant. */
  hasGrant: boolean;
  /** Whether the token belongs to an unidentified program (an observed app). */
  isUnidentified: boolean;
  /** Whether support may say to which app the token belongs. */
  isAssignable: boolean;
  /** Whether a consent of its holder makes the token work. */
  canConnect: boolean;
  /** Whether the old API has ended for the app. */
  hasEnded: boolean;
}

/** The facts that the page of an app knows. */
export interface AppActionFacts {
  clientId: string;
  /** Whether the app was registered or imported, and is not retired. */
  isOwned: boolean;
  /** Whether there is a date that can be put off for it. */
  isExtendable: boolean;
  /** Whether an extension of either date is in force. */
  isExtended: boolean;
}

/** One action as a page offers it. */
export interface OfferedAction {
  name: string;
  /** The text of the button. */
  label: string;
  href: string;
  /** At most one action of a page is `primary`. */
  kind: 'primary' | 'plain' | 'danger';
  needs: StaffRole;
  /** False: the page shows only the name of the role that the action needs. */
  isAllowed: boolean;
}

type Offer = Omit<OfferedAction, 'isAllowed' | 'kind'> & {
  kind?: OfferedAction['kind'];
  makesSense: boolean;
};

function offered(role: StaffRole, offers: readonly Offer[]): OfferedAction[] {
  return offers
    .filter(({ makesSense }) => makesSense)
    .map(({ name, label, href, kind = 'plain', needs }) => {
      return { name, label, href, kind, needs, isAllowed: mayAct(role, needs) };
    });
}

/** Whether the holder is known by an e-mail address alone. */
const isOfAddress = ({ accountId, email }: MappingFacts) => accountId === null && email !== null;

/** Whether there is nobody to write to: no holder is known, and an unidentified program has no owner. */
const isOfNobody = ({ accountId, email, isUnidentified }: MappingFacts) =>
  accountId === null && email === null && isUnidentified;

const isOver = ({ state }: MappingFacts) => state === 'revoked' || state === 'migrated';

/** A token of an unidentified program needs its app first. For another token `assign` only corrects a mistake. */
function assignOffer(facts: MappingFacts): Pick<Offer, 'kind' | 'makesSense'> {
  const isNext = facts.isUnidentified && !facts.hasEnded;
  return { kind: isNext ? 'primary' : 'plain', makesSense: !isOver(facts) && facts.isAssignable };
}

function mappingOffers(facts: MappingFacts): Offer[] {
  const at = (name: string) => ({ name, href: `/support/mappings/${facts.mappingId}/${name}` });
  return [
    {
      ...at('link'),
      label: 'Make a link to connect',
      // A program's token should get its app first, because a connection does not move along to another app.
      kind: facts.isUnidentified ? 'plain' : 'primary',
      needs: 'agent',
      makesSense: facts.canConnect && facts.accountId !== null,
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
      // The link in the reminder proves the address. A link made by support needs a known account.
      kind: isOfAddress(facts) && !facts.isUnidentified ? 'primary' : 'plain',
      needs: 'agent',
      makesSense: facts.canConnect && !isOfNobody(facts),
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

/** The actions for one token; none for a token that has ended. */
export function actionsFor(role: StaffRole, facts: MappingFacts): OfferedAction[] {
  return offered(role, mappingOffers(facts));
}

/** The actions for one app. */
export function appActionsFor(role: StaffRole, facts: AppActionFacts): OfferedAction[] {
  const at = (name: string) => ({ name, href: `/support/apps/${facts.clientId}/${name}` });
  return offered(role, [
    { ...at('extend'), label: 'Give more time', needs: 'lead', makesSense: facts.isExtendable },
    { ...at('unextend'), label: 'End the extra time', needs: 'lead', makesSense: facts.isExtended },
    { ...at('give'), label: 'Give it to another account', needs: 'lead', makesSense: facts.isOwned },
  ]);
}
