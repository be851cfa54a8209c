import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { MINUTE } from '../../src/shared/lifetimes.ts';
import { HAND_OVER_LIMIT } from '../../src/shared/mail/mailer.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { header, startSmtpServer } from '../support/servers/smtp-server.ts';
import {
  addHolder,
  killed,
  openDeliveryGround,
  readMails,
  setRetirement,
  yesterdayNoon,
  makeNoon,
} from './support/delivery-ground.ts';

test('a process that is killed when the server has taken a mail: it comes a second time, under the same id', async () => {
  const door = await startSmtpServer();
  const ground = await openDeliveryGround({ kind: 'sqlite', smtpPort: door.port });
  try {
    const clock = new SettableClock(yesterdayNoon());
    const context = await ground.open(clock);
    await setRetirement(context);
    await addHolder(context, 'once@box.example');
    await planReminders(context);
    await makeNoon(context);
    const child = ground.spawn();
    await new Promise<void>((resolve) => {
      door.onMoment = (moment) => {
        // The server has the whole mail; its answer is never read.
        if (moment === 'taken') resolve(killed(child));
      };
    });
    expect(await readMails(context)).toEqual([expect.stringMatching(/ sending$/)]);
    clock.set(Date.now());
    expect(await deliverReminders(context)).toMatchObject({ sent: 0 });
    clock.advance(HAND_OVER_LIMIT + 5 * MINUTE);
    expect(await deliverReminders(context)).toMatchObject({ sent: 1 });
    expect(door.mails.map(({ to }) => to)).toEqual([['once@box.example'], ['once@box.example']]);
    const ids = door.mails.map((mail) => header(mail, 'message-id'));
    expect(new Set(ids).size).toBe(1);
    expect(await readMails(context)).toEqual([expect.stringMatching(/ once@box\.example sent$/)]);
  } finally {
    await ground.close();
    await door.close();
  }
});
