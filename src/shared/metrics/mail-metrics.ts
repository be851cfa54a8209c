import { Counter, type Registry } from 'prom-client';

/** What may become of a claimed mail. `left`: this process lost its claim, or could not store what became of it. */
const MAIL_OUTCOMES = ['sent', 'dropped', 'put_off', 'passed_on', 'undeliverable', 'left'] as const;

export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface MailMetrics {
  /** A mail that tells of several stages counts for each of them. */
  note: (stages: Iterable<string>, outcome: MailOutcome) => void;
}

/** The stage of a mail that ended before anybody knew what it tells. */
const NO_STAGE = 'none';

/** Counts claimed mails by what became of them. */
export function createMailMetrics(registry: Registry): MailMetrics {
  const mails = new Counter({
    name: 'grantbridge_mails_total',
    help: 'Reminders by stage and by what became of their mail.',
    labelNames: ['stage', 'outcome'],
    registers: [registry],
  });
  for (const outcome of MAIL_OUTCOMES) mails.inc({ stage: NO_STAGE, outcome }, 0);
  // A series of a stage begins with its first mail, and a rule sees no rise in its first value. This counter begins at zero.
  const undeliverable = new Counter({
    name: 'grantbridge_mails_undeliverable_total',
    help: 'Mails that reached nobody.',
    registers: [registry],
  });
  return {
    note(stages, outcome) {
      if (outcome === 'undeliverable') undeliverable.inc();
      const told = [...stages];
      for (const stage of told.length > 0 ? told : [NO_STAGE]) mails.inc({ stage, outcome });
    },
  };
}
