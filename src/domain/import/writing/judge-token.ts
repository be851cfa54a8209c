import type { MappingState } from '../../../store/tables/tables.ts';
import { statesOf } from '../../grants/mapping-state.ts';
import { type EmailLookup, isOtherOwner, OTHER_ACCOUNT, type Owner } from './owners.ts';
import type { Objection } from '../refusals.ts';
import { HOLDER, TOKEN, type TokenImportRow } from '../reading/rows.ts';

/** The app and account of a token, and its last use, as a row or the database says. */
export interface TokenAttribution extends Owner {
  clientId: string;
  /** The old id of an account whose id is not known. */
  legacyId: string | null;
  lastUsedAt: number | null;
}

/** A token as the database knows the token. */
interface StoredToken extends TokenAttribution {
  state: MappingState;
  /** The token's program has no app yet: an import may name the app. */
  isUnidentified: boolean;
  /** Only the calls of the token named its app: an import may prove the app. */
  isUnproven: boolean;
}

/** The changes that a batch makes to a token. */
interface Changes extends Partial<TokenAttribution> {
  isProven?: true;
}

/** A token in a batch, with its known data and its changes. */
export interface ImportedToken extends StoredToken {
  /** The id of the mapping; a new id for a token that was not known. */
  id: string;
  /** The data of a new token; undefined for a known token. */
  added: { digest: string; row: TokenImportRow } | undefined;
  changes: Changes;
}

/**
 * When an account id is known, an address counts only if its row or token names an account id too. So the result does
 * not depend on the order of rows.
 */
function emailOf(row: TokenAttribution, known: StoredToken): string | null {
  if (known.accountId === null && row.accountId === null) return known.email ?? row.email;
  const said = [known, row].map(({ accountId, email }) => (accountId === null ? null : email));
  return said.find((email) => email !== null) ?? null;
}

/** The data that a row adds to an unmapped token. */
function fillIn(row: TokenAttribution, known: StoredToken): Partial<TokenAttribution> {
  const email = emailOf(row, known);
  return {
    ...(row.clientId !== known.clientId && { clientId: row.clientId }),
    ...(known.accountId === null && row.accountId !== null && { accountId: row.accountId }),
    ...(email !== known.email && { email }),
    // Without the old id, a pair that comes later would not find the token.
    ...(known.accountId === null &&
      known.legacyId === null &&
      row.legacyId !== null && { legacyId: row.legacyId }),
  };
}

function isUsedLater(row: TokenAttribution, known: TokenAttribution): boolean {
  return row.lastUsedAt !== null && (known.lastUsedAt === null || row.lastUsedAt > known.lastUsedAt);
}

/**
 * Whether a row proves the app of a token. An unidentified program is no app, so a row that names the program proves
 * nothing.
 */
function isProof(row: TokenAttribution, { clientId, isUnidentified, isUnproven }: StoredToken): boolean {
  return isUnproven && (row.clientId !== clientId || !isUnidentified);
}

/**
 * Why a row cannot give a token its app. Under an unidentified program that is no contradiction; but a connection moves
 * by the word of support alone, because it may end with the move.
 */
function whyAtItsApp({ isUnidentified, state }: StoredToken): string {
  if (!isUnidentified) return 'already belongs to another app';
  return statesOf('assigned').includes(state)
    ? 'was connected under an unidentified program: use the command tokens assign'
    : 'has ended under an unidentified program';
}

/**
 * The changes that a row makes to a known token: missing data, and a later use. A token never moves to another account
 * or state, and final states stay as they are. An `Objection` says why the row is refused.
 */
export function changesOf(
  row: TokenAttribution,
  known: StoredToken,
  emailsOf: EmailLookup,
): Changes | Objection {
  const mayMove = known.isUnidentified && known.state === 'unmapped';
  if (row.clientId !== known.clientId && !mayMove) return { field: TOKEN, reason: whyAtItsApp(known) };
  if (isOtherOwner(row, known, emailsOf)) return { field: HOLDER, reason: OTHER_ACCOUNT };
  if (known.state === 'revoked' || known.state === 'migrated') return {};
  return {
    ...(isProof(row, known) && { isProven: true }),
    ...(known.state === 'unmapped' && fillIn(row, known)),
    ...(isUsedLater(row, known) && { lastUsedAt: row.lastUsedAt }),
  };
}
