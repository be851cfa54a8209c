import { rowsUnderLegacyIds } from '../../../store/tokens/under-legacy-ids.ts';
import { settledPairs } from '../../../store/tokens/settled-pairs.ts';
import type { Database } from '../../../store/driver/store.ts';
import type { IdKind } from '../../../store/tables/existing-token-tables.ts';
import { HOLDER } from '../reading/rows.ts';
import type { Objection } from '../refusals.ts';
import type { TokenAttribution, ImportedToken } from './judge-token.ts';

/**
 * What a key of the staff API leaves to the command `tokens import`. A key may be stolen, and an import is never taken
 * back (docs/decisions/0037).
 */

const COMMAND = 'use the command tokens import';

/** A callback of a known app would lead its codes to another server. */
export const NEW_CALLBACK = `the app is known, and a program adds no callback to it: ${COMMAND}`;

/** With its owner an app would be given away. */
export const NEW_OWNER = `the app is known, and a program gives it no owner: ${COMMAND}`;

/** Apps and tokens would go to the account of the pair. */
const STANDS_UNDER: Objection = {
  field: 'legacy_id',
  reason: `apps or tokens stand under this old id, and a program gives them to nobody: ${COMMAND}`,
};

/** The token would serve at once as the token of somebody who connected other ones. */
const JOINS: Objection = {
  field: HOLDER,
  reason: `the app and the account were connected already, and a program brings them no token: ${COMMAND}`,
};

export interface PairPlace {
  kind: IdKind;
  legacyId: string;
  /** The new id that the pair has with the row; null where it has an address alone. */
  modernId: string | null;
}

/** Says why a key may not bring a pair. */
export type PairLimit = (pair: PairPlace) => Objection | undefined;

const idsOf = (rows: ReadonlyArray<{ legacyId: string }>) => rows.map(({ legacyId }) => legacyId);

export async function pairLimitOf(tx: Database, legacyIds: readonly string[]): Promise<PairLimit> {
  const { apps, tokens } = await rowsUnderLegacyIds(tx, legacyIds);
  const inUse = new Set(idsOf([...apps, ...tokens]));
  // A token that waits for an address keeps that address, whatever pair names another one.
  const moved = tokens.filter(({ isItsAccount, email }) => isItsAccount || email === null);
  const movedByAddress = new Set(idsOf([...apps, ...moved]));
  return ({ kind, legacyId, modernId }) => {
    const held = modernId === null ? movedByAddress : inUse;
    return kind === 'account' && held.has(legacyId) ? STANDS_UNDER : undefined;
  };
}

type TokenPlace = Pick<TokenAttribution, 'clientId' | 'accountId'>;

const keyOf = ({ clientId, accountId }: TokenPlace) => `${clientId} ${accountId}`;

/** Says why a key may not bring a token to where it would stand. */
export type TokenLimit = (token: ImportedToken) => Objection | undefined;

export async function tokenLimitOf(tx: Database, places: readonly TokenPlace[]): Promise<TokenLimit> {
  const accountIds = new Set(places.map(({ accountId }) => accountId).filter((id) => id !== null));
  const connected = new Set((await settledPairs(tx, [...accountIds])).map(keyOf));
  return (token) => (token.state === 'unmapped' && connected.has(keyOf(token)) ? JOINS : undefined);
}
