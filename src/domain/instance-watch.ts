import type { Clock } from '../shared/clock.ts';
import { MINUTE, SECOND } from '../shared/lifetimes.ts';
import type { Logger } from '../shared/logger.ts';
import type { EpochFile } from '../store/epoch-file.ts';
import { bumpEpoch, fillPlace, markCopy, readInstance, type SeenInstance } from '../store/instance.ts';
import type { Store } from '../store/store.ts';
import type { Instance } from '../store/tables.ts';

/**
 * Whether this process works on the original database or on a copy of it (design 5, restored copies). A copy sends
 * nothing to the modern side until it is taken over. What is found out here makes a copy silent as a whole; that no
 * refresh token is presented on one rests on the condition of the claim itself (store/presentations.ts).
 */
export interface InstanceWatch {
  isCopy(): boolean;
  /** Why the database counts as a copy, in words; undefined for the original. */
  why(): string | undefined;
  /** The database that this process works with, and the highest epoch of it that this machine knows. */
  seen(): SeenInstance;
  /** How long this process has seen the database as the original that it is now, in milliseconds by the monotonic clock. */
  originalFor(): number;
  /** Something was committed that an older copy would not know: the epoch rises at the next turn. */
  noteClaim(): void;
  /** Reads the row at once. */
  look(): Promise<void>;
  /** From here on this process serves: it looks once a second, raises the epoch, and keeps in the database what it finds. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface InstanceOptions {
  store: Store;
  file: EpochFile;
  clock: Pick<Clock, 'elapsed'>;
  logger: Logger;
}

const LOOK_EVERY = 1 * SECOND;

/** Also without a claim, so that an old copy of a quiet database is known for one. */
const BUMP_EVERY = 1 * MINUTE;

/** A take-over begins a new era, which no copy of an earlier one reaches by counting. */
const ERA = 1_000_000_000;

/** The first epoch of the era after the one of the given epoch. */
export function nextEra(epoch: number): number {
  return (Math.floor(epoch / ERA) + 1) * ERA;
}

const FINDINGS = {
  other: 'another database came into the place of the one that this process began with; start it again',
  older: 'the database is older than this machine has seen it before',
  moved: 'the database is a copy of another one, or was moved to another server',
  restored: 'the database was restored from a backup, or found to be a copy before',
} as const;

type Finding = keyof typeof FINDINGS;

/** Another database than this process began with may be sound. */
function isAboutThis(finding: Finding | undefined): boolean {
  return finding !== undefined && finding !== 'other';
}

/** A role that may not ask for the server's identifier knows the database by its number alone. */
function isSamePlace(kept: string, present: string): boolean {
  if (kept === '') return true;
  const [[keptServer, keptNumber], [server, number]] = [kept.split('/'), present.split('/')];
  return keptNumber === number && (!keptServer || !server || keptServer === server);
}

class Watch implements InstanceWatch {
  readonly #options: InstanceOptions;
  readonly #id: string;
  #epoch: number;
  #kept: SeenInstance | undefined;
  #finding: Finding | undefined;
  #since: number;
  #timer: NodeJS.Timeout | undefined;
  #turning: Promise<void> | undefined;
  #claims = 0;
  #bumped = { claims: 0, at: performance.now() };
  #quietUntil = 0;

  constructor(options: InstanceOptions, row: Instance) {
    this.#options = options;
    this.#id = row.id;
    this.#kept = options.file.read();
    this.#epoch = Math.max(row.epoch, this.#kept?.id === row.id ? this.#kept.epoch : 0);
    this.#since = options.clock.elapsed();
  }

  isCopy = () => this.#finding !== undefined;
  why = () => this.#finding && FINDINGS[this.#finding];
  seen = () => ({ id: this.#id, epoch: this.#epoch });
  originalFor = () => (this.isCopy() ? 0 : this.#options.clock.elapsed() - this.#since);
  noteClaim = () => void (this.#claims += 1);

  async look(): Promise<void> {
    const { store } = this.#options;
    // Learned before the row is read: two looks may overlap.
    const { epoch } = this.seen();
    const row = await readInstance(store.durable);
    const place = await store.place();
    const finding = row.epoch < epoch && row.id === this.#id ? 'older' : this.#judge(row, place);
    if (row.state === 'original' && this.#isServing() && isAboutThis(finding))
      await markCopy(store.durable, row);
    if (!finding && row.place === '' && place !== '') await fillPlace(store.durable, place);
    this.#become(finding, row);
    if (!finding) this.#keep();
  }

  async start(): Promise<void> {
    if (this.#finding) this.#alarm(this.#finding);
    this.#timer = setInterval(() => void this.#turn(), LOOK_EVERY);
    this.#timer.unref();
    await this.#turn();
  }

  async stop(): Promise<void> {
    if (!this.#isServing()) return;
    clearInterval(this.#timer);
    await this.#turning;
    await this.#turn();
  }

  /** An operator's command may be pointed at any database from any machine; it silences none. */
  #isServing(): boolean {
    return this.#timer !== undefined;
  }

  #judge(row: Instance, place: string): Finding | undefined {
    if (row.id !== this.#id) return 'other';
    if (!isSamePlace(row.place, place)) return 'moved';
    return row.state === 'copy' ? 'restored' : undefined;
  }

  #become(finding: Finding | undefined, row: Instance): void {
    const before = this.#finding;
    const isNewEra = nextEra(row.epoch) !== nextEra(this.#epoch);
    if (!finding && (before || isNewEra)) this.#since = this.#options.clock.elapsed();
    if (!finding) this.#epoch = Math.max(this.#epoch, row.epoch);
    this.#finding = finding;
    if (!this.#isServing() || before === finding) return;
    if (!finding) this.#options.logger.warn('the copy was taken over, it is the original now');
    else if (!before) this.#alarm(finding);
  }

  #alarm(finding: Finding): void {
    this.#options.logger.error('ALARM: this is a restored copy, nothing is sent to the modern side', {
      why: FINDINGS[finding],
      remedy: 'once the original is stopped for good: grantbridge restore --take-over',
    });
  }

  /**
   * Other processes of the machine write the same file; a higher epoch of theirs stays. What the machine knows of another
   * database is forgotten only for one that it serves.
   */
  #keep(): void {
    const isKept = () => this.#kept?.id === this.#id && this.#kept.epoch >= this.#epoch;
    if (isKept()) return;
    this.#kept = this.#options.file.read();
    if (isKept() || (this.#kept && this.#kept.id !== this.#id && !this.#isServing())) return;
    this.#options.file.write(this.seen());
    this.#kept = this.seen();
  }

  async #bump(): Promise<void> {
    const claims = this.#claims;
    const isDue = claims > this.#bumped.claims || performance.now() - this.#bumped.at >= BUMP_EVERY;
    if (!isDue || this.isCopy()) return;
    await bumpEpoch(this.#options.store.durable, this.seen());
    this.#bumped = { claims, at: performance.now() };
    await this.look();
  }

  /** A database that is away is asked again at the next turn; readiness tells of it. */
  #turn(): Promise<void> {
    this.#turning ??= this.look()
      .then(() => this.#bump())
      .catch((error: unknown) => {
        if (performance.now() < this.#quietUntil) return;
        this.#quietUntil = performance.now() + MINUTE;
        this.#options.logger.warn('whether the database is a copy could not be looked at', { error });
      })
      .finally(() => {
        this.#turning = undefined;
      });
    return this.#turning;
  }
}

/**
 * Finds out whether the database is a copy.
 * @throws {Error} in plain words when VAR_DIR/epoch.json cannot be read
 */
export async function openInstanceWatch(options: InstanceOptions): Promise<InstanceWatch> {
  const watch = new Watch(options, await readInstance(options.store.durable));
  await watch.look();
  return watch;
}
