import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createMetrics } from '../../src/shared/metrics/metrics.ts';
import { insertEvents } from '../../src/store/history/events.ts';
import { holdJobs } from '../support/bridge/hold-jobs.ts';
import { issueToken, read } from '../support/callers/legacy-calls.ts';
import { sendRaw } from '../support/callers/raw-request.ts';
import { openStoreBreaker } from '../support/database/store-breaker.ts';
import { addWaitingToken } from '../support/bridge/waiting-token.ts';
import { SettableClock } from '../support/bridge/settable-clock.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { until } from '../support/servers/held-answer.ts';
import { type Sample, samplesOf, scrape, scrapeText, sumOf } from './support/scrape.ts';

/** What `/metrics` tells of calls, refreshes and the state, after calls over HTTP. */

const HOUR = 3_700_000;
const AGE = 'grantbridge_state_count_age_seconds';
const SUCCESS = 'grantbridge_job_last_success_timestamp_seconds';
const clock = new SettableClock();
let system: System;
let token: string;
let release: () => void;

beforeAll(async () => {
  const env = { PROFILES_FRESH_SECONDS: '0', LEGACY_RATE_LIMIT: '0', IN_DOUBT_QUIET_SECONDS: '86400' };
  system = await startSystem({ clock, env });
  release = await holdJobs(system.bridge.context, ['settle-doubts', 'refresh-idle-grants', 'spilled-pairs']);
  token = await issueToken(system);
});

afterAll(async () => {
  release();
  system.proxy.onTokenAnswer = undefined;
  await system.stop();
});

const samples = () => scrape(system.bridgeUrl);
const now = async (name: string, labels: Sample['labels'] = {}) => sumOf(await samples(), name, labels);

/** Waits until a count has grown by so much: a call is counted just after its answer has left. */
async function growsBy(
  name: string,
  labels: Sample['labels'],
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await now(name, labels);
  await work();
  await until(async () => (await now(name, labels)) > before);
  return (await now(name, labels)) - before;
}

const calls = (labels: Sample['labels'], work: () => Promise<unknown>) =>
  growsBy('grantbridge_calls_total', labels, work);

const refreshes = (outcome: string, work: () => Promise<unknown>) =>
  growsBy('grantbridge_refreshes_total', { outcome }, work);

const profiles = () => read(system, '/1/profiles.json', token);
const get = (path: string, headers = {}) => sendRaw(system.bridgeUrl, { path, headers });

describe('calls', () => {
  const answered = { endpoint: 'profiles', outcome: 'answered', answered_by: 'new' };

  test('a call that the new API answered counts once, by where its token stands', async () => {
    expect(await calls({ ...answered, carrier: 'header' }, profiles)).toBe(1);
    const path = `/1/profiles.json?access_token=${encodeURIComponent(token)}`;
    expect(await calls({ ...answered, carrier: 'query' }, () => get(path))).toBe(1);
  });

  test('its duration counts too', async () => {
    const labels = { endpoint: 'profiles', answered_by: 'new' };
    expect(await growsBy('grantbridge_call_seconds_count', labels, profiles)).toBe(1);
    expect(await now('grantbridge_call_seconds_sum', labels)).toBeGreaterThan(0);
  });

  test('a call that takes the way through Express counts in the same way', async () => {
    const labels = { endpoint: 'pendingUpdates', carrier: 'header' };
    expect(await calls(labels, () => read(system, '/1/profiles/1/updates/pending.json', token))).toBe(1);
  });

  test.each([
    [
      'an unknown token',
      '/1/user.json',
      { authorization: 'Bearer nobody' },
      { endpoint: 'user', carrier: 'header' },
    ],
    ['no token', '/1/user.json', {}, { endpoint: 'user', carrier: 'none' }],
    ['an address that never was', '/1/nowhere', {}, { endpoint: 'other' }],
  ])('a call with %s is refused, and the bridge itself answered', async (_, path, headers, labels) => {
    const refused = { ...labels, outcome: 'refused', answered_by: 'bridge' };
    expect(await calls(refused, () => get(path, headers))).toBe(1);
  });

  test('an id, a query and a secret in an address never become a label', async () => {
    const secret = '1/SecretOfSomebody4711SecretOfSomebody';
    await get(`/1/${secret}/profiles.json?access_token=${secret}`, { 'user-agent': secret });
    await get(`/1/updates/${secret.slice(2)}/share.json?client_id=${secret}`);
    const text = await scrapeText(system.bridgeUrl);
    expect(text).not.toContain('Secret');
    expect(text).not.toContain(token);
  });

  test('the exchange counts as token, with its latency', async () => {
    expect(await calls({ endpoint: 'token', outcome: 'answered' }, () => issueToken(system))).toBe(1);
  });
});

describe('the state', () => {
  test('tokens and grants are counted by state', async () => {
    clock.advance(16_000);
    const before = await now('grantbridge_mappings', { state: 'unmapped' });
    await addWaitingToken(system.bridge, { clientId: system.app.clientId });
    clock.advance(16_000);
    expect(await now('grantbridge_mappings', { state: 'unmapped' })).toBe(before + 1);
    expect(await now('grantbridge_mappings', { state: 'active' })).toBeGreaterThan(0);
    expect(await now('grantbridge_grants', { state: 'ready' })).toBe(1);
  });

  test('while tokens cannot be counted anew, their last count stays, and its age is told', async () => {
    const active = await now('grantbridge_mappings', { state: 'active' });
    expect(active).toBeGreaterThan(0);
    const breaker = await openStoreBreaker(system.bridge.database);
    await breaker.whileMissing('mappings', async () => {
      clock.advance(100_000);
      const later = await samples();
      expect(sumOf(later, 'grantbridge_mappings', { state: 'active' })).toBe(active);
      expect(sumOf(later, AGE, { of: 'mappings' })).toBeGreaterThanOrEqual(100);
      expect(sumOf(later, AGE, { of: 'grants' })).toBeLessThan(100);
      expect(sumOf(later, 'grantbridge_state_readable')).toBe(0);
    });
    await breaker.close();
    const after = await samples();
    expect(sumOf(after, AGE, { of: 'mappings' })).toBeLessThan(100);
    expect(sumOf(after, 'grantbridge_state_readable')).toBe(1);
  });

  test('a file in the spill is counted', async () => {
    const { folder } = system.bridge.context.spill;
    expect(await now('grantbridge_spill_files')).toBe(0);
    writeFileSync(join(folder, 'somebody-1.pair'), '{}');
    expect(await now('grantbridge_spill_files')).toBe(1);
  });

  test('what is read from the database was readable, and the history is sealed in the end', async () => {
    expect(await now('grantbridge_state_readable')).toBe(1);
    await until(async () => (await now('grantbridge_history_unsealed_entries')) === 0);
  });

  test('the age of the oldest entry that waits to be sealed is told, until a later one is sealed', async () => {
    const gauge = 'grantbridge_history_unsealed_oldest_seconds';
    await until(async () => (await now(gauge)) === 0);
    const stranger = { at: clock.now(), actor: 'a stranger', action: 'test' };
    await insertEvents(system.bridge.context.store.durable, [stranger]);
    clock.advance(120_000);
    expect(await now(gauge)).toBeGreaterThanOrEqual(120);
    await issueToken(system);
    await until(async () => (await now(gauge)) === 0);
  });
});

describe('the process', () => {
  test('every job has an interval, and its last success', async () => {
    await until(async () => (await now(SUCCESS, { task: 'purge-expired' })) > 0);
    const all = await samples();
    const tasks = all.filter(({ name }) => name === 'grantbridge_job_interval_seconds');
    expect(tasks.length).toBeGreaterThan(8);
    const known = all.filter(({ name }) => name === SUCCESS);
    expect(known.map(({ labels }) => labels)).toEqual(tasks.map(({ labels }) => labels));
    expect(Date.now() / 1000 - sumOf(known, SUCCESS, { task: 'purge-expired' })).toBeLessThan(600);
  });

  test('the start of a process is no success of a job', async () => {
    const { jobs, registry } = createMetrics();
    jobs.begin('purge-expired', HOUR);
    const last = async () => sumOf(samplesOf(await registry.metrics()), SUCCESS);
    expect(await last()).toBe(0);
    jobs.succeeded('purge-expired');
    expect(await last()).toBeGreaterThan(0);
  });

  test('a blocked event loop shows in its delay', async () => {
    await samples();
    await until(async () => {
      await delay(30);
      for (const end = performance.now() + 300; performance.now() < end; );
      await delay(30);
      return (await now('grantbridge_event_loop_delay_seconds', { percentile: '100' })) > 0.2;
    });
  });

  test('writes tell how long they waited for the database', async () => {
    expect(await now('grantbridge_database_wait_seconds_count')).toBeGreaterThan(0);
    expect(await now('grantbridge_database_connections', { state: 'open' })).toBeGreaterThan(0);
    expect(await now('grantbridge_workers')).toBe(1);
  });

  test('an alarm of the log counts by its name', async () => {
    const { logger } = system.bridge.context;
    const labels = { alarm: 'disk_full' };
    const alarm = async () =>
      logger.error('ALARM: the disk is nearly full, the bridge refreshes no grant: make room');
    expect(await growsBy('grantbridge_alarms_total', labels, alarm)).toBe(1);
    expect(await now('grantbridge_alarms_total', { alarm: 'other' })).toBe(0);
  });
});

describe('the new API', () => {
  test('a read counts with its latency, and the budget of its client shows', async () => {
    const labels = { call: 'read', outcome: 'answered' };
    expect(await growsBy('grantbridge_new_api_seconds_count', labels, profiles)).toBeGreaterThan(0);
    const left = await now('grantbridge_new_api_budget_left_ratio');
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(1);
  });
});

describe('refreshes', () => {
  test('a refresh that stored the next pair counts as renewed', async () => {
    clock.advance(HOUR);
    expect(await refreshes('renewed', profiles)).toBe(1);
  });

  test('a refused refresh token counts, and so does the grant that ended by it', async () => {
    clock.advance(HOUR);
    const body = Buffer.from(JSON.stringify({ error: 'invalid_grant' }));
    const headers = { 'content-type': 'application/json' };
    const dead = await now('grantbridge_grants_ended_total', { cause: 'refused' });
    system.proxy.onTokenAnswer = () => ({ status: 400, headers, body });
    expect(await refreshes('refused', profiles)).toBe(1);
    system.proxy.onTokenAnswer = undefined;
    expect(await now('grantbridge_grants_ended_total', { cause: 'refused' })).toBe(dead + 1);
    expect(await calls({ endpoint: 'profiles', answered_by: 'reauthorization_required' }, profiles)).toBe(1);
  });

  test('a lost answer counts as in doubt, and the doubt grows older', async () => {
    token = await issueToken(system);
    expect(await now('grantbridge_grants_in_doubt')).toBe(0);
    expect(await now('grantbridge_grants_in_doubt_oldest_seconds')).toBe(0);
    clock.advance(HOUR);
    system.proxy.onTokenAnswer = () => ({ status: 502, headers: {}, body: Buffer.from('') });
    expect(await refreshes('in_doubt', profiles)).toBe(1);
    expect(await now('grantbridge_grants_in_doubt')).toBe(1);
    clock.advance(60_000);
    expect(await now('grantbridge_grants_in_doubt_oldest_seconds')).toBeGreaterThanOrEqual(60);
  });
});
