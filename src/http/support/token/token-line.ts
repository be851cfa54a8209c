import type { HttpSupportDeps } from '../deps.ts';
import type { MappingRow } from '../../../domain/support/search/search.ts';
import type { ListedTokenRow } from '../../../domain/support/token-rows.ts';
import { standingOfRow } from '../../../domain/support/standing-of-row.ts';
import { badgeOf, type StandingBadge } from '../../wording/state-words.ts';
import { hintWords } from '../../wording/token-words.ts';

/** A token in a staff list: its standing as a badge, its hint, and its holder. */

/** The standing of a token, in the words that its holder and the app's owner read. */
export function standingBadge(context: HttpSupportDeps, row: MappingRow): StandingBadge {
  return badgeOf(standingOfRow(context, row), row.state);
}

type TokenHint = Pick<MappingRow, 'hint_first' | 'hint_last'>;

/** The part of a token that may be shown: `1/abcd…wxyz`. */
export function hintText(row: TokenHint): string {
  return hintWords(row) ?? 'not seen here yet';
}

type TokenHolder = Pick<MappingRow, 'account_email' | 'legacy_account_id' | 'account_id'> & {
  email: string | null;
};

/** The holder of a token, as far as known, by addresses and ids. Only staff may see these. */
export function holderText({
  account_id: id,
  email,
  account_email: waits,
  legacy_account_id: legacy,
}: TokenHolder) {
  if (id !== null) return email ?? `account ${id}`;
  if (waits !== null) return `${waits} (not proven)`;
  return legacy === null ? 'not known' : `old account id ${legacy}`;
}

/** A token in a list. */
export function tokenLine(context: HttpSupportDeps, { row, lastUsed }: ListedTokenRow) {
  return {
    href: `/support/mappings/${row.id}`,
    hint: hintText(row),
    appName: row.app_name,
    appHref: `/support/apps/${encodeURIComponent(row.client_id)}`,
    holder: holderText(row),
    state: standingBadge(context, row),
    stoppedAt: row.state === 'reauthorization_required' ? row.updated_at : undefined,
    lastUsed,
  };
}
