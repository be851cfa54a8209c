// Which file is run when: those that wait for a browser or for a real clock first, so that no other worker is idle at the
// end while one of them lasts. The rest as jest orders it: by the time of the last run, or else by size.
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { placeOf } = require('./campaigns.cjs');

const LONG = [
  'browser/',
  'fuzz/broken-bodies',
  'endpoints/certificate-renewal',
  'owners/live',
  'roles/role-table',
  'processes/restore/restore-drill',
  'processes/start/workers',
  'processes/commands/schema-state',
  'shutdown/deployment',
];

const testFolder = path.join(__dirname, '../..');

const isLong = (test) => LONG.some((start) => path.relative(testFolder, test.path).startsWith(start));

const isCampaign = (test) => placeOf(test.path) >= 0;

module.exports = class extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- the order of jest's own sequencer, not of an array
    const sorted = super.sort(tests);
    const others = sorted.filter((test) => !isCampaign(test));
    const campaigns = sorted
      .filter(isCampaign)
      .toSorted((one, other) => placeOf(one.path) - placeOf(other.path));
    return [...others.filter(isLong), ...others.filter((test) => !isLong(test)), ...campaigns];
  }
};
