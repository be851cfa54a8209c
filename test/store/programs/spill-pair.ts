import { openSpill } from '../../../src/store/files/spill.ts';

/** Spills one pair into a folder, and says so as soon as it counts as spilled. */

const pair = {
  accessTokenSealed: 'sealed-access-token',
  refreshTokenSealed: 'sealed-refresh-token',
  scope: 'account:read',
  accessExpiresAt: 1,
  refreshAt: 1,
};

await openSpill(process.argv[2] ?? '').write({ grantId: 'g1', version: 1, pair });
process.stdout.write('spilled');
