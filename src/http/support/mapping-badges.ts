import type { MappingRow } from '../../domain/support/search.ts';

/** How staff see a token in a list: its state as a badge, its hint, and whose it is. */

export interface StateBadge {
  label: string;
  kind: 'ok' | 'warning' | 'danger' | '';
}

export const STATE_BADGES: Readonly<Record<MappingRow['state'], StateBadge>> = {
  active: { label: 'working', kind: 'ok' },
  unmapped: { label: 'not connected', kind: 'warning' },
  reauthorization_required: { label: 'stopped', kind: 'danger' },
  revoked: { label: 'revoked', kind: '' },
  migrated: { label: 'moved', kind: '' },
};

/** How many tokens are in each state, those that ask for something first. */
export function stateBadges(counts: Partial<Record<MappingRow['state'], number>>) {
  const order = ['reauthorization_required', 'unmapped', 'active', 'migrated', 'revoked'] as const;
  return order.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [{ ...STATE_BADGES[state], count }];
  });
}

type Hinted = Pick<MappingRow, 'hint_first' | 'hint_last'>;

/** A token by what may be shown of it: `1/abcd…wxyz`. */
export function hintWords({ hint_first: first, hint_last: last }: Hinted): string {
  return first === null || last === null ? 'a token not seen here yet' : `1/${first}…${last}`;
}

type Owned = Pick<MappingRow, 'account_email' | 'legacy_account_id' | 'account_id'> & {
  email: string | null;
};

/** Whose a token is, as far as that is known. */
export function holderWords({
  account_id: id,
  email,
  account_email: waits,
  legacy_account_id: legacy,
}: Owned) {
  if (id !== null) return email ?? `account ${id}`;
  if (waits !== null) return `${waits} (not proven)`;
  return legacy === null ? 'not known' : `older account id ${legacy}`;
}

/** A token in a list. */
export function tokenLine(row: MappingRow) {
  return {
    href: `/support/mappings/${row.id}`,
    hint: hintWords(row),
    appName: row.app_name,
    appHref: `/support/apps/${encodeURIComponent(row.client_id)}`,
    holder: holderWords(row),
    state: STATE_BADGES[row.state],
    createdAt: row.created_at,
  };
}
