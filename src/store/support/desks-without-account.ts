import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** People without a known account. Their tokens came with only an address, or a user id of the old API. */

export interface NameThatWaits {
  id: string;
  /** In lower case; null when only the id is known. */
  email: string | null;
  legacyAccountId: string | null;
  tokens: number;
  /** One of the tokens, so that links need no address; undefined of a name that has lost its last one meanwhile. */
  tokenId: string | undefined;
}

/** One waiting token of a name. An address is a better name than an old id, so a token with both is of its address. */
async function tokenOf(db: Database, { email, old }: { email?: string; old?: string }) {
  const row = await db
    .selectFrom('mappings')
    .select((eb) => eb.fn.min('id').as('id'))
    .where('account_id', 'is', null)
    .where('state', '=', 'unmapped')
    .$if(email !== undefined, (all) => all.where('account_email', '=', email ?? ''))
    .$if(old !== undefined, (all) =>
      all.where('account_email', 'is', null).where('legacy_account_id', '=', old ?? ''),
    )
    .executeTakeFirst();
  return row?.id ?? undefined;
}

/** Some of these names by their ids, each with one of its tokens, in no order. */
export async function namesThatWait(db: Database, ids: readonly string[]): Promise<NameThatWaits[]> {
  const rows = await db
    .selectFrom('waiting_names')
    .select(['id', 'name', 'tokens'])
    .where(isOneOf(db, 'id', ids))
    .execute();
  return Promise.all(
    rows.map(async ({ id, name, tokens }) => {
      const [kind, text] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)];
      const isAddress = kind === 'email';
      return {
        id,
        email: isAddress ? text : null,
        legacyAccountId: isAddress ? null : text,
        tokens,
        tokenId: await tokenOf(db, isAddress ? { email: text } : { old: text }),
      };
    }),
  );
}
