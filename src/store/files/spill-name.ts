import { createHash } from 'node:crypto';

/** The names of the files in the spill, and what the log calls a file. */

interface NamedPair {
  grantId: string;
  version: number;
  owner?: { instance: string; address: string } | undefined;
}

/** The end of the name of a file that holds a pair. */
export const SPILL_SUFFIX = '.pair';

const SHORT = 12;

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, SHORT);

/**
 * The name of the file of a pair. The name holds a digest of the database too, so that a copy that spills into the
 * same folder overwrites no pair of its original. The dots keep the name whole in a log line: a longer run without a dot would be cut out like a
 * token (docs/decisions/0020).
 */
export function spillName({ grantId, version, owner }: NamedPair): string {
  const database = owner === undefined ? '' : `.${digestOf(JSON.stringify([owner.instance, owner.address]))}`;
  return `${grantId}.${version}${database}${SPILL_SUFFIX}`;
}

const NAMED = /^([\da-f]{24})[.-](\d*)/;

/** No row has a later version. */
const LATEST_VERSION = 2 ** 31 - 1;

/**
 * The grant that the name of a file tells, and the version that was presented to get its pair; the latest there can be
 * where the name tells none. Undefined where it tells no grant.
 */
export function grantOfName(file: string): { id: string; version: number } | undefined {
  const [, id, version = ''] = NAMED.exec(file) ?? [];
  if (id === undefined) return undefined;
  return { id, version: version === '' ? LATEST_VERSION : Math.min(Number(version), LATEST_VERSION) };
}

/**
 * Names by `spillName`, and those of the version before the database was part of the name. For a time names had dashes
 * and the digest, which a log line would cut out: they count as names that are not the bridge's.
 */
const OWN_NAME = /^[\da-f]{24}[.-]\d{1,10}(?:\.[\da-f]{12})?\.pair$/;

/**
 * What the log calls a file of the spill: its name where the bridge chose that name. Any other name could hold
 * anything, so a digest stands for it, and docs/operate/backup.md says how to find the file by the digest.
 */
export function loggedSpillName(file: string): string {
  return OWN_NAME.test(file) ? file : `sha256:${digestOf(file)}`;
}
