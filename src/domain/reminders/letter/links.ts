import { normalEmail } from '../../../shared/mail/address.ts';
import type { Context } from '../../context.ts';
import { newEmailProof } from '../../accounts/prove-email.ts';
import { reauthorizationLink } from '../../authorization/reauthorize.ts';
import { waitingEmailOf } from '../find-people.ts';
import type { Person } from '../people.ts';

/** Where the buttons of a mail lead; every address is built from PUBLIC_URL (docs/threats.md F110). */

/** What a person wants to do about an app: connect own tokens, end them, or look after the app. */
type Aim = 'connect' | 'revoke' | 'app';

export interface Links {
  /** The address (normalised) under which what waits is the person's; undefined where nothing that waits under one is. */
  waitingEmail: string | undefined;
  /** A page of the bridge, such as `/lifecycle`. */
  page(path: string): string;
  /** For an app whose tokens, or which itself, is known by an e-mail address alone (`isUnproven`) or by an account. */
  to(aim: Aim, clientId: string, isUnproven: boolean): Promise<string>;
}

/**
 * Makes links for one mail. Only a mail to the address itself may prove it: what goes to an app's contact in its place
 * leads to the app's page instead.
 */
export async function createLinks(context: Context, person: Person): Promise<Links> {
  const waitingEmail = await waitingEmailOf(context, person);
  const page = (path: string) => `${context.settings.publicUrl}${path}`;
  const email = person.address === undefined ? undefined : normalEmail(person.address);
  let made: Promise<string> | undefined;
  /** One for all apps: what is proven is the address. */
  const proof = (address: string) => (made ??= newEmailProof(context, address));
  const toProve = async (aim: Aim, clientId: string) =>
    email !== undefined && email === waitingEmail
      ? `${await proof(email)}?${aim}=${clientId}`
      : page(`/apps/${clientId}`);
  return {
    waitingEmail,
    page,
    async to(aim, clientId, isUnproven) {
      if (isUnproven) return toProve(aim, clientId);
      const { accountId } = person;
      if (aim === 'connect' && accountId !== undefined)
        return reauthorizationLink(context, { clientId, accountId });
      return page(`/apps/${clientId}${aim === 'revoke' ? '/revoke' : ''}`);
    },
  };
}
