import { z } from 'zod';
import { STAFF_ROLES, type StaffRole } from '../store/tables/page-tables.ts';
import { httpAddress } from './config-values.ts';

/** The forms of the settings of the company sign-in, each with the message for a wrong value. */

/** An issuer is compared as it is, so its end is kept (OpenID Connect Discovery §4.3). */
export const issuerAddress = z
  .string()
  .refine(
    (given) => httpAddress.safeParse(given).success,
    'must be an http or https address without user, query and fragment, such as https://login.example',
  );

const ROLE_PAIR = /^(.+):([a-z]+)$/s;

const isRole = (word: string): word is StaffRole => (STAFF_ROLES as readonly string[]).includes(word);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** One `VALUE:ROLE`; undefined where it has another form. */
function rolePair(text: string): [string, StaffRole] | undefined {
  const [, written = '', role = ''] = ROLE_PAIR.exec(text.trim()) ?? [];
  const value = decoded(written);
  return value !== undefined && value.trim() !== '' && isRole(role) ? [value, role] : undefined;
}

/** The roles by value, or the problem in plain words. No message quotes the setting. */
function readRoles(text: string): ReadonlyMap<string, StaffRole> | string {
  const roles = new Map<string, StaffRole>();
  for (const [at, part] of text.split(',').entries()) {
    const pair = rolePair(part);
    if (!pair)
      return `entry ${at + 1} must be VALUE:ROLE with a role of ${STAFF_ROLES.join(', ')} (write % , as %25 %2C in a value)`;
    if (roles.has(pair[0])) return `entry ${at + 1} has the value of another entry`;
    roles.set(...pair);
  }
  return roles;
}

/** What each value of the role claim may do here. */
export const roleMap = z.string().transform((text, check): ReadonlyMap<string, StaffRole> => {
  const roles = readRoles(text);
  if (typeof roles !== 'string') return roles;
  check.addIssue({ code: 'custom', message: roles });
  return new Map();
});

export const claimName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be the name of a claim: printable ASCII without blanks');

export const companyScopes = z
  .string()
  .refine((given) => !/[,;]/.test(given), 'must be scopes with blanks between')
  .refine((given) => given.split(/\s+/).includes('openid'), 'must contain openid')
  .transform((given) => given.trim());
