import type { MappingState } from '../../../store/tables/tables.ts';
import { type EmailsOf, isOtherOwner, OTHER_ACCOUNT, type Owner } from './owners.ts';
import type { Objection } from '../refusals.ts';
import { HOLDER, type TokenRow } from '../reading/rows.ts';

/** Whose a token is and when it was last used, as a row says it or as it is known. */
export interface Claim extends Owner {
  clientId: string;
  lastUsedAt: number | null;
}

/** What is known of a token. */
interface Standing extends Claim {
  state: MappingState;
  /** Its program has no app yet: an import may say which one it is. */
  isUnidentified: boolean;
  /** Nobody but its calls said which app it has: an import may prove that. */
  isUnproven: boolean;
}

/** What a batch changes of a token. */
interface Changes extends Partial<Claim> {
  isProven?: true;
}

/** A token that a batch is about, as it was known and as it will be. */
export interface Token extends Standing {
  /** The mapping's id; a new one of a token that was not known. */
  id: string;
  /** What a new one is made from. */
  added: { digest: string; row: TokenRow } | undefined;
  changes: Changes;
}

/** Beside an id an address counts only if it was said of that id: whichever row comes first, the same is kept. */
function emailOf(row: Claim, known: Standing): string | null {
  if (known.accountId === null && row.accountId === null) return known.email ?? row.email;
  const said = [known, row].map(({ accountId, email }) => (accountId === null ? null : email));
  return said.find((email) => email !== null) ?? null;
}

/** What a row adds to a token that waits. */
function fillIn(row: Claim, known: Standing): Partial<Claim> {
  const email = emailOf(row, known);
  return {
    ...(row.clientId !== known.clientId && { clientId: row.clientId }),
    ...(known.accountId === null && row.accountId !== null && { accountId: row.accountId }),
    ...(email !== known.email && { email }),
  };
}

function isUsedLater(row: Claim, known: Claim): boolean {
  return row.lastUsedAt !== null && (known.lastUsedAt === null || row.lastUsedAt > known.lastUsedAt);
}

/** Whether a row proves the app of a token. An unidentified program is no app, and a row that names one proves nothing. */
function isProof(row: Claim, { clientId, isUnidentified, isUnproven }: Standing): boolean {
  return isUnproven && (row.clientId !== clientId || !isUnidentified);
}

/**
 * What a row changes of a token that is known: what was not known of it, and a later use. It never moves to another
 * owner or state, and what is final stays as it is. A reason says why the row is refused.
 */
export function changesOf(row: Claim, known: Standing, emailsOf: EmailsOf): Changes | Objection {
  const mayMove = known.isUnidentified && known.state === 'unmapped';
  if (row.clientId !== known.clientId && !mayMove)
    return { field: 'client_id', reason: 'already belongs to another app' };
  if (isOtherOwner(row, known, emailsOf)) return { field: HOLDER, reason: OTHER_ACCOUNT };
  if (known.state === 'revoked' || known.state === 'migrated') return {};
  return {
    ...(isProof(row, known) && { isProven: true }),
    ...(known.state === 'unmapped' && fillIn(row, known)),
    ...(isUsedLater(row, known) && { lastUsedAt: row.lastUsedAt }),
  };
}
