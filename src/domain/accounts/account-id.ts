import { isOutsideId } from '../../shared/ids.ts';
import type { Database } from '../../store/driver/store.ts';
import { accountsWith } from '../../store/support/support-search.ts';

/** The rule of an account id that a person gives, for messages. */
export const ACCOUNT_ID_WORDS =
  'an account id (24 hex digits in lower case, or the id of an account that is known here)';

const HEX_ID = /^[0-9a-f]{24}$/;

/** Whether an account has exactly this id. */
export async function isKnownAccount(db: Database, id: string): Promise<boolean> {
  return (await accountsWith(db, { id })).length > 0;
}

/**
 * The account id that a person means by a text; undefined for a text that is no account id. Accounts with 24 hex digits
 * in lower case may be named before they come. An import takes ids in other forms too, also in capitals. Nearly every
 * word has such a form, so an account with such an id must be known, and its own spelling comes first. Other spellings of
 * 24 hex digits mean an account that is known in lower case: of an unknown one nobody can say which spelling it will have.
 */
export async function readAccountId(db: Database, given: string): Promise<string | undefined> {
  const text = given.trim();
  if (isOutsideId(text) && (await isKnownAccount(db, text))) return text;
  const lower = text.toLowerCase();
  if (!HEX_ID.test(lower)) return undefined;
  return lower === text || (await isKnownAccount(db, lower)) ? lower : undefined;
}
