import { dirname, resolve } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { findKeyProblems } from '../domain/rings.ts';
import { takeOver } from '../domain/take-over.ts';
import { makePrivateFolder } from '../shared/private-file.ts';
import { loadKeys } from '../store/keys-file.ts';
import type { CopyFacts } from '../store/sqlite-copy.ts';
import { restoreFile } from '../store/sqlite-restore.ts';
import { POSTGRES_RESTORE } from './postgres-copies.ts';
import type { Result } from './result.ts';
import { withWorkshop } from './with-workshop.ts';

const NEXT =
  'It is a copy: a bridge that runs on it sends nothing to the modern side. Once the original is stopped for good: grantbridge restore --take-over';

function requireKeys({ keysFile }: Config, { keys }: CopyFacts): void {
  const problems = findKeyProblems(keys, loadKeys(keysFile));
  if (problems.length > 0) throw new Error(`KEYS_FILE: ${problems.join('; ')}. Nothing was changed.`);
}

/** The backup in the place of the configured database. */
async function putBack(config: Config, given: string): Promise<Result> {
  const { database } = config;
  if (database.kind === 'postgres') return POSTGRES_RESTORE;
  const file = resolve(given);
  makePrivateFolder(dirname(database.file));
  const restored = await restoreFile(file, database.file, (facts) => requireKeys(config, facts));
  const { grants, mappings, schema, epoch, setAside } = restored;
  const lines = [
    `${file} was restored to ${database.file}: schema ${schema}, epoch ${epoch}, ${grants} grants, ${mappings} tokens.`,
    ...setAside.map((name) => `What was there before is kept as ${name}`),
  ];
  const json = { file, database: database.file, grants, mappings, schema, epoch, setAside };
  return { ok: true, lines: [...lines, NEXT], json: { ...json, state: 'copy' } };
}

/** The configured database as the original from now on. */
async function beginAnew(): Promise<Result> {
  return withWorkshop(async ({ context }) => {
    const grants = await takeOver(context);
    if (grants === undefined) {
      const refused = 'This database is the original already. Nothing was changed.';
      return { ok: false, lines: [refused], json: { refused } };
    }
    const { epoch } = context.instance.seen();
    const lines = [
      `The copy was taken over and is the original now, with epoch ${epoch}.`,
      `${grants} grants are in doubt: each serves on with its access token, and is looked into before it is refreshed.`,
    ];
    return { ok: true, lines, json: { state: 'original', grants, epoch } };
  });
}

/**
 * `restore [FILE] [--take-over]`: puts a backup in the place of the database, silent; and makes a copy the original, by
 * which the operator confirms that the other one is stopped.
 */
export async function restore(
  options: Record<string, unknown>,
  [file]: readonly (string | undefined)[],
): Promise<Result> {
  const isTakenOver = options['takeOver'] === true;
  if (file === undefined) {
    if (isTakenOver) return beginAnew();
    throw new Error('name a backup to restore, or --take-over, or both');
  }
  const restored = await putBack(readConfig(), file);
  if (!isTakenOver || !restored.ok) return restored;
  const taken = await beginAnew();
  const lines = [...restored.lines.filter((line) => line !== NEXT), ...taken.lines];
  return { ok: taken.ok, lines, json: { ...restored.json, ...taken.json } };
}
