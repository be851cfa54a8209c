import type { Context } from '../../src/domain/context.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { run, runJson } from '../processes/commands/operator-command.ts';
import type { SmtpDoor } from '../support/servers/smtp-server.ts';
import { openCommandGround, today } from './support/command-ground.ts';
import { type DeliveryGround, makeNoon, readMails } from './support/delivery-ground.ts';
import { addAccount } from './support/planning-ground.ts';

/** The operator's command as a process of its own. */

let door: SmtpDoor;
let ground: DeliveryGround;
let context: Context;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ door, ground, context, close } = await openCommandGround());
});
afterAll(() => close());

test('plan tells who would get what and why, and writes nothing', async () => {
  const { code, json } = await runJson(ground.settings, 'reminders', 'plan', '--on', today());
  expect(code).toBe(0);
  expect(json).toMatchObject({
    at: `${today()}T21:00:00.000Z`,
    mails: 2,
    people: [
      {
        address: 'holder@box.example',
        zone: 'UTC',
        is_now: true,
        due: [{ app: 'Old app', role: 'holder', stage: '30', because: expect.any(String) }],
      },
      { person: 'email:owner@box.example', due: [{ app: 'Owned app', role: 'owner' }] },
    ],
  });
  expect(await readMails(context)).toEqual([]);
});

test('before anything was sent nothing says that everybody was reached', async () => {
  const { code, output } = await run(ground.settings, 'reminders', 'undeliverable');
  expect({ code, output }).toEqual({ code: 0, output: 'No undeliverable mail waits for support.\n' });
});

test('run plans and sends now; what reached nobody is listed', async () => {
  await addAccount(context, { email: 'owner@box.example' });
  await planReminders(context);
  await makeNoon(context);
  door.refused.add('owner@box.example');
  const { code, output } = await run(ground.settings, 'reminders', 'run');
  expect(code).toBe(0);
  expect(output).toMatch(
    /^\d+ planned; 1 sent, 0 dropped, 0 put off, 0 passed on to a contact, 1 undeliverable\.\n$/,
  );
  expect(door.mails.map(({ to }) => to)).toEqual([['holder@box.example']]);
  const listed = await run(ground.settings, 'reminders', 'undeliverable');
  expect(listed.output).toMatch(/^[\d-]{10} {2}account:\S+ {2}the mail server answered 550\n {4}Owned app/);
});

test('a list that is cut says so', async () => {
  const before = await runJson(ground.settings, 'reminders', 'undeliverable');
  expect(before.json).toMatchObject({
    mails: [{ failure: 'the mail server answered 550' }],
    has_more: false,
  });
  const mail = { day: '2026-01-18', state: 'undeliverable', attempts: 1, next_at: 0, created_at: 1 } as const;
  const mails = Array.from({ length: 500 }, (_, index) => ({
    ...mail,
    id: index.toString(16).padStart(24, '0'),
    person: `email:${index}\u202E@box.example`,
    replaces: '',
    ended_at: index,
  }));
  await context.store.durable.insertInto('mails').values(mails).execute();
  const { output } = await run(ground.settings, 'reminders', 'undeliverable');
  expect(output.split('\n').slice(-3)).toEqual([
    '2026-01-18  email:1?@box.example  ',
    'More mails reached nobody. These are the newest 500.',
    '',
  ]);
  const cut = await runJson(ground.settings, 'reminders', 'undeliverable');
  expect(cut.json).toMatchObject({ has_more: true });
});
