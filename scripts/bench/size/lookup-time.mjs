// `node lookup-time.mjs TOKENS LOOKUPS` with the settings of a filled installation in the environment: prints the processor
// time of one look-up of a random token by its digest, in microseconds, through the bridge's own store.
import { openStore } from '../../../dist/store/driver/open-store.js';
import { readConfig } from '../../../dist/config/config.js';
import { findToldCall } from '../../../dist/store/posts/told-profiles.js';
import { openContext } from '../../../dist/app/open-context.js';

const [, , tokens, lookUps] = process.argv.map(Number);
const config = readConfig();
const { context, close } = await openContext(config, config.upstream);
const store = await openStore(config.database);
const AT_ONCE = 20_000;

function digestsOf(count) {
  return Array.from({ length: count }, () => {
    const token = Math.floor(Math.random() * tokens);
    return context.vault.digest(`1/${token.toString(16).padStart(32, '0')}`);
  });
}

let spent = 0;
let done = -AT_ONCE;
while (done < lookUps) {
  const digests = digestsOf(AT_ONCE);
  const before = process.cpuUsage();
  for (const digest of digests) if (findToldCall(store, digest) === undefined) throw new Error('not found');
  const { user, system } = process.cpuUsage(before);
  // The first look-ups warm up.
  if (done >= 0) spent += user + system;
  done += AT_ONCE;
}
process.stdout.write(JSON.stringify({ micros: spent / done }));
await store.close();
await close();
