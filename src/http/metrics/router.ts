import { type Response, Router } from 'express';
import { Registry } from 'prom-client';
import { createStateReader } from '../../domain/metrics/read-state.ts';
import { type MetricsSnapshot, sumSnapshots } from '../../shared/metrics/summed-workers.ts';
import type { MetricsPageDeps } from './deps.ts';
import { mayReadMetrics } from './may-read-metrics.ts';

export interface MetricsOptions {
  /** Undefined: only this machine may read the metrics. */
  token: string | undefined;
  /** The metrics of all workers; undefined where this process is the only one. */
  gather: (() => Promise<MetricsSnapshot[]>) | undefined;
}

/** The version tells Prometheus which format this is. */
const FORMAT = Registry.PROMETHEUS_CONTENT_TYPE;

function sendText(res: Response, status: number, text: string): void {
  res.status(status).set({ 'Cache-Control': 'no-store', 'Content-Type': FORMAT }).end(text);
}

/** GET /metrics: what Prometheus reads. A stranger is told that there is nothing (docs/operate/metrics.md). */
export function metricsRouter(context: MetricsPageDeps, { token, gather }: MetricsOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const readState = createStateReader(context);
  const gatherAll = gather ?? (async () => [await context.metrics.snapshot()]);
  router.all('/metrics', async (req, res) => {
    if (req.method !== 'GET' || !mayReadMetrics(req, token)) return sendText(res, 404, 'not found\n');
    try {
      const [all, state] = await Promise.all([gatherAll(), readState()]);
      const texts = await Promise.all([sumSnapshots(all), state].map((part) => part.metrics()));
      sendText(res, 200, texts.join(''));
    } catch (error) {
      context.logger.warn('the metrics could not be gathered', { error });
      sendText(res, 503, 'the metrics could not be gathered\n');
    }
  });
  return router;
}
