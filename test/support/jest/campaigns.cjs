// Campaigns: files of the full ring that play many rounds of one subject, or walk through pages in a browser, whose rules
// other files show once (test/guidance/threats.test.ts). With TEST_CAMPAIGNS_UNTIL (Unix milliseconds) one that would begin
// later is left out, and scripts/run-tests.mjs names it: a machine with half the speed still shows every rule within the
// forty minutes of .ci/run. They run last, the longest first.
const { existsSync } = require('node:fs');
const path = require('node:path');

const CAMPAIGNS = [
  'shutdown/deployment',
  'browser/mail-walk',
  'browser/settings',
  'browser/demo-posts',
  'processes/start/workers',
  'fuzz/broken-bodies',
  'processes/commands/schema-state',
  'processes/commands/keys-commands',
  'processes/restore/restore-drill',
  'owners/files/app-files',
  'processes/upgrade/rolling-upgrade',
  'processes/start/start-failures',
  'processes/commands/terminal',
  'tables/page-aids',
  'posts/fuzzed-calls',
  'faults/refresh/lost-answers',
  'exchange/hand-over-crash',
  'posts/hostile-values',
  'owners/every-number/every-number',
  'browser/all-pages',
  'owners/pages',
  'faults/outage/back-soon',
  'reminders/crash',
  'posts/order/order-faults',
  'posts/writes/faults',
  'shutdown/log-gone',
  'races/short-campaign',
  'races/many-callers',
  'flows/old-api/shadow-shares',
  'pages/local-times',
  'migrate/examples',
  'fuzz/short-run',
  'faults/refresh/hour-of-lost-answers',
  'faults/burst',
  'faults/storage/other-statements',
  'processes/restore/restored-copy',
  'posts/writes/killed-creates',
  'posts/writes/faulty-changes',
  'posts/writes/fuzzed-writes',
  'owners/rehearse-killed',
  'domain/redaction-canaries',
];

const testFolder = path.join(__dirname, '../..');

const missing = CAMPAIGNS.filter((name) => !existsSync(path.join(testFolder, `${name}.full.test.ts`)));
if (missing.length > 0) throw new Error(`no file of the full ring is ${missing.join(' or ')}`);

/** The place of a test file among the campaigns; -1 for any other. */
const placeOf = (file) => CAMPAIGNS.indexOf(path.relative(testFolder, file).replace(/\.full\.test\.ts$/, ''));

/** Whether a file is a campaign that begins too late. */
const isLeftOut = (file) =>
  Date.now() > Number(process.env.TEST_CAMPAIGNS_UNTIL || Infinity) && placeOf(file) >= 0;

module.exports = { placeOf, isLeftOut };
