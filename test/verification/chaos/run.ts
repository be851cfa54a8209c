import type { LegacyApp, Person } from '../../support/callers/authorize.ts';
import type { CookieWalker } from '../../support/callers/cookie-walker.ts';
import type { Context } from '../../../src/domain/context.ts';
import type { Callers } from './callers/caller.ts';
import type { GrantsDatabase } from './grants-database.ts';
import type { ChaosOptions } from './options.ts';
import type { Round } from './plan.ts';
import type { ChaosRecord } from './record.ts';
import type { Topology } from './topology.ts';

/** Somebody with an account at the new API, and the browser in use. */
export interface Holder {
  person: Person;
  /** A profile of the account. */
  profile: string;
  browser: CookieWalker;
  /** What each of its requests says to the balancer. */
  headers: { [name: string]: string };
}

/** An app with the tokens that it was given. */
export interface ChaosApp extends LegacyApp {
  holder: Holder;
  tokens: string[];
  /** While its holder connects it. */
  isBusy: boolean;
}

/** A chaos while it runs. */
export interface ChaosRun {
  options: ChaosOptions;
  plan: readonly Round[];
  topology: Topology;
  database: GrantsDatabase;
  /** The bridge's own view of its database, from the moment on at which it was migrated. */
  context: Context | undefined;
  apps: readonly ChaosApp[];
  callers: Callers;
  record: ChaosRecord;
  /** The number of the round that is played. */
  round: number;
  complain(rule: string, text: string): void;
  say(text: string): void;
}
