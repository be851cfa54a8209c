import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createVault, type Key } from '../../../src/shared/secrets.ts';

/** The digests of tokens are those of the standard (RFC 2104), so that every version and every tool finds them. */

const newKey = (id: string): Key => ({ id, secret: randomBytes(32) });

const vaultOf = (active: Key, ...others: Key[]) => {
  const ring = { active, all: [...others, active] };
  return createVault(() => ({ digest: ring, sealing: ring, session: ring, history: ring }));
};

const sha256 = (value: string) => createHash('sha256').update(value).digest();

const standard = ({ id, secret }: Key, value: string) =>
  `${id}.${createHmac('sha256', secret).update(sha256(value)).digest('base64url')}`;

test('a digest is the HMAC of the SHA-256 of a value, under each key', () => {
  const [one, other] = [newKey('k1'), newKey('k2')];
  const vault = vaultOf(one, other);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const wanted = [standard(one, value), standard(other, value)];
      expect(vault.digest(value)).toBe(wanted[0]);
      expect(vault.digests(value)).toEqual(wanted);
      expect(vault.digestOf(sha256(value))).toBe(wanted[0]);
      expect(vault.digestsOf(sha256(value))).toEqual(wanted);
    }),
  );
});

test('a value whose digest holds every byte is found under every kind of key', () => {
  for (const byte of [0x00, 0x36, 0x5c, 0x7f, 0x80, 0xff]) {
    const key = { id: 'k', secret: Buffer.alloc(32, byte) };
    const sums = Array.from({ length: 256 }, (_, value) => Buffer.alloc(32, value));
    for (const sum of sums) {
      const wanted = createHmac('sha256', key.secret).update(sum).digest('base64url');
      expect(vaultOf(key).digestOf(sum)).toBe(`k.${wanted}`);
    }
  }
});

test('a witness is the HMAC of its text, whatever letters it holds', () => {
  const key = newKey('k1');
  const vault = vaultOf(key);
  const wanted = (text: string) =>
    `k1.${createHmac('sha256', key.secret).update(text, 'utf8').digest('base64url')}`;
  const isStandard = (text: string) => {
    expect(vault.witness(text)).toBe(wanted(text));
    expect(vault.isWitness(text, wanted(text))).toBe(true);
  };
  for (const text of ['', '\ud800', 'é\udc00x', 'a'.repeat(10_000)]) isStandard(text);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), isStandard));
});
