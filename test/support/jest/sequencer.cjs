// Which file is run when: those that wait for a browser or for a real clock first, so that no other worker is idle at the
// end while one of them lasts. The rest as jest orders it: by the time of the last run, or else by size.
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  'browser/',
  'fuzz/broken-bodies',
  'endpoints/certificate-renewal',
  'owners/live',
  'roles/role-table',
  'owners/every-number',
  'faults/refresh/lost-answers',
  'faults/outage/back-soon',
  'posts/fuzzed-calls',
  'posts/hostile-values',
  'posts/order/order-faults',
  'posts/writes/faults',
  'processes/restore/restore-drill',
  'processes/start/workers',
  'exchange/hand-over-crash',
  'reminders/crash',
  'shutdown/deployment',
  'owners/pages',
];

const testFolder = path.join(__dirname, '../..');

const isLong = (test) => LONG.some((start) => path.relative(testFolder, test.path).startsWith(start));

module.exports = class extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- the order of jest's own sequencer, not of an array
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
