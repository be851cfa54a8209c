import type { DatabaseKind } from '../../../store/support/stores.ts';
import {
  cachedReadFlow,
  consentFlow,
  deauthorizeFlow,
  exchangeFlow,
  type FlowGround,
  uncachedReadFlow,
} from './call-flows.ts';
import { changeFlow } from './change-flows.ts';
import { createFlow } from './create-flow.ts';
import { type FaultPlace, type Flow, meetEveryFault } from './flow.ts';
import { recordCalls } from './recorded-calls.ts';
import { openCallStage } from './stage.ts';

/**
 * The database fails at every statement of the main flows, once before the statement and once after its effect: the caller
 * gets its answer or 503, never another; no pair is lost, no refresh token presented twice, no post made or changed twice; and
 * afterwards the same works again. The checker of the crash campaign judges all calls together.
 */

const FLOWS: Array<[string, (ground: FlowGround) => Flow]> = [
  ['exchange', exchangeFlow],
  ['cached profiles', (ground) => cachedReadFlow(ground, '/1/profiles.json')],
  ['cached user', (ground) => cachedReadFlow(ground, '/1/user.json')],
  ['uncached read', (ground) => uncachedReadFlow(ground, { isExpired: false })],
  ['uncached read with a refresh', (ground) => uncachedReadFlow(ground, { isExpired: true })],
  ['deauthorize', deauthorizeFlow],
  ['create', ({ stage }) => createFlow(stage)],
  ['update', ({ stage }) => changeFlow(stage, 'update')],
  ['move to top', ({ stage }) => changeFlow(stage, 'move_to_top')],
  ['destroy', ({ stage }) => changeFlow(stage, 'destroy')],
  ['consent', consentFlow],
];

/** Tests of the main flows on one database, with faults at the places that `isChosen`. */
export function testMainFlows(kind: DatabaseKind, isChosen?: (place: FaultPlace) => boolean): void {
  let ground: FlowGround;
  beforeAll(async () => {
    const stage = await openCallStage(kind);
    ground = { stage, calls: await recordCalls(stage) };
  });
  afterAll(() => ground.stage.stop());

  test.each(FLOWS)('a fault at any statement: %s', async (name, flowOf) => {
    const report = await meetEveryFault(ground.stage, flowOf(ground), isChosen);
    const { statements, faults, unharmed, seconds } = report;
    process.stderr.write(
      `    ${kind}, ${name}: ${statements} statements, ${faults} faults, ${unharmed} answered all the same, ${seconds} s\n`,
    );
    expect(report.violations).toEqual([]);
    expect(await ground.calls.violations()).toEqual([]);
  });
}
