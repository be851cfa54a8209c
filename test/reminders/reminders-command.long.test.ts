import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { run, runJson } from '../processes/operator-command.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/smtp-server.ts';
import {
  addHolder,
  addOwnedApp,
  type DeliveryGround,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
} from './support/delivery-ground.ts';

/** The operator's command for another day, as a process of its own. */

let door: SmtpDoor;
let ground: DeliveryGround;
let context: Context;
beforeAll(async () => {
  door = await startSmtpServer();
  ground = await openDeliveryGround({ kind: 'sqlite', smtpPort: door.port });
  context = await ground.open(new SettableClock(yesterdayNoon()));
  await setRetirement(context);
  await addHolder(context, 'holder@box.example');
  await addOwnedApp(context, { owner: 'owner@box.example' });
});
afterAll(async () => {
  await ground.close();
  await door.close();
});

const today = () => new Date().toISOString().slice(0, 10);

test('a moment that cannot be read is wrong usage', async () => {
  expect(await run(ground.settings, 'reminders', 'plan', '--on', 'tomorrow')).toMatchObject({ code: 2 });
});

test('run --on writes files, in production only on a copy, and never goes over SMTP', async () => {
  const production = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://bridge.example',
    TRUST_PROXY: '127.0.0.1',
  };
  const inProduction = { ...ground.settings, ...production };
  const refused = await runJson(inProduction, 'reminders', 'run', '--on', today());
  expect(refused).toMatchObject({
    code: 1,
    json: { refused: expect.stringContaining('Nothing was changed') },
  });
  expect(await readMails(context)).toEqual([]);
  await planReminders(context);
  await context.store.durable.updateTable('instance').set({ state: 'copy' }).execute();
  const silent = await runJson(inProduction, 'reminders', 'run');
  expect(silent).toMatchObject({ code: 1, json: { refused: expect.stringContaining('restored copy') } });
  const directory = join(ground.folder, 'mail', 'rehearsal');
  expect(existsSync(directory)).toBe(false);
  const rehearsed = await runJson(inProduction, 'reminders', 'run', '--on', today());
  expect(rehearsed).toMatchObject({ code: 0, json: { sent: 2, directory } });
  expect(readdirSync(directory)).toHaveLength(2);
  expect(door.mails).toEqual([]);
});
