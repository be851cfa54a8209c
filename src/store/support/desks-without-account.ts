import { isOneOf } from '../driver/many-rows.ts';
import type { Database } from '../driver/store.ts';

/** People without a known account. Their tokens came with only an address, or a user id of the old API. */

export interface NameThatWaits {
  id: string;
  /** In lower case; null when only the id is known. */
  email: string | null;
  legacyAccountId: string | null;
  /** Without those of retired apps. */
  tokens: number;
  /** How many more tokens of retired apps there are. */
  ofRetired: number;
  /** One of the tokens, so that links need no address; undefined of a name that has lost its last one meanwhile. */
  tokenId: string | undefined;
}

/**
 * The tokens of a name that can be connected. An address is a better name than an old id, so a token with both is of its
 * address.
 */
async function tokensOf(db: Database, { email, old }: { email?: string; old?: string }) {
  const row = await db
    .selectFrom('mappings as m')
    .innerJoin('apps as a', 'a.client_id', 'm.client_id')
    .select((eb) => [eb.fn.min('m.id').as('id'), eb.fn.countAll<number | string>().as('n')])
    .where('m.account_id', 'is', null)
    .where('m.state', '=', 'unmapped')
    .where('a.retired_at', 'is', null)
    .$if(email !== undefined, (all) => all.where('m.account_email', '=', email ?? ''))
    .$if(old !== undefined, (all) =>
      all.where('m.account_email', 'is', null).where('m.legacy_account_id', '=', old ?? ''),
    )
    .executeTakeFirst();
  return { tokenId: row?.id ?? undefined, tokens: Number(row?.n ?? 0) };
}

/** Some of these names by their ids, each with one of its tokens, in no order. */
export async function namesThatWait(db: Database, ids: readonly string[]): Promise<NameThatWaits[]> {
  const rows = await db
    .selectFrom('waiting_names')
    .select(['id', 'name', 'tokens'])
    .where(isOneOf(db, 'id', ids))
    .execute();
  return Promise.all(
    rows.map(async ({ id, name, tokens: all }) => {
      const [kind, text] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)];
      const isAddress = kind === 'email';
      const { tokenId, tokens } = await tokensOf(db, isAddress ? { email: text } : { old: text });
      return {
        id,
        email: isAddress ? text : null,
        legacyAccountId: isAddress ? null : text,
        tokens,
        ofRetired: Math.max(0, all - tokens),
        tokenId,
      };
    }),
  );
}
