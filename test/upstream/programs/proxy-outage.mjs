// Makes many calls to the old API at once through a proxy that goes away, and prints one JSON object: how often a call ended with
// which reason. A process of its own, because which authorities are trusted is settled when Node starts.
import { goThrough } from '../../../dist/shared/net/outbound-proxy.js';
import { createOldBackend } from '../../../dist/upstream/old-backend.js';

const { proxy, origin, calls } = JSON.parse(process.argv[2]);
goThrough(proxy);
const backend = createOldBackend(origin, 60_000);
const CALL = { method: 'GET', target: '/1/x.json', rawHeaders: [], body: Buffer.alloc(0) };

const ended = {};
const note = (reason) => void (ended[reason] = (ended[reason] ?? 0) + 1);
const all = Array.from({ length: calls }, (_, index) =>
  backend.pass({ ...CALL, takers: [`app ${index}`, `account ${index}`] }).then(
    ({ status }) => note(status),
    (error) => note(error.cause?.message ?? error.message),
  ),
);
// Far longer than the calls take on a busy machine: only calls that are forgotten last as long.
await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, 60_000))]);
process.stdout.write(JSON.stringify(ended), () => process.exit());
