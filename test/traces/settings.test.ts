import { readConfig } from '../../src/config/config.ts';

/** The settings that OpenTelemetry has given their names. */

test.each<[string, Record<string, string>]>([
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https address',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  ],
  ['OTEL_TRACES_SAMPLER_ARG: must be a share from 0 to 1', { OTEL_TRACES_SAMPLER_ARG: '5%' }],
  ['OTEL_TRACES_SAMPLER_ARG: must be a share from 0 to 1', { OTEL_TRACES_SAMPLER_ARG: '1.5' }],
  ['OTEL_EXPORTER_OTLP_HEADERS: must be name=value', { OTEL_EXPORTER_OTLP_HEADERS: 'x-key' }],
  ['OTEL_EXPORTER_OTLP_HEADERS: must be name=value', { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=%zz' }],
  ['OTEL_EXPORTER_OTLP_HEADERS: must be name=value', { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%0d%0ab' }],
])('a setting that cannot be used is refused: %s', (text, env) => {
  expect(() => readConfig(env)).toThrow(text);
});

const configOf = (env: Record<string, string>) => readConfig(env).tracing;

test('traces go below the address of the collector, or to an address of their own; without one none are recorded', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/';
  expect(configOf({})).toBeUndefined();
  expect(configOf({ OTEL_EXPORTER_OTLP_ENDPOINT })?.url).toBe('http://collector:4318/v1/traces');
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://traces.example/otlp';
  const both = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT };
  expect(configOf(both)).toMatchObject({ url: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ratio: 0.1, headers: {} });
});

test('no message quotes a header, which may be a secret', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=a-secret%zz' };
  expect(() => readConfig(env)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('a-secret') }),
  );
});
