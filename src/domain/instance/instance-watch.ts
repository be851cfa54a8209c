import type { Clock } from '../../shared/clock.ts';
import { MINUTE, SECOND } from '../../shared/lifetimes.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { EpochFile } from '../../store/files/epoch-file.ts';
import type { PairOwner } from '../../store/files/spill.ts';
import {
  bumpEpoch,
  fillPlace,
  hasLiveGrants,
  markCopy,
  readInstance,
  type SeenInstance,
} from '../../store/instance/instance.ts';
import type { Store } from '../../store/driver/store.ts';
import type { Instance } from '../../store/tables/tables.ts';
import {
  type CopyFinding,
  FINDINGS,
  findPlaceProblem,
  isAboutThis,
  isFuller,
  isSound,
  judge,
  MAY_BE_DUMP,
  type InstanceObservation,
} from './detect-copy.ts';
import { remedyFor } from './copy-remedy.ts';
import { namedOwner, settledOwner } from './pair-owner.ts';
import { findOtherDatabase } from './other-database.ts';
import { EpochMemory } from './remember-epoch.ts';
import { TAKE_OVER_LEAP } from './take-over-epoch.ts';
import { restAfterFailure } from '../work/rest-after-failure.ts';

/**
 * Finds out whether this process works on the original database or on a copy (docs/decisions/0010). A copy sends
 * nothing to the new API or the old API until the take-over. This watch makes a copy silent as a whole. The condition
 * of the claim itself keeps refresh tokens of a copy from being presented (store/grants/presentations.ts).
 */
export interface InstanceWatch {
  isCopy(): boolean;
  /** Why the database counts as a copy, in words; undefined for the original. */
  why(): string | undefined;
  /** What the operator does about it, in sentences; undefined for the original. */
  remedy(): string | undefined;
  /** Whether nothing but the memory of this machine says that the database is a copy, by a later state. */
  isOnlyOlder(): boolean;
  /**
   * What is wrong with this machine's memory of the database, in words. Such a problem does not make the database a
   * copy.
   */
  findProblem(): string | undefined;
  /** Whether VAR_DIR belongs to this database. */
  ownsFolder(): boolean;
  /**
   * The owner of a pair that this process claims: the database that was last seen as the original. The address may lead
   * to another server since, which does not have the claim of the pair.
   */
  pairOwner(): PairOwner;
  /** The owner of pairs by the last look that succeeded. The address may lead elsewhere since (own-database.ts). */
  presentOwner(): PairOwner;
  /** The database of this process at a place, as the owner of pairs. */
  ownerAt(place: string): PairOwner;
  /** The database of this process, and the highest epoch of that database that this machine knows. */
  seen(): SeenInstance;
  /**
   * For how long this process has seen the database as the present original, in milliseconds by the monotonic clock.
   */
  originalFor(): number;
  /** Call after a commit that an older copy would not have. The epoch rises at the next turn. */
  noteClaim(): void;
  /** Reads the row at once. */
  look(): Promise<void>;
  /** Reads the row at once, and makes this machine remember this database instead of any other. */
  adopt(): Promise<void>;
  /**
   * Call when this process begins to serve. From then on the watch looks once a second, raises the epoch, and stores
   * its findings in the database.
   */
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
const FIRST_REST = 5 * SECOND;

/** The epoch rises also without a claim, so that an old copy of a quiet database is recognized. */
const BUMP_EVERY = 1 * MINUTE;

class Watch implements InstanceWatch {
  readonly #options: InstanceOptions;
  readonly #id: string;
  readonly #memory: EpochMemory;
  readonly #writeRestfully: () => Promise<void>;
  #epoch: number;
  #sight: InstanceObservation | undefined;
  /** The place where this process last saw the database as the original. */
  #home: string | undefined;
  #finding: CopyFinding | undefined;
  /** The other database that VAR_DIR belongs to, where this one counts as a copy. */
  #owner: string | undefined;
  #since: number;
  #timer: NodeJS.Timeout | undefined;
  #turning: Promise<void> | undefined;
  #looks = { begun: 0, judged: 0 };
  #claims = 0;
  #bumped: { claims: number; at: number };
  #silentUntil = 0;

  constructor(options: InstanceOptions, row: Instance) {
    this.#options = options;
    const message = 'the epoch of the database could not be raised';
    const resting = { logger: options.logger, message, firstRest: FIRST_REST };
    this.#writeRestfully = restAfterFailure(resting, () => this.#write());
    this.#id = row.id;
    this.#memory = new EpochMemory(options.file, options.logger);
    this.#epoch = Math.max(row.epoch, this.#memory.epochOf(row.id));
    this.#since = options.clock.elapsed();
    // Epoch 0 means that no bridge ever served this database. The first bridge raises the epoch at once.
    this.#bumped = { claims: 0, at: row.epoch === 0 ? Number.NEGATIVE_INFINITY : performance.now() };
  }

  isCopy = () => this.#finding !== undefined;
  isOnlyOlder = () => this.#finding === 'older' && this.#sight !== undefined && isSound(this.#sight);
  why = () => this.#finding && FINDINGS[this.#finding];
  remedy = () => this.#finding && remedyFor(this.#finding, this.#owner !== undefined);
  findProblem = () => this.#memory.findProblem();
  ownsFolder = () => this.presentOwner().ownsFolder;
  pairOwner = () => settledOwner(this.ownerAt(this.#home ?? this.#sight?.place ?? ''));
  presentOwner = () => this.ownerAt(this.#sight?.place ?? '');
  seen = () => ({ id: this.#id, epoch: this.#epoch });
  originalFor = () => (this.isCopy() ? 0 : this.#options.clock.elapsed() - this.#since);
  noteClaim = () => void (this.#claims += 1);

  ownerAt(place: string): PairOwner {
    const known = { instance: this.#id, address: this.#options.file.addressOf(place) };
    return namedOwner(known, () => !this.#memory.isAboutAnother({ seen: this.seen(), place }));
  }

  async look(): Promise<void> {
    await this.#see();
    await this.#settle();
  }

  async adopt(): Promise<void> {
    await this.look();
    if (!this.isCopy()) this.#keep({ mayForget: true, isMeant: true });
  }

  async start(): Promise<void> {
    if (this.#finding) this.#alarm(this.#finding);
    const problem = findPlaceProblem(this.#sight?.place ?? '');
    if (problem !== undefined) this.#options.logger.warn(problem);
    this.#timer = setInterval(() => void this.#turn(), LOOK_EVERY);
    this.#timer.unref();
    await this.#turn();
  }

  async stop(): Promise<void> {
    if (!this.#isServing()) return;
    clearInterval(this.#timer);
    await this.#turning;
    await this.#takeTurn(() => this.#write()).catch((error: unknown) => this.#complain(error));
  }

  /** An operator's command may point at any database from any machine, so a command marks no database as a copy. */
  #isServing(): boolean {
    return this.#timer !== undefined;
  }

  async #read(): Promise<InstanceObservation> {
    const { store } = this.#options;
    const { durable } = store;
    const row = await readInstance(durable);
    const isNeverServed = row.epoch === 0 && this.#memory.isOfAnother(row.id);
    const isUpgradedCopy = isNeverServed && (await hasLiveGrants(durable));
    return { row, place: await store.place(), isUpgradedCopy };
  }

  /** Two looks may overlap. A look that began earlier counts for nothing after a later look. */
  async #see(): Promise<void> {
    const number = (this.#looks.begun += 1);
    const known = this.seen();
    const sight = await this.#read();
    const finding = judge(sight, known);
    const owner = await this.#findOwner(sight, finding);
    if (number < this.#looks.judged) return;
    this.#looks.judged = number;
    this.#sight = sight;
    this.#home = finding === undefined ? sight.place : this.#home;
    this.#owner = owner;
    this.#become(finding, sight.row);
    if (this.isCopy()) return;
    if (owner === undefined) this.#keep({ mayForget: this.#isServing(), isMeant: false });
    else this.#memory.leaveTo(owner);
  }

  /**
   * The other database that VAR_DIR belongs to, where that matters: for a copy, and for a bridge that would make VAR_DIR
   * forget it. Asked at every look, not at the start alone: a silent copy may become the original by a take-over with
   * another VAR_DIR, and two bridges may begin at once in a new VAR_DIR. Asked before the finding of the look counts: in
   * between the bridge would say that it is ready.
   */
  async #findOwner(sight: InstanceObservation, finding?: CopyFinding): Promise<string | undefined> {
    const { row, place } = sight;
    const record = { seen: { id: this.#id, epoch: Math.max(this.#epoch, row.epoch) }, place };
    // A memory that cannot be read must not keep a copy from being recognized, so the memory is asked first.
    const isAsked = finding
      ? this.#memory.isAboutAnother(record)
      : this.#isServing() && this.#memory.wouldForget(record);
    return isAsked ? findOtherDatabase(this.#options.file, this.#options.store) : undefined;
  }

  #keep(how: { mayForget: boolean; isMeant: boolean }): void {
    this.#memory.keep({ seen: this.seen(), place: this.#sight?.place ?? '', ...how });
  }

  /** Stores the finding of the last look in the database. */
  async #settle(): Promise<void> {
    if (!this.#sight) return;
    const { durable, aside } = this.#options.store;
    const { row, place } = this.#sight;
    if (row.state === 'original' && this.#isServing() && isAboutThis(this.#finding))
      await markCopy(aside, row);
    if (this.isCopy() || !isFuller(place, row.place)) return;
    if (row.place === '' && row.epoch === 0 && (await hasLiveGrants(durable)))
      this.#options.logger.warn(MAY_BE_DUMP);
    await fillPlace(aside, { before: row.place, place });
  }

  #become(finding: CopyFinding | undefined, row: Instance): void {
    const before = this.#finding;
    const isTakenOver = row.epoch - this.#epoch >= TAKE_OVER_LEAP;
    if (!finding && (before || isTakenOver)) this.#since = this.#options.clock.elapsed();
    if (!finding) this.#epoch = Math.max(this.#epoch, row.epoch);
    this.#finding = finding;
    if (!this.#isServing() || before === finding) return;
    if (!finding) this.#options.logger.warn('the copy was taken over and is the original now');
    else if (!before) this.#alarm(finding);
  }

  #alarm(finding: CopyFinding): void {
    this.#options.logger.error('ALARM: this is a restored copy, the bridge sends nothing to the new API', {
      why: FINDINGS[finding],
      remedy: this.remedy(),
    });
  }

  async #bump(): Promise<void> {
    const claims = this.#claims;
    const isDue = claims > this.#bumped.claims || performance.now() - this.#bumped.at >= BUMP_EVERY;
    if (!isDue || this.isCopy()) return;
    await bumpEpoch(this.#options.store.aside, this.seen());
    this.#bumped = { claims, at: performance.now() };
    await this.#see();
  }

  async #write(): Promise<void> {
    await this.#settle();
    await this.#bump();
  }

  /** A look only reads and happens at every turn. After a look that failed, nothing is written. */
  async #takeTurn(write: () => Promise<void>): Promise<void> {
    await this.#see();
    await write();
  }

  /** A database that does not answer is asked again at the next turn. `/ready` reports the problem. */
  #complain(error: unknown): void {
    if (performance.now() < this.#silentUntil) return;
    this.#silentUntil = performance.now() + MINUTE;
    this.#options.logger.warn('the bridge could not check whether the database is a copy', { error });
  }

  #turn(): Promise<void> {
    this.#turning ??= this.#takeTurn(this.#writeRestfully)
      .catch((error: unknown) => this.#complain(error))
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
