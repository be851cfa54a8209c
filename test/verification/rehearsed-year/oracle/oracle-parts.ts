import type { Duty } from './oracle-due.ts';
import type { OracleState } from './oracle-state.ts';

/** What the oracle keeps of each person, and what it finds wrong. */

export type Violation =
  | 'missing'
  | 'twice'
  | 'too late'
  | 'not due'
  | 'second mail'
  | 'night'
  | 'wrong address'
  | 'wrongly listed'
  | 'unexplained repeat'
  | 'ledger'
  | 'mail text';

export type Complain = (violation: Violation, text: string) => void;

/** One mail that arrived, or one that is listed as undeliverable, in one tick. */
export interface Told {
  human: string;
  /** What it is about, by `keyOf`. */
  keys: readonly string[];
  /** Undefined: listed. */
  to: string | undefined;
}

/** What disturbed a tick. */
export interface Disturbances {
  isAway: boolean;
  wasKilled: boolean;
  /** Whose mail came again, which the machines take for the mail of this day: nobody told them that it had come. */
  repeated: ReadonlySet<string>;
  /**
   * Whose mail came and is still in the hands of the machine that was killed. Where a new stage has come by the next tick,
   * that mail ends there, and the new one is planned in the tick after.
   */
  unmarked: ReadonlySet<string>;
}

/** Why nothing need have come yet. */
export interface Delay {
  /** Until when it excuses. */
  until: number;
  /** What a mail on its way is about, as far as that is certain. */
  keys: ReadonlySet<string>;
}

/** What is kept of one person. */
export interface Account {
  told: Set<string>;
  /** The last local day for which the person has a mail, whatever became of it. */
  heldOn: number | undefined;
  /** The last local day on which the person's own address got one. */
  mailedOn: number | undefined;
  delay: Delay | undefined;
  /** What had to be told and was not. */
  missed: Set<string>;
}

/** What a person has to hear in one tick. */
export interface Plan {
  at: number;
  duty: Duty;
  mustMail: boolean;
  mayMail: boolean;
}

export interface Figures {
  /** Everything that had to be told at some tick. */
  due: Set<string>;
  delivered: number;
  listed: number;
}

export interface Parts {
  state: OracleState;
  accountOf: (id: string) => Account;
  missed: () => string[];
  plans: Map<string, Plan>;
  figures: Figures;
  complain: Complain;
  isRefused: (address: string, now: number) => boolean;
  /** By app. */
  contacts: ReadonlyMap<string, readonly string[]>;
}
