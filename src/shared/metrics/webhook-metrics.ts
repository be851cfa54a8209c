import { Counter, type Registry } from 'prom-client';

/** What may become of an attempt. `left`: this process lost its claim, or could not store what became of it. */
const WEBHOOK_OUTCOMES = ['delivered', 'put_off', 'dead', 'left'] as const;

export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];

export interface WebhookMetrics {
  note: (event: string, outcome: WebhookOutcome) => void;
}

/** Counts the attempts at messages to webhooks by what became of them. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const attempts = new Counter({
    name: 'grantbridge_webhook_attempts_total',
    help: 'Attempts at messages to webhooks by event and outcome.',
    labelNames: ['event', 'outcome'],
    registers: [registry],
  });
  for (const outcome of WEBHOOK_OUTCOMES) attempts.inc({ event: 'test', outcome }, 0);
  return { note: (event, outcome) => attempts.inc({ event, outcome }) };
}
