import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { HOUR } from '../../src/shared/lifetimes.ts';
import { keysOf, newSigner } from '../leaks/support/signer.ts';

/** LEAK_REPORT_KEYS and LEAKED_TOKEN_GRACE_HOURS: who may report leaked tokens, and how long these go on. */

const folder = mkdtempSync(join(tmpdir(), 'leak-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [one, two] = [newSigner('one'), newSigner('two')];

function problemsOf(settings: Record<string, string>): string {
  try {
    readConfig(settings);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

const namesOf = (settings: Record<string, string>) => [
  ...(readConfig(settings).leakReportKeys?.keys() ?? ['none']),
];

test('without the setting nobody may report, and tokens end at once', () => {
  const { leakReportKeys, leakedTokenGrace } = readConfig({});
  expect([leakReportKeys, leakedTokenGrace]).toEqual([undefined, 0]);
  expect(readConfig({ LEAKED_TOKEN_GRACE_HOURS: '48' }).leakedTokenGrace).toBe(48 * HOUR);
  for (const hours of ['721', '-1', '1.5', '2h'])
    expect(problemsOf({ LEAKED_TOKEN_GRACE_HOURS: hours })).toContain('LEAKED_TOKEN_GRACE_HOURS');
});

test('keys come in the form in which GitHub publishes them, from the variable or from a file of many lines', () => {
  const keys = keysOf(one, two);
  expect(namesOf({ LEAK_REPORT_KEYS: keys })).toEqual(['one', 'two']);
  const file = join(folder, 'keys.json');
  writeFileSync(file, `${JSON.stringify(JSON.parse(keys), null, 2)}\n`);
  expect(namesOf({ LEAK_REPORT_KEYS_FILE: file })).toEqual(['one', 'two']);
});

const ecKey = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
const rsaKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();
const privatePem = one.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keyOf = (pem: string, id = 'k') => JSON.stringify({ public_keys: [{ key_identifier: id, key: pem }] });

test.each([
  ['no JSON', 'not json', 'must be {"public_keys"'],
  ['a PEM alone', one.pem, 'must be {"public_keys"'],
  ['no key', '{"public_keys":[]}', 'must be {"public_keys"'],
  ['a private key', keyOf(privatePem), 'must be {"public_keys"'],
  ['a key with a private one behind it', keyOf(`${one.pem}${privatePem}`), 'must be {"public_keys"'],
  ['an identifier with a blank', keyOf(one.pem, 'a b'), 'must be {"public_keys"'],
  ['another curve', keyOf(ecKey('secp384r1')), 'key 1 is no ECDSA key on the curve P-256'],
  ['RSA', keyOf(rsaKey), 'key 1 is no ECDSA key on the curve P-256'],
  ['two keys of one name', keysOf(one, { ...two, keyId: 'one' }), 'key 2 has the identifier of another key'],
])('%s is refused, and nothing of it is repeated', (_name, given, message) => {
  const problems = problemsOf({ LEAK_REPORT_KEYS: given });
  expect(problems).toContain(`LEAK_REPORT_KEYS: ${message}`);
  expect(problems).not.toContain(privatePem.split('\n')[1]);
});
