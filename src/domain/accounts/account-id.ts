import { isOutsideId } from '../../shared/ids.ts';
import type { Database } from '../../store/driver/store.ts';
import { accountsWith } from '../../store/support/support-search.ts';

/** The rule of an account id that a person gives, for messages. */
export const ACCOUNT_ID_WORDS = 'an account id (24 hex digits, or the id of an account that is known here)';

const HEX_ID = /^[0-9a-f]{24}$/;

/**
 * Whether a person may name an account by this text. Accounts with 24 hex digits may be named before they come. An
 * import takes ids in other forms too. Nearly every word has such a form, so an account with such an id must be known.
 */
export async function isAccountId(db: Database, text: string): Promise<boolean> {
  if (HEX_ID.test(text)) return true;
  return isOutsideId(text) && (await accountsWith(db, { id: text })).length > 0;
}
