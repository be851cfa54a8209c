// `node load.mjs LOAD`: calls one or more ports over kept connections, and prints one JSON object: answered calls, failures,
// seconds, where the file was left, and the times in milliseconds. It writes requests by hand, so that it costs the machine
// little beside the server that is measured. LOAD is JSON: `ports`, the `file` whose lines the requests are made of, the name
// of the `request`, `connections`, `order` and an end. `order` is `random`, `in turn` (and again from the beginning) or `once`
// (each line one time), the last two from the line `from` on. The end comes after `seconds` or `calls`, or with the file.
// With a `pace` no more than so many calls begin in a second, in turn over the connections; without, each connection calls
// again as soon as it is answered.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { requests } from './requests.mjs';

const given = {
  order: 'random',
  from: 0,
  seconds: Infinity,
  calls: Infinity,
  pace: Infinity,
  ...JSON.parse(process.argv[2]),
};
const { ports, file, request, connections, order, seconds, calls, pace } = given;
const lines = readFileSync(file, 'utf8').split('\n');
const requestOf = requests[request];

const times = [];
let failures = 0;
let sent = 0;
let next = given.from;
const begunAt = performance.now();
const until = begunAt + seconds * 1000;

const LINE = {
  random: () => lines[Math.floor(Math.random() * lines.length)],
  'in turn': () => lines[next++ % lines.length],
  once: () => lines[next++],
};

/** The next line; undefined at the end. On a busy machine too, every connection has a call. */
function nextLine() {
  if (sent >= calls || (performance.now() >= until && sent >= connections)) return undefined;
  sent += 1;
  return LINE[order]();
}

/** The length of the whole answer at the beginning of `text`; undefined while a part of it is missing. */
function lengthOf(text) {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const declared = /content-length: (\d+)/i.exec(text.slice(0, head));
  if (!declared) throw new Error(`an answer without a length: ${text.slice(0, head)}`);
  const whole = head + 4 + Number(declared[1]);
  return text.length < whole ? undefined : whole;
}

function noteAnswer(text, begun) {
  times.push(performance.now() - begun);
  if (text.startsWith('HTTP/1.1 200')) return;
  failures += 1;
  if (failures === 1) process.stderr.write(`${text.slice(0, 1000)}\n`);
}

/** Between two calls of one connection. */
const STEP = (connections * 1000) / pace;

/** When the calls of a connection are due. One that was answered late does not hurry after. */
function paceOf(place) {
  let due = begunAt + (place * 1000) / pace;
  return async () => {
    const wait = due - performance.now();
    due = Math.max(due, performance.now()) + STEP;
    if (wait > 0) await delay(wait);
  };
}

function callOver(port, place) {
  const turn = pace === Infinity ? undefined : paceOf(place);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let received = '';
    let begun = 0;
    const send = async () => {
      if (turn) await turn();
      begun = performance.now();
      const line = nextLine();
      if (line === undefined) return resolve(socket.destroy());
      socket.write(requestOf(line));
    };
    socket.setEncoding('latin1').setNoDelay(true);
    socket.once('connect', () => void send().catch(reject));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`the server closed the connection: ${received}`)));
    socket.on('data', (part) => {
      received += part;
      if (lengthOf(received) === undefined) return;
      noteAnswer(received, begun);
      received = '';
      send().catch(reject);
    });
  });
}

await Promise.all(Array.from({ length: connections }, (_, at) => callOver(ports[at % ports.length], at)));
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
const took = (performance.now() - begunAt) / 1000;
process.stdout.write(
  JSON.stringify({ calls: times.length, failures, seconds: took, next, p50: at(0.5), p99: at(0.99) }),
);
