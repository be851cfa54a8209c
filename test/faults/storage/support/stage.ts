import { recoverSpilledPairs } from '../../../../src/domain/grants/refresh/store-rotated-pair.ts';
import { type Connected, connectApp } from '../../../endpoints/support/connected.ts';
import { type Door, openDoor } from '../../../endpoints/support/door.ts';
import type { System } from '../../../support/bridge/system.ts';
import { freshDatabase } from '../../../support/database/database.ts';
import { until } from '../../../support/servers/held-answer.ts';
import type { DatabaseKind } from '../../../store/support/stores.ts';
import { type PairWatch, watchPairs } from './pairs.ts';
import { serverOf } from './server-of.ts';
import { breakStatements, type StatementFaults } from './statement-faults.ts';

/** A running bridge whose statements can be broken one by one. */
export interface Stage {
  system: System;
  faults: StatementFaults;
  pairs: PairWatch;
  settle(): Promise<void>;
  findHarm(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Nothing is presented, no pair waits. */
async function isSettled({ context }: System['bridge']): Promise<boolean> {
  await recoverSpilledPairs(context);
  const { entries } = await context.spill.list();
  const presenting = await context.store.durable
    .selectFrom('grants')
    .select('id')
    .where('state', '=', 'presenting')
    .execute();
  return entries.length + presenting.length === 0;
}

function stageOf(system: System, drop: () => Promise<void>): Stage {
  const { bridge } = system;
  const pairs = watchPairs(system.proxy);
  const faults = breakStatements(bridge.database, serverOf(bridge.url));
  return {
    system,
    faults,
    pairs,
    async settle() {
      await until(() => isSettled(bridge));
      await pairs.note(bridge.context);
    },
    findHarm: () => pairs.findHarm(bridge.context),
    async stop() {
      faults.remove();
      await system.stop();
      await drop();
    },
  };
}

/** Starts a system on a database of its own. */
export async function openStage(
  kind: DatabaseKind,
  start: (options: { env: Record<string, string> }) => Promise<System>,
): Promise<Stage> {
  const database = kind === 'postgres' ? await freshDatabase() : undefined;
  const env = { LEGACY_RATE_LIMIT: '0', ...(database && { DATABASE_URL: database.url }) };
  return stageOf(await start({ env }), async () => database?.drop());
}

export interface CallStage extends Stage {
  door: Door;
  connected: Connected;
}

/** The same with an app that is connected. */
export async function openCallStage(kind: DatabaseKind): Promise<CallStage> {
  let door: Door | undefined;
  const stage = await openStage(kind, async (options) => (door = await openDoor(options)));
  if (!door) throw new Error('no door was opened');
  return { ...stage, door, connected: await connectApp(door) };
}
