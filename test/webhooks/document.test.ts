import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newSigningSecret, signedHeaders } from '../../src/domain/webhooks/signature.ts';
import { WEBHOOK_EVENTS } from '../../src/domain/webhooks/events.ts';
import { readDocument } from '../support/guidance.ts';

/** docs/webhooks.md names every event, and its example of a check is run as it stands. */

const document = readDocument('docs/webhooks.md');
const folder = mkdtempSync(join(tmpdir(), 'webhook-example-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('every event is described', () => {
  const named = [...new Set(Object.values(WEBHOOK_EVENTS).flat())];
  expect(named.filter((event) => !document.includes(`\`${event}\``))).toEqual([]);
});

const [, example = ''] = /```js\n([\s\S]+?)```/.exec(document) ?? [];

function verdicts(calls: ReadonlyArray<readonly [string, Record<string, string>, string]>): boolean[] {
  const file = join(folder, 'check.mjs');
  writeFileSync(
    file,
    `${example}\nconsole.log(JSON.stringify(JSON.parse(process.argv[2]).map((one) => isGenuine(...one))));`,
  );
  return JSON.parse(
    execFileSync(process.execPath, [file, JSON.stringify(calls)], { encoding: 'utf8' }),
  ) as boolean[];
}

test('row W8 the example takes what the bridge signed, and nothing else', () => {
  const [secret, former] = [newSigningSecret(), newSigningSecret()];
  const message = { id: 'msg_1', now: Date.now(), body: '{"type":"test"}' };
  const signed = signedHeaders(message, [secret, former]);
  const old = signedHeaders({ ...message, now: message.now - 301_000 }, [secret]);
  expect(
    verdicts([
      [secret, signed, message.body],
      [former, signed, message.body],
      [newSigningSecret(), signed, message.body],
      [secret, signed, '{"type":"other"}'],
      [secret, { ...signed, 'webhook-id': 'msg_2' }, message.body],
      [secret, { ...signed, 'webhook-signature': '' }, message.body],
      [secret, old, message.body],
    ]),
  ).toEqual([true, true, false, false, false, false, false]);
});
