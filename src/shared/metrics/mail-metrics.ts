import { Counter, type Registry } from 'prom-client';

/** What may become of a claimed mail. `left`: this process lost its claim, or could not store what became of it. */
const MAIL_OUTCOMES = ['sent', 'dropped', 'put_off', 'passed_on', 'undeliverable', 'left'] as const;

export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

/**
 * What may become of a mail with a link that proves an address. `refused`: the mailbox, for good. `failed`: the mail was not
 * handed over, or nobody knows.
 */
const PROOF_OUTCOMES = ['sent', 'refused', 'failed'] as const;

export interface MailMetrics {
  /** Names the stages before the first mail of each. */
  begin: (stages: Iterable<string>) => void;
  /** A mail that tells of several stages counts for each of them. */
  note: (stages: Iterable<string>, outcome: MailOutcome) => void;
  /** Whether the mail server took a mail. A mailbox that it refuses for good says nothing of the server. */
  noteHandOver: (outcome: 'taken' | 'not_taken') => void;
  /** A mail that a person waits for, by which the person proves an address. */
  noteProof: (outcome: (typeof PROOF_OUTCOMES)[number]) => void;
}

/** The stage of a mail that ended before anybody knew what it tells. */
const NO_STAGE = 'none';

/** Counts claimed mails by what became of them. Every series begins at 0: neither a rule nor a panel sees a rise in its first value. */
export function createMailMetrics(registry: Registry): MailMetrics {
  const mails = new Counter({
    name: 'grantbridge_mails_total',
    help: 'Reminders by stage and by what became of their mail.',
    labelNames: ['stage', 'outcome'],
    registers: [registry],
  });
  const begin = (stages: Iterable<string>) => {
    for (const stage of stages) for (const outcome of MAIL_OUTCOMES) mails.inc({ stage, outcome }, 0);
  };
  begin([NO_STAGE]);
  // A mail counts above once for each of its stages, and here once.
  const undeliverable = new Counter({
    name: 'grantbridge_mails_undeliverable_total',
    help: 'Mails that reached nobody.',
    registers: [registry],
  });
  const handOvers = new Counter({
    name: 'grantbridge_mail_hand_overs_total',
    help: 'Attempts to hand a reminder over to the mail server, without mailboxes that it refused for good.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['taken', 'not_taken']) handOvers.inc({ outcome }, 0);
  const proofs = new Counter({
    name: 'grantbridge_proof_mails_total',
    help: 'Mails with a link that proves an address, by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of PROOF_OUTCOMES) proofs.inc({ outcome }, 0);
  return {
    begin,
    noteHandOver: (outcome) => handOvers.inc({ outcome }),
    noteProof: (outcome) => proofs.inc({ outcome }),
    note(stages, outcome) {
      if (outcome === 'undeliverable') undeliverable.inc();
      const told = [...stages];
      for (const stage of told.length > 0 ? told : [NO_STAGE]) mails.inc({ stage, outcome });
    },
  };
}
