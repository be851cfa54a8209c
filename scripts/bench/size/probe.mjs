// `node probe.mjs PORT TOKENS_FILE` reads `profiles.json` every 15 ms over one connection, until its standard input ends,
// and prints one JSON object: how many answers there were, how many were no 200, and their times in milliseconds. A read
// that is late because the one before it took long counts from the moment at which it was due.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const EVERY = 15;
const [, , port, tokensFile] = process.argv;
const tokens = readFileSync(tokensFile, 'utf8').split('\n');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function read(token) {
  const headers = { 'X-Forwarded-Proto': 'https', Authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/1/profiles.json', headers, agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    }).once('error', () => resolve(0));
  });
}

const ending = new AbortController();
process.stdin.resume().once('end', () => ending.abort());
const times = [];
let failures = 0;
let due = performance.now();
while (!ending.signal.aborted) {
  const status = await read(tokens[Math.floor(Math.random() * tokens.length)]);
  times.push(performance.now() - due);
  if (status !== 200) failures += 1;
  due += EVERY;
  const early = due - performance.now();
  if (early > 0) await pause(early);
}
times.sort((one, other) => one - other);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
process.stdout.write(
  JSON.stringify({ reads: times.length, failures, p50: at(0.5), p99: at(0.99), max: times.at(-1) }),
);
process.exit(0);
