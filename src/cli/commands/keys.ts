import { readConfig } from '../../config/config.ts';
import { activateKey } from '../../domain/keys/activate-key.ts';
import { addKeys } from '../../domain/keys/add-keys.ts';
import { describeKeys } from '../../domain/keys/describe-keys.ts';
import { dropKey, inWords } from '../../domain/keys/drop-key.ts';
import { countToReseal, resealAll } from '../../domain/keys/reseal.ts';
import { PURPOSES, type KeyPurpose } from '../../shared/secrets.ts';
import { shown } from './dates/moment-option.ts';
import { createProgressReport, type ProgressReport } from '../terminal/progress.ts';
import type { Result } from './result.ts';
import { withContext } from './with-context.ts';

interface Options {
  purpose?: KeyPurpose;
}

/** `keys add`: a new key for each purpose in this machine's key file. */
export async function addKey(): Promise<Result> {
  const { keysFile } = readConfig();
  return withContext(async ({ context }) => {
    const { id, isNew } = await addKeys(context, keysFile);
    const done = isNew
      ? `Key ${id} was added to ${keysFile}.`
      : `Key ${id} was added before and is not active yet.`;
    const next = `Copy this file to every machine, and keep a copy apart from the database, then: grantbridge keys activate ${id}`;
    return { ok: true, lines: [done, next], json: { id, added: isNew, file: keysFile } };
  });
}

/** `keys activate ID`: makes the key the active one; from now on new values are written with this key. */
export async function activate(options: Options, [id = '']: readonly string[]): Promise<Result> {
  return withContext(async ({ context }) => {
    const purposes = options.purpose ? [options.purpose] : PURPOSES;
    const activated = (await activateKey(context, { id, purposes })).map(({ purpose }) => purpose);
    const lines = [
      activated.length > 0
        ? `Key ${id} is active for ${activated.join(', ')}.`
        : `Key ${id} was active already.`,
      'Keep a copy of the key file, apart from the database: what is written from now on needs this key.',
      'Next: grantbridge keys reseal',
    ];
    return { ok: true, lines, json: { id, activated } };
  });
}

/** Reports progress on standard error: a bar on a terminal, else one line for each tenth. */
function progressOf(total: number, report: ProgressReport): (done: number) => void {
  let told = 0;
  return (done) => {
    if (process.stderr.isTTY)
      return report.tell({ done, total, things: done, words: `${done} of ${total} values` });
    const tenth = Math.floor((10 * done) / Math.max(total, 1));
    if (tenth <= told) return;
    told = tenth;
    process.stderr.write(`${done} of ${total} values sealed anew\n`);
  };
}

/** `keys reseal`: values that are sealed with an older key are sealed anew with the active key. */
export async function reseal(): Promise<Result> {
  return withContext(async ({ context }) => {
    const keyId = context.keyring.activeId('sealing');
    const total = await countToReseal(context, keyId);
    const report = createProgressReport(false);
    const onProgress = progressOf(total, report);
    const { resealed, unreadable } = await resealAll(context, { keyId, onProgress }).finally(() =>
      report.end(),
    );
    const left = await countToReseal(context, keyId);
    const lines = [
      `${resealed} values were sealed anew with key ${keyId}, ${left} are left.`,
      ...unreadable.map((place) => `cannot be opened and was not changed: ${place}`),
    ];
    const json = { key: keyId, resealed, left, unreadable };
    return { ok: unreadable.length === 0, lines, json };
  });
}

/** `keys drop ID`: removes a key that no data needs any more. When data still needs the key, the answer says which. */
export async function drop(options: Options, [id = '']: readonly string[]): Promise<Result> {
  const { keysFile } = readConfig();
  return withContext(async ({ context }) => {
    const purposes = options.purpose ? [options.purpose] : PURPOSES;
    const { outcomes, isHistoryLeft } = await dropKey(context, keysFile, { id, purposes });
    const lines = outcomes.map(({ purpose, kept }) =>
      kept === undefined ? `${purpose} ${id}: dropped` : `${purpose} ${id}: kept, ${kept}`,
    );
    if (isHistoryLeft) lines.push(`history ${id}: kept. To drop a history key, add --purpose history`);
    return {
      ok: outcomes.every(({ kept }) => kept === undefined),
      lines,
      json: { id, outcomes, isHistoryLeft },
    };
  });
}

/** `keys list`: every key, the data that depends on the key, and the processes that hold the key. */
export async function listAllKeys(): Promise<Result> {
  return withContext(async ({ context }) => {
    const keys = await describeKeys(context);
    const lines = keys.map(({ purpose, id, state, usage, heldBy, processes }) => {
      const stands = inWords(usage) || 'nothing';
      const held =
        state === 'dropped'
          ? ''
          : `; held by ${heldBy.length} of ${processes} processes, this process included`;
      return `${purpose.padEnd(8)} ${id.padEnd(10)} ${state.padEnd(8)} needed for ${stands}${held}`;
    });
    const told = keys.map(({ changedAt, ...key }) => ({ ...key, changedAt: shown(changedAt) }));
    const rows = keys.map(({ purpose, id, state, usage, heldBy, processes }) => {
      const held = state === 'dropped' ? '' : `${heldBy.length} of ${processes}`;
      return [purpose, id, state, inWords(usage) || 'nothing', held];
    });
    const table = { head: ['PURPOSE', 'KEY', 'STATE', 'NEEDED FOR', 'HELD BY PROCESSES'], rows };
    return { ok: true, lines, table, json: { keys: told } };
  });
}
