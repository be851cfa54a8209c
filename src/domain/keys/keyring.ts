import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { createNextRun } from '../../shared/next-run.ts';
import {
  createVault,
  type Key,
  type KeyRings,
  keyIdOf,
  KeyMissing,
  PURPOSES,
  type KeyPurpose,
  type Vault,
} from '../../shared/secrets.ts';
import { forgetHolders, type HeldKey, reportHolding } from '../../store/keys/key-holders.ts';
import { stampOf } from '../../shared/file-stamp.ts';
import { type KeysByPurpose, loadKeys } from '../../store/files/keys-file.ts';
import { listKeys } from '../../store/keys/keys.ts';
import type { Spill } from '../../store/files/spill.ts';
import type { Store } from '../../store/driver/store.ts';
import type { KnownKey } from '../../store/tables/tables.ts';
import { registerKeys } from './register-keys.ts';
import { findKeyProblems, usableKeysOf, type UsableKeys } from './usable-keys.ts';

/**
 * The keys of this process (docs/decisions/0007). The keys are proven before anything is served. Afterwards they follow
 * the key file and the register in the database, so that keys rotate while the bridge serves.
 */
export interface Keyring {
  vault: Vault;
  /** Which key in use this machine lacks, in words for `/ready`; undefined when none is missing. */
  findProblem(): string | undefined;
  /** Whether the file was readable at the last look, holds every key in use and fits the register. */
  isInOrder(): boolean;
  /** The id of the key that makes new values for a purpose. */
  activeId(purpose: KeyPurpose): string;
  /** The ids of all digest keys of this process, as one text to compare. */
  digestIds(): string;
  /**
   * Reads the register and the file again.
   * @throws {KeyMissing} a digest key is in use and this machine's file does not hold it
   */
  refresh(): Promise<void>;
  /**
   * Looks at the keys and reports to other processes what this process holds. A timer does the same once a second; an
   * unchanged report is repeated every three seconds.
   */
  turn(): Promise<void>;
  stop(): Promise<void>;
}

export interface KeyringOptions {
  store: Store;
  spill: Spill;
  file: string;
  /** Whether a missing key file is created for a database that knows no keys. */
  mayCreate: boolean;
  /** This process only looks: it registers no new keys, except in an empty register. */
  isLook?: boolean;
  processId: string;
  logger: Logger;
}

const LOOK_EVERY = 1 * SECOND;
const REPORT_EVERY = 3 * SECOND;

/** The keys as of the last look. */
interface KeyringView {
  held: KeysByPurpose;
  known: readonly KnownKey[];
  rings: UsableKeys;
}

const NOT_USABLE = 'ALARM: the key file was changed and is not usable, the bridge keeps the earlier keys';

/** Reads the file when it has changed. If the file cannot be used, the keys that were read before stay. */
function createFileReader(
  { file, logger }: KeyringOptions,
  first: KeysByPurpose,
  firstStamp: string | undefined,
) {
  let [held, stamp, isUsable] = [first, firstStamp, true];
  const readAnew = () => {
    try {
      held = loadKeys(file);
      if (!isUsable) logger.warn('the key file is usable again');
      isUsable = true;
    } catch (error) {
      isUsable = false;
      logger.error(NOT_USABLE, { error });
    }
  };
  return {
    read(): KeysByPurpose {
      const current = stampOf(file);
      if (current !== stamp) {
        stamp = current;
        readAnew();
      }
      return held;
    },
    isUsable: () => isUsable,
  };
}

/** Logs a repeated failure only when it is new. The look runs every second. */
function createComplaint({ logger }: KeyringOptions) {
  let last: string | undefined;
  return (problem: string | undefined): void => {
    if (problem !== undefined && problem !== last) logger.error(`ALARM: ${problem}`);
    if (problem === undefined && last !== undefined) logger.warn('the keys are in order again');
    last = problem;
  };
}

/** Stands for the key of a pair in a spill that cannot be read: it may be any. No key has this id. */
export const UNREADABLE_PAIR = '?';

/** The ids of the keys under which pairs wait in a spill. */
export async function spilledKeyIds(spill: Spill): Promise<string[]> {
  const { entries, unreadable } = await spill.list();
  const ids = entries.map(({ pair }) => keyIdOf(pair.refreshTokenSealed));
  return [...new Set([...ids, ...unreadable.map(() => UNREADABLE_PAIR)])];
}

function holdingOf({ keys }: UsableKeys, spilled: string[]): HeldKey {
  const said = PURPOSES.map((purpose) => {
    const { all, active } = keys[purpose];
    return [purpose, { ids: all.map(({ id }) => id), active: active.id }];
  });
  return { rings: Object.fromEntries(said) as HeldKey['rings'], spilled };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new Error(
      `KEYS_FILE: ${problems.join('; ')}; put a copy of the right file in place. Nothing was changed. Without a copy: docs/operate/keys.md, “When the key file is lost”`,
    );
}

/**
 * The first rings of a process, with all keys of the file. The active key is the active key of the register or, in a
 * new register, the first key of the file.
 */
function firstRings(known: readonly KnownKey[], held: KeysByPurpose): KeyRings {
  const rings = PURPOSES.map((purpose) => {
    const [first] = held[purpose];
    if (!first) throw new Error(`KEYS_FILE: there is no ${purpose} key`);
    const isActive = ({ id }: Key) =>
      known.some((row) => row.purpose === purpose && row.id === id && row.state === 'active');
    return [purpose, { active: held[purpose].find(isActive) ?? first, all: held[purpose] }];
  });
  return Object.fromEntries(rings) as KeyRings;
}

/** Proves the keys of the file by the register. New keys are added to the register. */
async function readFirst({ store, file, mayCreate, isLook }: KeyringOptions): Promise<KeyringView> {
  const before = await listKeys(store.durable);
  const held = loadKeys(file, mayCreate && before.length === 0);
  refuse(findKeyProblems(before, held));
  const vault = createVault(() => firstRings(before, held));
  if (!isLook || before.length === 0) await registerKeys({ store, vault }, before, held);
  const known = await listKeys(store.durable);
  // Another process may have registered other keys first.
  refuse(findKeyProblems(known, held));
  return { held, known, rings: usableKeysOf({ known, held }) };
}

/** What this process knows of its keys, and reports about them. */
class KeyWatch {
  readonly #options: KeyringOptions;
  readonly #file: ReturnType<typeof createFileReader>;
  readonly #complain: (problem: string | undefined) => void;
  readonly vault = createVault(() => this.#view.rings.keys);
  #view: KeyringView;
  #reported = { at: 0, text: '' };
  readonly #turns = createNextRun(() => this.#lookAndReport());

  constructor(options: KeyringOptions, view: KeyringView, stamp: string | undefined) {
    this.#options = options;
    this.#view = view;
    this.#file = createFileReader(options, view.held, stamp);
    this.#complain = createComplaint(options);
  }

  get rings(): UsableKeys {
    return this.#view.rings;
  }

  get isInOrder(): boolean {
    return this.#file.isUsable() && this.rings.missing === undefined && this.rings.warning === undefined;
  }

  /** Starts a look after this call. A look that began earlier does not count as fresh. */
  readonly look = createNextRun(() => this.#read()).begin;

  async #read(): Promise<void> {
    const { store, isLook } = this.#options;
    const held = this.#file.read();
    const before = await listKeys(store.durable);
    if (held === this.#view.held && isDeepStrictEqual(before, this.#view.known)) return;
    // The file of another database must not add keys to this register.
    const fits = findKeyProblems(before, held).length === 0;
    const isNew = fits && !isLook && (await registerKeys({ store, vault: this.vault }, before, held));
    const known = isNew ? await listKeys(store.durable) : before;
    this.#view = { held, known, rings: usableKeysOf({ known, held, before: this.rings }) };
    this.#complain(this.rings.missing ?? this.rings.warning);
  }

  async report(): Promise<void> {
    const { store, spill, processId } = this.#options;
    const holding = holdingOf(this.rings, await spilledKeyIds(spill));
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
      this.#options.logger.debug('the keys could not be checked', { error });
    }
  }

  /** Looks and reports once, both begun after this call. If the database is away, the next turn tries again. */
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
 * @throws {Error} in plain words when the keys do not belong to this database; nothing was changed
 */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const stamp = stampOf(options.file);
  const watch = new KeyWatch(options, await readFirst(options), stamp);
  await watch.report();
  // A key may have been activated between the first look and the report, without waiting for this process.
  await watch.look();
  const timer = setInterval(() => void watch.turn(), LOOK_EVERY);
  timer.unref();
  return {
    vault: watch.vault,
    findProblem: () => watch.rings.missing,
    isInOrder: () => watch.isInOrder,
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
