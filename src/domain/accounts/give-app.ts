import { findAddressOf } from '../../store/accounts/accounts.ts';
import { findApp } from '../../store/apps/apps.ts';
import type { Database } from '../../store/driver/store.ts';
import { changeOwner } from '../../store/tokens/pinned-things.ts';
import { checkedReason } from '../history/reason.ts';
import { type DeedPart, recordDeed } from '../history/record-deed.ts';
import { recordEvent } from '../history/record-event.ts';
import type { Origin } from '../origin.ts';
import { readAccountId } from './account-id.ts';
import type { AccountsDeps } from './deps.ts';

/**
 * An app gets a new owner by the word of the operator or of a lead, because nobody can sign in as the former one. The
 * owner alone decides where connections are handed over to, so without one the app could not be moved.
 */

/** What is said wherever an app is given: a gift changes the owner alone, for what runs must not break by it. */
export const STAYS_AFTER_GIFT =
  'What the former owner has set up stays: webhooks go on to their server, contacts keep the pages, and the secrets and the own client stay in use. The new owner removes the webhooks and contacts of the former one, looks at the own client, and makes new secrets.';

interface GiftRequest extends Origin {
  clientId: string;
  /** The id of the new owner's account. */
  to: string;
  reason: string;
  /** The owner that the answered page showed, null for none. A caller that saw no page omits `seen`. */
  seen?: string | null;
}

/** The app with its new owner and the owner before. `deed` names what can be taken back. */
interface Gift {
  appName: string;
  accountId: string;
  before: string | null;
  /** Undefined where the account owns the app already. */
  deed: string | undefined;
}

/** `other owner`: somebody else gave the app to another account first. */
type GiftRefusal = 'unknown app' | 'unknown account' | 'other owner';

interface GiftStep extends Omit<GiftRequest, 'to' | 'seen'> {
  accountId: string;
  was: { id: string | null; email: string | null };
}

/**
 * Keeps what was changed in the history, and so that it can be taken back. An owner token that still waits stays as it
 * is: whoever it was shown to still has it, and with the account of the new owner they could act as that account.
 */
async function recordGift(context: AccountsDeps, tx: Database, step: GiftStep): Promise<string> {
  const { clientId, accountId, was, reason, actor, requestId } = step;
  const at = context.clock.now();
  const from = was.id === null ? 'no account owned it' : `from account ${was.id}`;
  const change = { at, actor, requestId, clientId, accountId, action: 'owner_changed' };
  const entry = await recordEvent(context, tx, { ...change, reason: `${from}: ${reason}` });
  const left = { id: accountId, email: null };
  const owner: DeedPart = { entry, thing: 'owner', subject: clientId, clientId, was, left };
  return recordDeed(tx, { kind: 'give', at, actor, parts: [owner] });
}

async function giveAppIn(
  context: AccountsDeps,
  tx: Database,
  { to, seen, ...asked }: GiftRequest,
): Promise<Gift | GiftRefusal> {
  const app = await findApp(tx, asked.clientId);
  if (!app || app.source === 'observed') return 'unknown app';
  const was = { id: app.owner_account_id, email: app.owner_email };
  if (seen !== undefined && seen !== was.id) return 'other owner';
  const accountId = await readAccountId(tx, to);
  // An account that only an import named may have an old id: an import that names its former owner would pass then.
  if (accountId === undefined || (await findAddressOf(tx, accountId)) === null) return 'unknown account';
  const gift = { appName: app.name, accountId, before: was.id, deed: undefined };
  if (was.id === accountId) return gift;
  // The address is that of the former owner, and mails to the new one must not go there.
  const change = { from: was.id, to: { id: accountId, email: null } };
  if (!(await changeOwner(tx, asked.clientId, change))) return 'other owner';
  return { ...gift, deed: await recordGift(context, tx, { ...asked, accountId, was }) };
}

/**
 * Gives an app to an account. Its holder must have signed in here once, so a mistyped id gives nothing away.
 * @throws {ReasonRefused}
 */
export function giveApp(context: AccountsDeps, asked: GiftRequest): Promise<Gift | GiftRefusal> {
  const reason = checkedReason(asked.reason);
  return context.store.transaction((tx) => giveAppIn(context, tx, { ...asked, reason }));
}
