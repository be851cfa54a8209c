import { Registry } from 'prom-client';
import { type AlarmMetrics, createAlarmMetrics } from './alarm-metrics.ts';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';
import { type ConsentMetrics, createConsentMetrics } from './consent-metrics.ts';
import { createGrantMetrics, type GrantMetrics } from './grant-metrics.ts';
import { createJobMetrics, type JobMetrics } from './job-metrics.ts';
import { createMailMetrics, type MailMetrics } from './mail-metrics.ts';
import { createProcessMetrics, type ProcessMetrics } from './process-metrics.ts';
import { createSiteMetrics, type SiteMetrics } from './site-metrics.ts';
import type { MetricsSnapshot } from './summed-workers.ts';
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts';
import { createWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts';

/**
 * What one process counts about itself. The counts of all workers of a machine are summed at a scrape; what the
 * database knows is read apart (src/domain/metrics). docs/operate/metrics.md lists every metric.
 */
export interface Metrics {
  calls: CallMetrics;
  site: SiteMetrics;
  consents: ConsentMetrics;
  grants: GrantMetrics;
  upstream: UpstreamMetrics;
  mails: MailMetrics;
  webhooks: WebhookMetrics;
  jobs: JobMetrics;
  alarms: AlarmMetrics;
  process: ProcessMetrics;
  /** For gauges that a part of this process reads (`addGauge`). */
  registry: Registry;
  snapshot: () => Promise<MetricsSnapshot>;
}

/** The metrics of one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  return {
    calls: createCallMetrics(registry),
    site: createSiteMetrics(registry),
    consents: createConsentMetrics(registry),
    grants: createGrantMetrics(registry),
    upstream: createUpstreamMetrics(registry),
    mails: createMailMetrics(registry),
    webhooks: createWebhookMetrics(registry),
    jobs: createJobMetrics(registry),
    alarms: createAlarmMetrics(registry),
    process: createProcessMetrics(registry),
    registry,
    snapshot: () => registry.getMetricsAsJSON(),
  };
}
