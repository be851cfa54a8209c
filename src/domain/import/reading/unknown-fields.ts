import { redactText } from '../../../shared/log/redaction.ts';
import type { ImportEntry } from './reader.ts';
import type { Source } from './source.ts';

const fieldsOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const OF_PAIRS = 'legacy_id modern_id';

/** The fields that rows of each type may have, beside their type. */
export const KNOWN_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'app',
    fieldsOf(
      'client_id client_secret client_secret_sha256 name callback_urls owner_email owner_account_id contacts created_at',
    ),
  ],
  ['profile', fieldsOf(OF_PAIRS)],
  ['account', fieldsOf(`${OF_PAIRS} email`)],
  [
    'token',
    fieldsOf('access_token access_token_sha256 client_id account_email account_id created_at last_used_at'),
  ],
]);

const ALL_KNOWN = new Set([...KNOWN_FIELDS.values()].flatMap((names) => [...names]));

const isEmpty = (value: unknown) => value === null || value === '';

/** A field of NDJSON may have any name. Only these are told. Any other text might be a secret in the wrong place. */
const SAFE = /^[A-Za-z_]{1,24}$/;

const NAME_MAX = 40;

const NAMES_MAX = 20;

const NAMES_JUDGED_MAX = 100;

/** So many names that are not told are counted, so that no file can fill the memory. */
export const HIDDEN_MAX = 1000;

/** What is told of a name; undefined where nothing of it may be told. */
function toldOf(name: string, format: Source['format']): string | undefined {
  if (format === 'ndjson') return SAFE.test(name) ? name : undefined;
  // The first line of CSV holds names alone. A terminal obeys control characters.
  const told = redactText(name).replaceAll(/\p{C}/gu, '?').slice(0, NAME_MAX);
  return told === '' ? undefined : told;
}

/** Collects the names of fields that an import does not know, or not in rows of their type, and ignores. */
export function createUnknownFields(format: Source['format']) {
  const names = new Set<string>();
  const hidden = new Set<string>();
  // Each row of a file names the same fields, and to look at a name for secrets costs more than to read the row.
  const judged = new Map<string, string | undefined>();
  function judge(name: string): string | undefined {
    if (judged.has(name)) return judged.get(name);
    const told = toldOf(name, format);
    if (judged.size < NAMES_JUDGED_MAX) judged.set(name, told);
    return told;
  }
  function add(name: string, told = judge(name)): void {
    if (told !== undefined && (names.has(told) || names.size < NAMES_MAX)) names.add(told);
    else if (hidden.size < HIDDEN_MAX) hidden.add(name.slice(0, NAME_MAX));
  }
  return {
    names,
    hidden,
    note({ fields }: ImportEntry): void {
      const said = fields.get('type');
      const type = typeof said === 'string' ? said.trim() : '';
      const known = KNOWN_FIELDS.get(type) ?? ALL_KNOWN;
      for (const [name, value] of fields) {
        if (name === 'type' || known.has(name)) continue;
        if (!ALL_KNOWN.has(name)) add(name);
        else if (!isEmpty(value)) add(name, `${name} in rows of type ${type}`);
      }
    },
  };
}
