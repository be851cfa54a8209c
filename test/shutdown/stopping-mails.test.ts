import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planReminders } from '../../src/domain/reminders/plan-reminders.ts';
import { sendReminders } from '../../src/jobs/send-reminders.ts';
import { STOP_LIMIT } from '../../src/shared/lifetimes.ts';
import { Sqlite } from '../../src/shared/sqlite.ts';
import { addHolder, setRetirement, yesterdayNoon } from '../reminders/support/delivery-ground.ts';
import { addApp } from '../reminders/support/planning-ground.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem } from '../support/bridge/system.ts';
import { type SmtpMoment, startSmtpServer } from '../support/servers/smtp-server.ts';
import { until } from '../support/servers/held-answer.ts';

/** A mail server that takes its time does not hold up the stop: what is in memory is written, and no mail is lost. */

/** Where the server makes the bridge wait, and how the mail stands after the stop. */
const WAITS: Array<[moment: SmtpMoment, mail: object]> = [
  ['connected', { state: 'due', attempts: 0, in_doubt: 0, claim_id: null }],
  // The server has the whole message, so nobody knows whether it took the mail.
  ['taken', { state: 'due', attempts: 1, in_doubt: 1, claim_id: null }],
];

test.each(WAITS)(
  'a mail server that keeps the bridge waiting (%s) leaves time for the rest',
  async (at, mail) => {
    const folder = mkdtempSync(join(tmpdir(), 'stopping-mails-'));
    const file = join(folder, 'bridge.db');
    const door = await startSmtpServer();
    const system = await startSystem({
      clock: new SettableClock(yesterdayNoon()),
      env: {
        SMTP_URL: `smtp://127.0.0.1:${door.port}`,
        MAIL_FROM: 'no-reply@bridge.example',
        DATABASE_URL: `sqlite:${file}`,
      },
    });
    const { context } = system.bridge;
    const release = await holdJobs(context, ['plan-reminders', 'send-reminders']);
    await setRetirement(context);
    await addHolder(context, 'holder@box.example', await addApp(context));
    await planReminders(context);
    const gate = new EventEmitter();
    const held = once(gate, 'open');
    let isReached = false;
    door.onMoment = (moment) => {
      if (moment !== at) return undefined;
      isReached = true;
      return held;
    };
    release();
    await until(() => {
      void context.flights.run('job send-reminders', () => sendReminders(context));
      return isReached;
    });
    const begun = performance.now();
    await system.stop();
    expect(performance.now() - begun).toBeLessThan(STOP_LIMIT / 2);
    expect(existsSync(`${file}-wal`)).toBe(false);
    const db = new Sqlite(file, { readonly: true });
    expect(db.prepare('select state, attempts, in_doubt, claim_id from mails').all()).toEqual([mail]);
    db.close();
    gate.emit('open');
    await door.close();
    rmSync(folder, { recursive: true, force: true });
  },
  60_000,
);
