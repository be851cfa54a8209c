import { isPublicAddress, readNetworks } from '../../src/shared/net/public-addresses.ts';

/** Which addresses webhooks may lead to, as the registries of IANA say. */

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:93.184.215.14',
  '::10.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:db8::1',
  '2002:a00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '',
  'hooks.example',
  '10.1',
])('row W1 %s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  '93.184.215.14',
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
  '2a00:1450:4001:82a::200e',
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('networks are read whole or not at all', () => {
  expect(readNetworks(['10.20.0.0/16', 'fd00:1::/64'])?.check('10.20.3.4')).toBe(true);
  expect(readNetworks(['10.20.0.0/16'])?.check('10.21.0.1')).toBe(false);
  expect(
    ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'name/8', '10.0.0.0/', '*'].map((one) => readNetworks([one])),
  ).toEqual(Array(6).fill(undefined));
});
