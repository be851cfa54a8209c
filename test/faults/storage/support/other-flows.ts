import { startSystemWithOwnClient } from '../../../exchange/support/own-client.ts';
import { openHistory, type History } from '../../../domain/support/histories.ts';
import { DANA } from '../../../owners/support/people.ts';
import {
  type DeliveryGround,
  openDeliveryGround,
  setRetirement,
  yesterdayNoon,
} from '../../../reminders/support/delivery-ground.ts';
import { staffBrowser } from '../../../staff/support/staff-browser.ts';
import type { DatabaseKind } from '../../../store/support/stores.ts';
import { startSystem } from '../../../support/bridge/system.ts';
import { SettableClock } from '../../../support/bridge/settable-clock.ts';
import { type ApiGround, openGround } from '../../../staff-api/support/ground.ts';
import { openWebhookGround, type WebhookGround } from '../../../webhooks/support/webhook-ground.ts';
import { type SmtpDoor, startSmtpServer } from '../../../support/servers/smtp-server.ts';
import { readConfig } from '../../../../src/config/config.ts';
import { type FaultPlace, type Flow, type FlowReport, meetEveryFault } from './flow.ts';
import { resealFlow } from './key-flows.ts';
import { handOverFlow, revokeFlow, takeBackFlow } from './people-flows.ts';
import { openStage, type Stage } from './stage.ts';
import { serverOf } from './server-of.ts';
import { API_WRITES, apiWriteFlow } from './staff-api-flows.ts';
import { breakStatements, type StatementFaults } from './statement-faults.ts';
import { sendFlow, tellFlow } from './webhook-flows.ts';
import { deliverFlow, importFlow, planFlow } from './work-flows.ts';

/** The database fails at every statement of a hand-over, of what staff do, of a change of keys, and of work in the background. */

function expectSound(kind: string, { name }: Flow, report: FlowReport): void {
  const { statements, faults, unharmed, violations } = report;
  process.stderr.write(
    `    ${kind}, ${name}: ${statements} statements, ${faults} faults, ${unharmed} done all the same, ${report.seconds} s\n`,
  );
  expect(violations).toEqual([]);
}

const nothingToSettle = { settle: async () => undefined, findHarm: async () => [] };

/** Which faults are met; all of them without it. */
type FaultChoice = ((place: FaultPlace) => boolean) | undefined;

/** Tests of a hand-over, of an action of staff and of a change of keys. */
export function testPeopleFlows(kind: DatabaseKind, isChosen?: FaultChoice): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(kind, startSystemWithOwnClient);
  });
  afterAll(() => stage.stop());

  test('a fault at any statement of a hand-over loses no pair, and the app gets the same pair again', async () => {
    const flow = handOverFlow(stage);
    expectSound(kind, flow, await meetEveryFault(stage, flow, isChosen));
  });

  test('a fault at any statement of an action of staff: the action counts once', async () => {
    const flow = revokeFlow(stage, await staffBrowser(stage.system, 'agent'), DANA.accountId);
    expectSound(kind, flow, await meetEveryFault(stage, flow, isChosen));
  });

  test('a fault at any statement while all is sealed again: every value opens, before and after', async () => {
    const flow = resealFlow(stage);
    expectSound(kind, flow, await meetEveryFault(stage, flow, isChosen));
  });
}

/** A test of staff who take back what they did. */
export function testTakingBack(kind: DatabaseKind): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(kind, startSystem);
  });
  afterAll(() => stage.stop());

  test('a fault at any statement: the token is as before, and it is taken back once', async () => {
    const flow = takeBackFlow(stage, await staffBrowser(stage.system, 'agent'), DANA.accountId);
    expectSound(kind, flow, await meetEveryFault(stage, flow));
  });
}

/** Tests of writes of the staff API. */
export function testStaffApi(kind: DatabaseKind, isChosen?: FaultChoice): void {
  let ground: ApiGround;
  let faults: StatementFaults;
  beforeAll(async () => {
    ground = await openGround(kind);
    faults = breakStatements(ground.bridge.database, serverOf(ground.bridge.url));
  });
  afterAll(async () => {
    faults.remove();
    await ground.stop();
  });

  test.each(API_WRITES)('a fault at any statement: $name, which is done once', async (write) => {
    const flow = await apiWriteFlow(ground, write);
    expectSound(kind, flow, await meetEveryFault({ ...nothingToSettle, faults }, flow, isChosen));
  });
}

/** Tests of the messages of webhooks. */
export function testWebhooks(kind: DatabaseKind, isChosen?: FaultChoice): void {
  let ground: WebhookGround;
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(kind, async (options) => {
      ground = await openWebhookGround(options);
      return { ...ground.system, stop: () => ground.stop() };
    });
    await ground.add(ground.urlOf('/faults'));
  });
  afterAll(() => stage.stop());

  test('a fault at any statement: each change is told once, and its message arrives', async () => {
    for (const flow of [tellFlow(ground), sendFlow(ground)])
      expectSound(kind, flow, await meetEveryFault(stage, flow, isChosen));
  });
}

/** Tests of an import. */
export function testImport(kind: DatabaseKind, isChosen?: FaultChoice): void {
  let place: History;
  let faults: StatementFaults;
  beforeAll(async () => {
    place = await openHistory(kind);
    faults = breakStatements(place.location);
  });
  afterAll(async () => {
    faults.remove();
    await place.close();
  });

  test('a fault at any statement: each row is imported once, by this run or the next', async () => {
    const flow = importFlow(place);
    const ground = { ...nothingToSettle, faults };
    expectSound(kind, flow, await meetEveryFault(ground, flow, isChosen));
    await place.sealAndAnchor();
    expect((await place.verify()).finding).toBeUndefined();
  });
}

/** Tests of the planning and the delivery of reminders. */
export function testReminders(kind: DatabaseKind, isChosen?: FaultChoice): void {
  let door: SmtpDoor;
  let ground: DeliveryGround;
  let faults: StatementFaults;
  beforeAll(async () => {
    door = await startSmtpServer();
    ground = await openDeliveryGround({ kind, smtpPort: door.port });
    faults = breakStatements(readConfig(ground.settings).database);
  });
  afterAll(async () => {
    faults.remove();
    await ground.close();
    await door.close();
  });

  test('a fault at any statement: each person is planned one mail, and gets it once', async () => {
    const context = await ground.open(new SettableClock(yesterdayNoon()));
    await setRetirement(context);
    for (const flow of [planFlow({ context, door }), deliverFlow({ context, door })])
      expectSound(kind, flow, await meetEveryFault({ ...nothingToSettle, faults }, flow, isChosen));
  });
}
