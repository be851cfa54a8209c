import { newHexId, newOpaqueValue } from '../../shared/ids.ts';
import { EMAIL_PROOF_BRAKE, EMAIL_PROOF_LIFETIME } from '../../shared/lifetimes.ts';
import { normalEmail } from '../../shared/mail/address.ts';
import { MailError } from '../../shared/mail/mail-error.ts';
import {
  claimProof,
  countProofsSince,
  deleteProof,
  type EmailProof,
  findProof,
  insertProof,
  trimReminderProofs,
} from '../../store/accounts/email-proofs.ts';
import type { Database } from '../../store/driver/store.ts';
import { stillHasAddress } from './current-address.ts';
import type { AccountsDeps } from './deps.ts';
import { type PinCounts, pinAccountIn } from './pin-account.ts';
import { requireUsableKey, underAllKeys, withUsableKeys } from '../keys/retry-after-key-rotation.ts';

/**
 * Proves an e-mail address by a mailed link. The person opens the link while signed in to an account with that address.
 * The account must also be the one that asked for the link. A link in a reminder has no such account. A link works for
 * 24 hours: mails are forwarded, and others may read a mailbox later.
 */

/** The person who is signed in. */
interface SignedInPerson {
  accountId: string;
  email: string;
}

/** Mails to one account within EMAIL_PROOF_BRAKE. Nobody may flood a mailbox by a button. */
const MAILS_MAX = 3;

function mailOf(email: string, link: string, sender: string) {
  const lines = [
    'Something waits under this e-mail address: a token of the old API, or an app. To show that the address is yours, open',
    'this link within 24 hours, in a browser in which you are signed in to your account, and press the button:',
    '',
    link,
    '',
    'If you did not ask for this, do nothing. Without the link nothing changes.',
  ];
  const subject = 'Show that this e-mail address is yours';
  return { to: email, subject, text: `${lines.join('\n')}\n`, sender };
}

/** A new link. The database holds only the digest of its value. */
interface NewProof {
  id: string;
  value: string;
  email: string;
  accountId: string | null;
  expiresAt: number;
}

async function keepProof(context: AccountsDeps, tx: Database, proof: NewProof): Promise<void> {
  const tokenDigest = context.vault.digest(proof.value);
  await requireUsableKey(tx, 'digest', tokenDigest);
  await insertProof(tx, {
    id: proof.id,
    token_digest: tokenDigest,
    email: normalEmail(proof.email),
    account_id: proof.accountId,
    created_at: context.clock.now(),
    expires_at: proof.expiresAt,
  });
}

const linkOf = ({ settings }: AccountsDeps, value: string) =>
  `${settings.publicUrl}/apps/prove-email/${value}`;

/** Each attempt to write a reminder makes a new link, because the value of a link is not stored. */
const REMINDER_PROOFS_MAX = 3;

/**
 * The link of a reminder to an address. Any person who is signed in to an account with that address proves the address
 * by the link, so the link must be mailed to that address alone. The newest three links to an address work, each for 24
 * hours and until the address is pinned. A link that is too old leads to a page that offers a new link.
 */
export async function newEmailProof(context: AccountsDeps, email: string): Promise<string> {
  const [id, value] = [newHexId(), newOpaqueValue()];
  const keep = async (tx: Database) => {
    const expiresAt = context.clock.now() + EMAIL_PROOF_LIFETIME;
    await trimReminderProofs(tx, normalEmail(email), REMINDER_PROOFS_MAX - 1);
    await keepProof(context, tx, { id, value, email, accountId: null, expiresAt });
  };
  await withUsableKeys(context, () => context.store.transaction(keep));
  return linkOf(context, value);
}

/**
 * Mails a new link to the person's own address. False when the account got too many links of late. `aim` is a query
 * that says what the link is for.
 * @throws {MailError} the mail was not handed over, or the hand-over is in doubt; then its link works and counts
 */
export async function mailEmailProof(
  context: AccountsDeps,
  person: SignedInPerson,
  aim = '',
): Promise<boolean> {
  const value = newOpaqueValue();
  const id = newHexId();
  const keep = async (tx: Database) => {
    const now = context.clock.now();
    if ((await countProofsSince(tx, person.accountId, now - EMAIL_PROOF_BRAKE)) >= MAILS_MAX) return false;
    await keepProof(context, tx, { id, value, ...person, expiresAt: now + EMAIL_PROOF_LIFETIME });
    return true;
  };
  if (!(await withUsableKeys(context, () => context.store.transaction(keep)))) return false;
  const link = `${linkOf(context, value)}${aim}`;
  const { mails } = context.metrics;
  try {
    await context.mailer.send(mailOf(person.email.trim(), link, context.settings.serviceName));
  } catch (error) {
    mails.noteProof(error instanceof MailError && error.isRefused ? 'refused' : 'failed');
    // A mail that never left has no link to look for. One in doubt may arrive, so its link has to work.
    const mayArrive = error instanceof MailError && error.isInDoubt;
    if (!mayArrive) await deleteProof(context.store.durable, id);
    throw error;
  }
  mails.noteProof('sent');
  return true;
}

/**
 * Why a link proves nothing: unknown or removed, too old, used, or for another person. The link of a reminder is for
 * any account with the address; for other accounts the problem is `another address`.
 */
export type ProofProblem = 'unknown' | 'expired' | 'used' | 'another account' | 'another address';

/** Links from an earlier version have a later end. */
function hasEnded({ clock }: AccountsDeps, proof: EmailProof): boolean {
  const end = Math.min(proof.expires_at, proof.created_at + EMAIL_PROOF_LIFETIME);
  return end <= clock.now();
}

/** The proof behind a link, for the person who opened the link. Opening a link does not use up the proof. */
export async function openEmailProof(
  context: AccountsDeps,
  value: string,
  person: SignedInPerson,
): Promise<EmailProof | ProofProblem> {
  const find = () => findProof(context.store.durable, context.vault.digests(value));
  const proof = await underAllKeys(context, find);
  if (!proof) return 'unknown';
  const isOfReminder = proof.account_id === null;
  const isForThem = isOfReminder || proof.account_id === person.accountId;
  const isTheirs = isForThem && proof.email === normalEmail(person.email);
  if (!isTheirs) return isOfReminder ? 'another address' : 'another account';
  if (proof.used_at !== null) return 'used';
  if (!(await stillHasAddress(context, person))) return 'another address';
  return hasEnded(context, proof) ? 'expired' : proof;
}

/** Uses up the proof, once, and pins everything that waits under the address in the same transaction. */
export async function proveEmail(
  context: AccountsDeps,
  value: string,
  { person, requestId }: { person: SignedInPerson; requestId: string },
): Promise<PinCounts | ProofProblem> {
  const proof = await openEmailProof(context, value, person);
  if (typeof proof === 'string') return proof;
  const { email } = proof;
  const { accountId } = person;
  const by = { actor: `account:${accountId}`, requestId, how: 'a link that was mailed to the address' };
  return context.store.transaction(async (tx) => {
    if (!(await claimProof(tx, proof.id, context.clock.now()))) return 'used';
    return pinAccountIn(context, tx, { email, accountId, ...by });
  });
}
