import PostalMime from 'postal-mime';
import { reportLeaks } from '../../src/domain/leaks/report-leaks.ts';
import { deliverReminders } from '../../src/domain/reminders/deliver.ts';
import { planLeakMails } from '../../src/domain/reminders/leaked/plan-leak-mails.ts';
import { newLegacyToken } from '../../src/shared/ids.ts';
import { HOUR } from '../../src/shared/lifetimes.ts';
import {
  type DeliveryGround,
  openDeliveryGround,
  yesterdayNoon,
} from '../reminders/support/delivery-ground.ts';
import { addAccount, addApp, addToken } from '../reminders/support/planning-ground.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { type SmtpDoor, startSmtpServer } from '../support/servers/smtp-server.ts';

/** The size of the mails about leaked tokens. */

const HOLDER = 'holder@box.example';

let door: SmtpDoor;
let ground: DeliveryGround;
beforeAll(async () => {
  door = await startSmtpServer();
  ground = await openDeliveryGround({ kind: 'sqlite', smtpPort: door.port });
});
afterAll(async () => {
  await ground.close();
  await door.close();
});

test('a mail about tokens of many apps is as short as mail programs show, and counts what it leaves out', async () => {
  const context = await ground.open(new SettableClock(yesterdayNoon()));
  const holder = await addAccount(context, { email: HOLDER });
  const tokens: string[] = [];
  for (let index = 0; index < 50; index++) {
    const client = await addApp(context, { name: `App ${index}`, owner: holder });
    for (let more = 0; more < (index < 2 ? 10 : 1); more++) {
      const value = newLegacyToken();
      await addToken(context, client, {
        account_id: holder,
        state: 'unmapped',
        token_digest: context.vault.digest(value),
        hint_last: value.slice(-4),
      });
      tokens.push(value);
    }
  }
  for (const place of ['a', 'b', 'c', 'd']) {
    const found = `https://code.example/${place}/${'path/'.repeat(50)}`;
    const reports = tokens.map((token) => ({ token, found }));
    await reportLeaks(context, { reports, grace: 48 * HOUR }, { actor: 'leaks:key', requestId: null });
  }
  await planLeakMails(context);
  await deliverReminders(context);
  expect(door.mails.map(({ to }) => to)).toEqual([[HOLDER]]);
  const { subject, text = '', html = '' } = await PostalMime.parse(door.mailTo(HOLDER).raw);
  const flat = text.replaceAll(/\s+/g, ' ');
  expect(subject).toBe('Tokens of 50 apps have leaked');
  expect(html.match(/<h2[^>]*><a/g)).toHaveLength(5);
  // Twenty tokens in all, of which each card has its part.
  expect(flat.match(/and 6 more tokens, revoked by [^.]* UTC at the latest/g)).toHaveLength(2);
  expect(flat.match(/- “App \d+”: 1 leaked token /g)).toHaveLength(40);
  expect(flat).toContain('- and 5 more apps See all your apps: http://localhost:3000/apps ');
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
});
