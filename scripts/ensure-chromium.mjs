// Installs the browser of the browser tests where that can be done without asking, and says how to do it elsewhere. Never
// fails: without a browser those tests are skipped and say so.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const BROWSER = '/usr/bin/chromium';
const LIMIT = 180_000;
const say = (text) => process.stderr.write(`${text}\n`);

function apt(...parts) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync('apt-get', ['-q', ...parts], { env, stdio: 'ignore', timeout: LIMIT });
  return status === 0;
}

function install() {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return false;
  say('Installing chromium for the browser tests (apt-get install chromium) ...');
  const parts = ['install', '-y', '--no-install-recommends', 'chromium'];
  return apt(...parts) || (apt('update') && apt(...parts));
}

if (!existsSync(BROWSER) && !(install() && existsSync(BROWSER)))
  say(`There is no ${BROWSER}, so the browser tests are skipped. On Debian: sudo apt-get install chromium`);
