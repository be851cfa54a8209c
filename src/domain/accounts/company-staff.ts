import type { CompanySignInRules } from '../domain-settings.ts';
import { STAFF_ROLES } from '../../store/tables/page-tables.ts';
import { mayAct, type StaffRole } from './staff.ts';

/**
 * Staff who signed in at the identity provider of the operator (docs/decisions/0032). Issuer and subject name a person.
 * They are no account of the new API, and nothing takes them for one: no account id has a colon.
 */

/** A person of the company, as a session keeps them. */
export interface CompanyPerson {
  issuer: string;
  /** The client for which the provider named the person. */
  clientId: string;
  subject: string;
  name: string;
  email: string;
  /** The values of the role claim that meant something here at the sign-in. */
  values: readonly string[];
}

type Claims = Readonly<Record<string, unknown>>;

/** How the history names a person of the company. An issuer has no `#`, so no two people have the same name here. */
export const companyActor = ({ issuer, subject }: Pick<CompanyPerson, 'issuer' | 'subject'>): string =>
  `company:${issuer}#${subject}`;

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Claims)[name]
    : undefined;

/** The claim of this name; else the one that the name leads to by its dots, as in `realm_access.roles`. */
function claimOf(claims: Claims, name: string): unknown {
  return own(claims, name) ?? name.split('.').reduce<unknown>(own, claims);
}

/** The most values that are read: a directory may send hundreds of groups. */
const VALUES_MAX = 10_000;

function valuesOf(claim: unknown): string[] {
  const list: unknown[] = Array.isArray(claim) ? claim.slice(0, VALUES_MAX) : [claim];
  return list.filter((value): value is string => typeof value === 'string');
}

/** Whether the provider sent the role claim at all. */
export const isRoleSaid = ({ roleClaim }: CompanySignInRules, claims: Claims): boolean =>
  claimOf(claims, roleClaim) !== undefined;

/** Whether the claims say what the bridge needs to know. */
export function isEnoughSaid(rules: CompanySignInRules, claims: Claims): boolean {
  return isRoleSaid(rules, claims) && ['name', 'email'].every((name) => claimOf(claims, name) !== undefined);
}

/** The longest text of a person that is shown. */
const SHOWN_MAX = 200;

/** What a person is called is the word of the provider: one line, and not without end. */
function shownText(claim: unknown): string {
  if (typeof claim !== 'string') return '';
  return claim
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, SHOWN_MAX);
}

/** A subject has at most 255 ASCII characters (OpenID Connect Core §2). */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;

/** The person of these claims; undefined where the subject is no subject. */
export function companyPersonOf(rules: CompanySignInRules, claims: Claims): CompanyPerson | undefined {
  const { iss: issuer, sub: subject } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string' || !SUBJECT.test(subject)) return undefined;
  const email = shownText(claims['email']);
  return {
    issuer,
    clientId: rules.clientId,
    subject,
    name: shownText(claims['name']) || email || subject,
    email,
    values: valuesOf(claimOf(claims, rules.roleClaim)).filter((value) => rules.roles.has(value)),
  };
}

/**
 * The role of a person by the present settings: the highest of those that the values of the claim give. Undefined
 * without one, and for a person whom another provider or another client named.
 */
export function companyRole(
  rules: CompanySignInRules | undefined,
  person: CompanyPerson,
): StaffRole | undefined {
  if (!rules || rules.clientId !== person.clientId) return undefined;
  if (new URL(rules.issuer).href !== new URL(person.issuer).href) return undefined;
  const roles = person.values.flatMap((value) => rules.roles.get(value) ?? []);
  return STAFF_ROLES.findLast((role) => roles.some((given) => mayAct(given, role)));
}

/** With a company sign-in the accounts of `staff add` have a role only where the operator says so. */
export const hasLocalStaff = ({ company }: { company: CompanySignInRules | undefined }): boolean =>
  company === undefined || company.alsoLocal;
