import type { Chance } from '../shared/faults/chance.ts';
import type { WorldHand } from './world/change-rows.ts';
import type { Director } from './director.ts';
import type { Arrival } from '../shared/mail-server.ts';
import type { RehearsalOptions } from './options.ts';
import type { Oracle } from './oracle/oracle.ts';
import type { Complain } from './oracle/oracle-parts.ts';
import type { Schedule } from './world/schedule.ts';
import type { Stage } from './stage.ts';
import type { Tally } from './tally.ts';
import type { Change, World } from './world/world.ts';

/** One answered call with a token. */
export interface Use {
  token: string;
  at: number;
}

/** A year while it is played. */
export interface Play {
  options: RehearsalOptions;
  chance: Chance;
  world: World;
  schedule: Schedule;
  stage: Stage;
  oracle: Oracle;
  hand: WorldHand;
  director: Director;
  tally: Tally;
  complain: Complain;
  /** What arrived since the last look, and all that ever did by its Message-ID. */
  arrivals: Arrival[];
  repeats: string[];
  /** Names of apps by their client ids. */
  names: ReadonlyMap<string, string>;
  /** What is still to come, in its order. */
  changes: Change[];
  uses: Use[];
}
