import { newOpaqueValue } from '../../shared/ids.ts';
import { AUTHORIZATION_REQUEST_LIFETIME } from '../../shared/lifetimes.ts';
import { sha256Of } from '../../shared/secrets.ts';
import { keepCompanyStaff } from '../../store/accounts/company-staff.ts';
import { claimRequest } from '../../store/authorization/claimed-requests.ts';
import { SignInRefused } from '../../upstream/company/company-failures.ts';
import {
  companyActor,
  type CompanyPerson,
  companyPersonOf,
  companyRole,
  isEnoughSaid,
  isRoleSaid,
} from '../accounts/company-staff.ts';
import type { StaffRole } from '../accounts/staff.ts';
import { recordEvent } from '../history/record-event.ts';
import { companySignInPlace } from '../keys/sealing-context.ts';
import type { CompanySignInDeps } from './deps.ts';
import { openTraveller } from './open-traveller.ts';
import { signInId } from './sign-in-request.ts';

/**
 * The sign-in of staff at the identity provider of the operator (docs/decisions/0032). Anybody can begin one, so the
 * bridge stores nothing of it: it travels sealed in a cookie of its browser, bound to its `state`, and counts once.
 */

export { SignInRefused };

interface SealedContent {
  nonce: string;
  verifier: string;
  returnTo: string;
  end: number;
}

const placeOf = (state: string) => companySignInPlace(sha256Of(state).toString('hex'));

/** A sign-in that came back to its browser and may be claimed. */
export interface ReturnedCompanySignIn {
  id: string;
  state: string;
  travelled: SealedContent;
  /** When it began. */
  began: number;
}

interface CompanySignInStart {
  returnTo: string;
  redirectUri: string;
  /** Whether the person shall be asked who they are, also when signed in at the provider. */
  isOther: boolean;
}

function requireProvider({ company, settings }: CompanySignInDeps) {
  if (!company || !settings.company) throw new Error('no identity provider is set');
  return { provider: company, rules: settings.company };
}

/**
 * Begins a sign-in: the address at the provider, and the sealed value for the browser's cookie.
 * @throws {Unavailable | SignInRefused}
 */
export async function startCompanySignIn(
  context: CompanySignInDeps,
  { returnTo, redirectUri, isOther }: CompanySignInStart,
): Promise<{ address: string; id: string; sealed: string }> {
  const { provider } = requireProvider(context);
  const [state, nonce, verifier] = [newOpaqueValue(), newOpaqueValue(), newOpaqueValue()];
  const address = await provider.authorizationUrl({ redirectUri, state, nonce, verifier }, isOther);
  const end = context.clock.now() + AUTHORIZATION_REQUEST_LIFETIME;
  const travelling: SealedContent = { nonce, verifier, returnTo, end };
  const sealed = context.vault.seal(placeOf(state), JSON.stringify(travelling));
  return { address, id: signInId(state), sealed };
}

/** The sign-in of a `state`, from a cookie. Undefined for a cookie of another `state`, and after its end. */
export async function openCompanySignIn(
  context: CompanySignInDeps,
  state: string,
  sealed: string,
): Promise<ReturnedCompanySignIn | undefined> {
  const opened = await openTraveller(context, placeOf(state), sealed);
  if (opened === undefined) return undefined;
  const travelled = JSON.parse(opened) as SealedContent;
  if (travelled.end <= context.clock.now()) return undefined;
  return { id: signInId(state), state, travelled, began: travelled.end - AUTHORIZATION_REQUEST_LIFETIME };
}

/** Claims a sign-in that came back, once; false where it was claimed before. */
export function claimCompanySignIn(
  { store, clock }: CompanySignInDeps,
  { id, travelled }: ReturnedCompanySignIn,
): Promise<boolean> {
  const claim = { id, browser_digest: null, claimed_at: clock.now(), expires_at: travelled.end };
  return claimRequest(store, claim);
}

interface CompanyArrival {
  signIn: ReturnedCompanySignIn;
  redirectUri: string;
  /** The query of the return, as it came. */
  query: string;
}

/**
 * Stores who signs in now, so that the history can name the person. A sign-in is an entry of the history too. Called once the
 * browser is about to get its session: where a page asks first, nobody has signed in yet.
 */
export async function keepArrival(
  context: CompanySignInDeps,
  person: CompanyPerson,
  { role, requestId }: { role: StaffRole; requestId: string },
): Promise<void> {
  const at = context.clock.now();
  const { issuer, subject, name, email } = person;
  const actor = companyActor(person);
  await context.store.transaction(async (tx) => {
    const row = { actor, issuer, subject, name, email, role, first_signed_in_at: at, signed_in_at: at };
    await keepCompanyStaff(tx, row);
    const reason = `${role}: ${[name, email].filter(Boolean).join(', ')}`;
    await recordEvent(context, tx, { at, actor, requestId, action: 'staff_signed_in', reason });
  });
}

/**
 * Ends a claimed sign-in: the person, their role, and whether the provider sent the role claim. Nothing is stored (`keepArrival`).
 * @throws {Unavailable | SignInRefused} nobody is signed in
 */
export async function completeCompanySignIn(
  context: CompanySignInDeps,
  { signIn, redirectUri, query }: CompanyArrival,
): Promise<{ person: CompanyPerson; role: StaffRole | undefined; hasRoleClaim: boolean }> {
  const { provider, rules } = requireProvider(context);
  const { state, travelled } = signIn;
  const attempt = { redirectUri, state, nonce: travelled.nonce, verifier: travelled.verifier };
  const claims = await provider.claimsOf(attempt, {
    address: new URL(`${redirectUri}${query}`),
    isEnough: (said) => isEnoughSaid(rules, said),
  });
  const person = companyPersonOf(rules, claims);
  if (!person) throw new SignInRefused('the identity provider named no subject');
  return { person, role: companyRole(rules, person), hasRoleClaim: isRoleSaid(rules, claims) };
}
