import { hintOfAny } from '../../../shared/ids.ts';
import { sha256Of } from '../../../shared/secrets.ts';
import type { IdKind } from '../../../store/tables/existing-token-tables.ts';
import {
  type ImportFields,
  readCallbacks,
  readClientId,
  readEmail,
  readEmails,
  readId,
  readSecret,
  readSha256,
  readText,
  readTime,
  required,
} from './fields.ts';
import { RowRefused } from '../refusals.ts';

/** The rows of an import, each checked by itself. Times are in Unix milliseconds; secrets are kept only as SHA-256. */

export interface AppImportRow {
  line: number;
  clientId: string;
  name: string;
  secret: Buffer | null;
  callbacks: string[];
  contacts: string[];
  ownerEmail: string | null;
  ownerAccountId: string | null;
  createdAt: number | null;
}

export interface PairImportRow {
  line: number;
  kind: IdKind;
  legacyId: string;
  modernId: string | null;
  email: string | null;
}

export interface TokenImportRow {
  line: number;
  token: Buffer;
  /** Known when the file held the raw token, and the token is long enough for a hint. */
  hint: { first: string; last: string } | null;
  clientId: string;
  accountId: string | null;
  email: string | null;
  createdAt: number | null;
  lastUsedAt: number | null;
}

export type ImportRow =
  | { type: 'app'; row: AppImportRow }
  | { type: 'pair'; row: PairImportRow }
  | { type: 'token'; row: TokenImportRow };

interface RowInput {
  line: number;
  fields: ImportFields;
  now: number;
}

interface Secret {
  sha256: Buffer;
  raw: string | null;
}

/** A secret that the row gives raw, as SHA-256, or in both forms. Two forms must match. */
function readDigested(fields: ImportFields, name: string): Secret | null {
  const raw = readSecret(fields, name);
  const given = readSha256(fields, `${name}_sha256`);
  const sha256 = raw === null ? given : sha256Of(raw);
  if (sha256 === null) return null;
  if (given !== null && !given.equals(sha256))
    throw new RowRefused('is not that of the value beside it', `${name}_sha256`);
  return { sha256, raw };
}

function requireOne(a: string | null, b: string | null, names: string): void {
  if (a === null && b === null) throw new RowRefused('is missing', names);
}

const NAME_MAX = 200;

/** A row may name either of two fields, or both. A refusal names the two fields together. */
export const OWNER = 'owner_email or owner_account_id';
export const CALLBACKS = 'callback_urls';
export const SECRET = 'client_secret or client_secret_sha256';
export const TOKEN = 'access_token or access_token_sha256';
export const HOLDER = 'account_email or account_id';
const PARTNER = 'modern_id or email';

function readApp({ line, fields, now }: RowInput): AppImportRow {
  const ownerEmail = readEmail(fields, 'owner_email');
  const ownerAccountId = readId(fields, 'owner_account_id');
  requireOne(ownerEmail, ownerAccountId, OWNER);
  return {
    line,
    clientId: required(fields, 'client_id', readClientId),
    name: required(fields, 'name', (all, name) => readText(all, name, NAME_MAX)),
    secret: readDigested(fields, 'client_secret')?.sha256 ?? null,
    callbacks: readCallbacks(fields, CALLBACKS),
    contacts: readEmails(fields, 'contacts'),
    ownerEmail,
    ownerAccountId,
    createdAt: readTime(fields, 'created_at', now),
  };
}

function readPair(kind: IdKind, { line, fields }: RowInput): PairImportRow {
  const legacyId = required(fields, 'legacy_id', readId);
  if (kind === 'profile') {
    return { line, kind, legacyId, modernId: required(fields, 'modern_id', readId), email: null };
  }
  const [modernId, email] = [readId(fields, 'modern_id'), readEmail(fields, 'email')];
  requireOne(modernId, email, PARTNER);
  return { line, kind, legacyId, modernId, email };
}

function readToken({ line, fields, now }: RowInput): TokenImportRow {
  const secret = readDigested(fields, 'access_token');
  if (secret === null) throw new RowRefused('is missing', TOKEN);
  const accountId = readId(fields, 'account_id');
  const email = readEmail(fields, 'account_email');
  requireOne(accountId, email, HOLDER);
  return {
    line,
    token: secret.sha256,
    hint: secret.raw === null ? null : (hintOfAny(secret.raw) ?? null),
    clientId: required(fields, 'client_id', readClientId),
    accountId,
    email,
    createdAt: readTime(fields, 'created_at', now),
    lastUsedAt: readTime(fields, 'last_used_at', now),
  };
}

const TYPES: ReadonlyMap<string, ImportRow['type']> = new Map([
  ['app', 'app'],
  ['profile', 'pair'],
  ['account', 'pair'],
  ['token', 'token'],
]);

/** The type of a row, before its other fields are read. */
export function rowTypeOf(fields: ImportFields): ImportRow['type'] | undefined {
  const type = fields.get('type');
  return typeof type === 'string' ? TYPES.get(type.trim()) : undefined;
}

/** @throws {RowRefused} a field of the row is missing or not valid */
export function readRow(given: RowInput): ImportRow {
  const type = required(given.fields, 'type', readText);
  if (type === 'token') return { type, row: readToken(given) };
  if (type === 'app') return { type, row: readApp(given) };
  if (type === 'profile' || type === 'account') return { type: 'pair', row: readPair(type, given) };
  throw new RowRefused('is not app, profile, account or token', 'type');
}
