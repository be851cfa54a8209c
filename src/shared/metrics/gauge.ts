import { Gauge, type Registry } from 'prom-client';

/** One value of a gauge. */
export interface GaugeValue {
  labels?: Record<string, string>;
  value: number;
}

interface GaugeDescription {
  /** Begins with `grantbridge_`. */
  name: string;
  help: string;
  labels?: readonly string[];
  /** What the gauge is for all workers of a machine together. */
  together?: 'sum' | 'max' | 'min';
  /** Reads the values at each scrape. A label must have few values, and none may hold a secret. */
  read: () => Iterable<GaugeValue> | Promise<Iterable<GaugeValue>>;
}

/** Adds a gauge whose values are read at each scrape. docs/operate/metrics.md needs a row for the gauge. */
export function addGauge(
  registry: Registry,
  { name, help, labels = [], together = 'sum', read }: GaugeDescription,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labels],
    aggregator: together,
    registers: [registry],
    async collect() {
      const values = await read();
      gauge.reset();
      for (const { labels: of = {}, value } of values) gauge.set(of, value);
    },
  });
}
