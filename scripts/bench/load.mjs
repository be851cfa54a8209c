// `node load.mjs PORT TOKENS_FILE CARRIER SECONDS CONNECTIONS`: calls `profiles.json` over kept connections, each with a
// token chosen at random, or with SECONDS `once` with each token one time, and prints one JSON object: answered calls, failures, and the times in milliseconds. It writes
// requests by hand, so that it costs the machine little beside the server that is measured.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const [, , port, tokensFile, carrier, seconds, connections] = process.argv;
const tokens = readFileSync(tokensFile, 'utf8').split('\n');
const PATH = '/1/profiles.json';
const HEAD = 'Host: bridge.example\r\nX-Forwarded-Proto: https\r\n';

const requests = {
  header: (token) => `GET ${PATH} HTTP/1.1\r\n${HEAD}Authorization: Bearer ${token}\r\n\r\n`,
  query: (token) => `GET ${PATH}?access_token=${encodeURIComponent(token)} HTTP/1.1\r\n${HEAD}\r\n`,
  body: (token) => {
    const form = `access_token=${encodeURIComponent(token)}`;
    const type = 'Content-Type: application/x-www-form-urlencoded';
    return `POST ${PATH} HTTP/1.1\r\n${HEAD}${type}\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
  },
};
const requestOf = requests[carrier];

const times = [];
let failures = 0;
const isOnce = seconds === 'once';
const until = isOnce ? Infinity : performance.now() + Number(seconds) * 1000;
let read = 0;

/** Any token; undefined once each was read, where that is asked for. */
const nextToken = () => (isOnce ? tokens[read++] : tokens[Math.floor(Math.random() * tokens.length)]);

/** The length of the whole answer at the beginning of `text`; undefined while a part of it is missing. */
function lengthOf(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const declared = /content-length: (\d+)/i.exec(text.slice(0, head));
  if (!declared) throw new Error(`an answer without a length: ${text.slice(0, head)}`);
  const whole = head + 4 + Number(declared[1]);
  return text.length < whole ? undefined : whole;
}

function callOver() {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    let begun = 0;
    const send = () => {
      begun = performance.now();
      const token = begun < until ? nextToken() : undefined;
      if (token === undefined) return resolve(socket.destroy());
      socket.write(requestOf(token));
    };
    socket.setEncoding('latin1').setNoDelay(true);
    socket.once('connect', send);
    socket.once('error', reject);
    socket.on('data', (part) => {
      received += part;
      if (lengthOf(received) === undefined) return;
      times.push(performance.now() - begun);
      if (!received.startsWith('HTTP/1.1 200')) failures += 1;
      received = '';
      send();
    });
  });
}

await Promise.all(Array.from({ length: Number(connections) }, callOver));
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
process.stdout.write(JSON.stringify({ calls: times.length, failures, p50: at(0.5), p99: at(0.99) }));
