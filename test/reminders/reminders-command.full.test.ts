import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { run, runJson } from '../processes/commands/operator-command.ts';
import type { SmtpDoor } from '../support/servers/smtp-server.ts';
import { openCommandGround, today } from './support/command-ground.ts';
import { type DeliveryGround, readMails } from './support/delivery-ground.ts';

/** The operator's command for another day, as a process of its own. */

let door: SmtpDoor;
let ground: DeliveryGround;
let context: Context;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ door, ground, context, close } = await openCommandGround());
});
afterAll(() => close());

test('a moment that cannot be read is wrong usage', async () => {
  expect(await run(ground.settings, 'reminders', 'plan', '--on', 'tomorrow')).toMatchObject({ code: 2 });
});

test('run --on writes files, in production only on a copy, and never goes over SMTP; run needs a mail server there', async () => {
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
  // Without a mail server the ledger would count files as mails that reached people.
  const serverless = await runJson({ ...inProduction, SMTP_URL: '' }, 'reminders', 'run');
  expect(serverless).toMatchObject({ code: 1, json: { refused: expect.stringContaining('SMTP_URL') } });
  expect(await readMails(context)).toEqual([]);
  const planned = await runJson({ ...inProduction, SMTP_URL: '' }, 'reminders', 'plan', '--on', today());
  expect(planned).toMatchObject({ code: 0, json: { mails: 2 } });
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
