import { normalEmail } from '../../../shared/mail/address.ts';
import type { RemindersDeps } from '../deps.ts';
import { newEmailProof } from '../../accounts/prove-email.ts';
import { reauthorizationLink } from '../../authorization/reauthorize.ts';
import { waitingEmailOf } from '../find-people.ts';
import type { ReminderPerson } from '../people.ts';

/** The links of the buttons in a mail. Every address is built from PUBLIC_URL (docs/threats.md F110). */

/** The purpose of a link: connect own tokens, end own tokens, or look after the app. */
type LinkPurpose = 'connect' | 'revoke' | 'app';

export interface Links {
  /**
   * The normalised address under which tokens and apps wait for the person; undefined when the person has no such
   * address.
   */
  waitingEmail: string | undefined;
  /** A page of the bridge, such as `/lifecycle`. */
  page(path: string): string;
  /** A link for one app. `isUnproven`: its waiting tokens, or its owner, are known by an e-mail address alone. */
  to(aim: LinkPurpose, clientId: string, isUnproven: boolean): Promise<string>;
  /** Whether such a link proves the address of its reader. */
  isProof(isUnproven: boolean): boolean;
  /** Whether the mail goes to a contact of an app, who may have no access to the app's pages. */
  isForContact: boolean;
}

/**
 * Makes the links of one mail. Only a mail to the waiting address itself may prove the address: in a mail to an app's
 * contact, the link leads to the app's page instead.
 */
export async function createLinks(context: RemindersDeps, person: ReminderPerson): Promise<Links> {
  const waitingEmail = await waitingEmailOf(context, person);
  const page = (path: string) => `${context.settings.publicUrl}${path}`;
  const email = person.address === undefined ? undefined : normalEmail(person.address);
  let made: Promise<string> | undefined;
  /** One proof for all apps, because the proof is of the address. */
  const proof = (address: string) => (made ??= newEmailProof(context, address));
  const proven = email === waitingEmail ? email : undefined;
  const toProve = async (aim: LinkPurpose, clientId: string) =>
    proven === undefined ? page(`/apps/${clientId}`) : `${await proof(proven)}?${aim}=${clientId}`;
  return {
    waitingEmail,
    page,
    isProof: (isUnproven) => isUnproven && proven !== undefined,
    isForContact: person.isContact === true,
    async to(aim, clientId, isUnproven) {
      if (isUnproven) return toProve(aim, clientId);
      const { accountId } = person;
      if (aim === 'connect' && accountId !== undefined)
        return reauthorizationLink(context, { clientId, accountId });
      return page(`/apps/${clientId}${aim === 'revoke' ? '/revoke' : ''}`);
    },
  };
}
