import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/servers/held-answer.ts';
import { buildProgram } from '../processes/running-program.ts';
import { choosePlace, type Place, startWholeSystem } from '../processes/whole-system.ts';

/** Without an endpoint nothing of OpenTelemetry is loaded, but the names that prom-client takes. */

let place: Place;

beforeAll(async () => {
  await buildProgram();
  place = await choosePlace();
});

afterAll(() => place.remove());

/** Writes down which packages of OpenTelemetry the process has loaded. */
const telling = (file: string) => `import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
const { Module } = createRequire('file:///')('node:module');
process.on('SIGUSR2', () => {
  const loaded = Object.keys(Module._cache).map((path) => /node_modules.(@opentelemetry.[^/\\\\]+)/.exec(path)?.[1]);
  writeFileSync(${JSON.stringify(file)}, JSON.stringify([...new Set(loaded.filter(Boolean))]));
});`;

async function loadedWith(settings: Record<string, string>): Promise<string[]> {
  const file = join(place.varDir, `loaded-${Object.keys(settings).length}.json`);
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(telling(file))}`;
  const system = await startWholeSystem({ ...place.settings, ...settings, NODE_OPTIONS });
  process.kill(system.pid, 'SIGUSR2');
  let loaded: string[] | undefined;
  await until(() => {
    try {
      loaded = JSON.parse(readFileSync(file, 'utf8')) as string[];
    } catch {
      // It is not written yet.
    }
    return loaded !== undefined;
  });
  await system.stop();
  return loaded ?? [];
}

test('without an endpoint no package that records or sends is loaded; with one they are', async () => {
  const without = await loadedWith({});
  expect(without.filter((name) => name !== '@opentelemetry/api')).toEqual([]);
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:9';
  expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual(
    expect.arrayContaining(['@opentelemetry/exporter-trace-otlp-http']),
  );
});
