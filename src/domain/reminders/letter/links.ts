import { DAY } from '../../../shared/lifetimes.ts';
import { normalEmail } from '../../../shared/mail/address.ts';
import type { Context } from '../../context.ts';
import { newEmailProof } from '../../prove-email.ts';
import { reauthorizationLink } from '../../reauthorize.ts';
import type { Due, Person } from '../people.ts';

/** Where the buttons of a mail lead; every address is built from PUBLIC_URL (hardening row 110). */

/** What a person wants to do about an app: connect own tokens, end them, or look after the app. */
type Aim = 'connect' | 'revoke' | 'app';

export interface Links {
  /** A page of the bridge, such as `/lifecycle`. */
  page(path: string): string;
  /** For an app whose tokens, or which itself, is known by an e-mail address alone (`isUnproven`) or by an account. */
  to(aim: Aim, clientId: string, isUnproven: boolean): Promise<string>;
}

/** The addresses (normalised) that stand for the person until an account does. */
export function emailsOf({ id, aliases }: Person): string[] {
  const names = [id, ...aliases].filter((name) => name.startsWith('email:'));
  return [...new Set(names.map((name) => name.slice('email:'.length)))];
}

/** The link shall still work in the days after the last date in the mail. */
const AFTER_DATE = 7 * DAY;
const WITHOUT_DATE = 30 * DAY;

/**
 * Makes links for one mail. Only a mail to the address itself may prove it: what goes to an app's contact in its place
 * leads to the app's page instead.
 */
export function createLinks(context: Context, person: Person, due: readonly Due[]): Links {
  const page = (path: string) => `${context.settings.publicUrl}${path}`;
  const email = person.address === undefined ? undefined : normalEmail(person.address);
  const until = Math.max(context.clock.now() + WITHOUT_DATE, ...due.map(({ at = 0 }) => at));
  let made: Promise<string> | undefined;
  /** One for all apps: what is proven is the address. */
  const proof = (address: string) =>
    (made ??= newEmailProof(context, { email: address, expiresAt: until + AFTER_DATE }));
  const toProve = async (aim: Aim, clientId: string) =>
    email !== undefined && emailsOf(person).includes(email)
      ? `${await proof(email)}?${aim}=${clientId}`
      : page(`/apps/${clientId}`);
  return {
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
