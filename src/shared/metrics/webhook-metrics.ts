import { Counter, type Registry } from 'prom-client';

/** What may become of an attempt. `left`: this process lost its claim, or could not store what became of it. */
const WEBHOOK_OUTCOMES = ['delivered', 'put_off', 'dead', 'left'] as const;

export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export interface WebhookMetrics {
  /** Names the events before the first message of each. */
  begin: (events: Iterable<string>) => void;
  note: (event: string, outcome: WebhookOutcome) => void;
}

/** Counts the attempts at messages to webhooks by what became of them. Every series begins at 0, so that its first attempt shows. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const attempts = new Counter({
    name: 'grantbridge_webhook_attempts_total',
    help: 'Attempts at messages to webhooks by event and outcome.',
    labelNames: ['event', 'outcome'],
    registers: [registry],
  });
  return {
    begin(events) {
      for (const event of events) for (const outcome of WEBHOOK_OUTCOMES) attempts.inc({ event, outcome }, 0);
    },
    note: (event, outcome) => attempts.inc({ event, outcome }),
  };
}
