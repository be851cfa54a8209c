import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { createNextRun } from '../../shared/next-run.ts';
import {
  createVault,
  type Key,
  type Keys,
  keyIdOf,
  KeyMissing,
  PURPOSES,
  type Purpose,
  type Vault,
} from '../../shared/secrets.ts';
import { forgetHolders, type Holding, reportHolding } from '../../store/keys/key-holders.ts';
import { stampOf } from '../../shared/file-stamp.ts';
import { type HeldKeys, loadKeys } from '../../store/files/keys-file.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { Spill } from '../../store/files/spill.ts';
import type { Store } from '../../store/driver/store.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import { registerKeys } from './register-keys.ts';
import { findKeyProblems, usableKeysOf, type UsableKeys } from './usable-keys.ts';

/**
 * The keys of this process (docs/decisions/0007): proven before anything is served, then kept as the key file and
 * the database's register say, so that keys rotate while the bridge serves.
 */
export interface Keyring {
  vault: Vault;
  /** What is wrong with the keys of this machine by now, for `/ready`; undefined when they serve. */
  findProblem(): string | undefined;
  /** The id of the key that writes for a purpose now. */
  activeId(purpose: Purpose): string;
  /** The ids of the keys that digests are made with now, as one text to compare. */
  digestIds(): string;
  /**
   * Reads register and file again.
   * @throws {KeyMissing} a digest key is in use that this machine's file does not hold
   */
  refresh(): Promise<void>;
  /** Looks now, and says what this process holds, so that others know; both come by themselves once a second. */
  turn(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeyringOptions {
  store: Store;
  spill: Spill;
  file: string;
  /** Whether a database that knows no keys gets new ones. */
  mayCreate: boolean;
  /** Keys that the register does not know are left out of it: this process only looks. */
  isLook?: boolean;
  processId: string;
  logger: Logger;
}

const LOOK_EVERY = 1 * SECOND;
const REPORT_EVERY = 3 * SECOND;

/** Everything that was known of the keys at the last look. */
interface View {
  held: HeldKeys;
  known: readonly KnownKey[];
  rings: UsableKeys;
}

/** The file as it was last read; a file that cannot be read now leaves the keys that were. */
function createFileReader({ file, logger }: KeyringOptions, first: HeldKeys, firstStamp: string | undefined) {
  let [held, stamp] = [first, firstStamp];
  return (): HeldKeys => {
    const current = stampOf(file);
    if (current === stamp) return held;
    stamp = current;
    try {
      held = loadKeys(file);
    } catch (error) {
      logger.error('ALARM: the key file was changed and is not usable, the keys read before serve on', {
        error,
      });
    }
    return held;
  };
}

/** A failure that comes every second is worth a line only when it is new. */
function createComplaint({ logger }: KeyringOptions) {
  let last: string | undefined;
  return (problem: string | undefined): void => {
    if (problem !== undefined && problem !== last) logger.error(`ALARM: ${problem}`);
    if (problem === undefined && last !== undefined) logger.warn('the keys are in order again');
    last = problem;
  };
}

async function spilledIds(spill: Spill): Promise<string[]> {
  const { entries } = await spill.list();
  return [...new Set(entries.map(({ pair }) => keyIdOf(pair.refreshTokenSealed)))];
}

function holdingOf({ keys }: UsableKeys, spilled: string[]): Holding {
  const said = PURPOSES.map((purpose) => {
    const { all, active } = keys[purpose];
    return [purpose, { ids: all.map(({ id }) => id), active: active.id }];
  });
  return { rings: Object.fromEntries(said) as Holding['rings'], spilled };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`KEYS_FILE: ${problems.join('; ')}. Nothing was changed.`);
}

/** The keys as the file has them, before anything is known of the database's. */
function firstRings(known: readonly KnownKey[], held: HeldKeys): Keys {
  const rings = PURPOSES.map((purpose) => {
    const [first] = held[purpose];
    if (!first) throw new Error(`KEYS_FILE: there is no ${purpose} key`);
    const isActive = ({ id }: Key) =>
      known.some((row) => row.purpose === purpose && row.id === id && row.state === 'active');
    return [purpose, { active: held[purpose].find(isActive) ?? first, all: held[purpose] }];
  });
  return Object.fromEntries(rings) as Keys;
}

/** Proves the file's keys by the register, which learns those that are new. */
async function readFirst({ store, file, mayCreate, isLook }: KeyringOptions): Promise<View> {
  const before = await listKeys(store.durable);
  const held = loadKeys(file, mayCreate && before.length === 0);
  refuse(findKeyProblems(before, held));
  const vault = createVault(() => firstRings(before, held));
  if (!isLook || before.length === 0) await registerKeys({ store, vault }, before, held);
  const known = await listKeys(store.durable);
  // Another first starter may have been faster, with keys of its own.
  refuse(findKeyProblems(known, held));
  return { held, known, rings: usableKeysOf({ known, held }) };
}

/** What this process knows of its keys, and says of them. */
class KeyWatch {
  readonly #options: KeyringOptions;
  readonly #readFile: () => HeldKeys;
  readonly #complain: (problem: string | undefined) => void;
  readonly vault = createVault(() => this.#view.rings.keys);
  #view: View;
  #reported = { at: 0, text: '' };
  readonly #turns = createNextRun(() => this.#lookAndReport());

  constructor(options: KeyringOptions, view: View, stamp: string | undefined) {
    this.#options = options;
    this.#view = view;
    this.#readFile = createFileReader(options, view.held, stamp);
    this.#complain = createComplaint(options);
  }

  get rings(): UsableKeys {
    return this.#view.rings;
  }

  /** A look that begins after this call: nobody takes one for fresh that began before. */
  readonly look = createNextRun(() => this.#read()).begin;

  async #read(): Promise<void> {
    const { store, isLook } = this.#options;
    const held = this.#readFile();
    const before = await listKeys(store.durable);
    if (held === this.#view.held && isDeepStrictEqual(before, this.#view.known)) return;
    // A file of another database announces nothing here.
    const fits = findKeyProblems(before, held).length === 0;
    const isNew = fits && !isLook && (await registerKeys({ store, vault: this.vault }, before, held));
    const known = isNew ? await listKeys(store.durable) : before;
    this.#view = { held, known, rings: usableKeysOf({ known, held, before: this.rings }) };
    this.#complain(this.rings.missing ?? this.rings.warning);
  }

  async report(): Promise<void> {
    const { store, spill, processId } = this.#options;
    const holding = holdingOf(this.rings, await spilledIds(spill));
    const text = JSON.stringify(holding);
    const isFresh = performance.now() - this.#reported.at < REPORT_EVERY;
    if (isFresh && text === this.#reported.text) return;
    await reportHolding(store, { processId, machine: hostname(), ...holding });
    this.#reported = { at: performance.now(), text };
  }

  async #lookAndReport(): Promise<void> {
    try {
      await this.look();
      await this.report();
    } catch (error) {
      this.#options.logger.debug('the keys could not be looked at', { error });
    }
  }

  /** One look and one word that begin after this call; a database that is away is asked again at the next turn. */
  turn(): Promise<void> {
    return this.#turns.begin();
  }

  /** Resolves when no turn runs. */
  async settled(): Promise<void> {
    await this.#turns.settled();
  }
}

/**
 * Opens the keys.
 * @throws {Error} in plain words when they are not those of this database; nothing was changed
 */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const stamp = stampOf(options.file);
  const watch = new KeyWatch(options, await readFirst(options), stamp);
  await watch.report();
  // What was activated between the first look and the report did not wait for this process.
  await watch.look();
  const timer = setInterval(() => void watch.turn(), LOOK_EVERY);
  timer.unref();
  return {
    vault: watch.vault,
    findProblem: () => watch.rings.missing,
    activeId: (purpose) => watch.rings.keys[purpose].active.id,
    digestIds: () => watch.rings.keys.digest.all.map(({ id }) => id).join(),
    async refresh() {
      await watch.look();
      if (watch.rings.missingDigest !== undefined) throw new KeyMissing(watch.rings.missingDigest);
    },
    turn: () => watch.turn(),
    async stop() {
      clearInterval(timer);
      await watch.settled();
      await forgetHolders(options.store.durable, { processId: options.processId }).catch(() => undefined);
    },
  };
}
