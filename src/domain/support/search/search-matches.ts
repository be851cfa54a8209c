import type { AccountFound, AppFound } from '../../../store/support/support-search.ts';
import type { MappingRow } from '../../../store/tokens/find-mappings.ts';

/** What a search of support has found. */

export interface SearchMatches {
  tokens: MappingRow[];
  apps: AppFound[];
  accounts: AccountFound[];
}

/** How many results of each kind are answered at most. */
export const SHOWN_MAX = 100;

/** One more than is answered, which shows whether there are more. */
export const LIMIT = SHOWN_MAX + 1;

export const NOTHING: SearchMatches = { tokens: [], apps: [], accounts: [] };

/** Whether nothing was found. */
export const isEmpty = ({ tokens, apps, accounts }: SearchMatches): boolean =>
  tokens.length + apps.length + accounts.length === 0;
