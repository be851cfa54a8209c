// `node holder.mjs JSON`: opens `count` connections to `port` and behaves on each as `how` says, until its standard input
// ends. Prints `open N` once all are open (N of them), and one JSON object at the end: the first lines of the answers by
// their number, and how many connections the server closed.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const { port, count, how, path = '/1/profiles.json', token = '' } = JSON.parse(process.argv[2]);
const MEGABYTE = Buffer.alloc(1 << 20, 'x');
const HUNDRED_MB = 100 << 20;
/** A little below what anybody may send. */
const LONG = 250_000;
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const AUTHORIZED = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;

const head = (...lines) =>
  `POST ${path} HTTP/1.1\r\nHost: bridge.example\r\n${AUTHORIZED}${FORM}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

const answers = {};
let closed = 0;
let isOver = false;

/** A byte a second, for ever. */
async function dribble(socket, text) {
  for (const byte of text) {
    if (socket.destroyed || isOver) return;
    socket.write(byte);
    await pause(1000);
  }
}

const drained = (socket) =>
  new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });

async function sendAll(socket, frame) {
  for (let sent = 0; sent < HUNDRED_MB; sent += MEGABYTE.length) {
    if (socket.destroyed || isOver) return;
    if (!socket.write(frame(MEGABYTE))) await drained(socket);
  }
}

const chunk = (bytes) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const WAYS = {
  silent: () => undefined,
  kept: (socket) => socket.write(`GET ${path} HTTP/1.1\r\nHost: bridge.example\r\n${AUTHORIZED}\r\n`),
  headers: (socket) => dribble(socket, head(`X-Slow: ${'x'.repeat(8000)}`)),
  body: (socket) => {
    socket.write(head('Content-Length: 8000'));
    return dribble(socket, 'x'.repeat(8000));
  },
  'long body': (socket) => {
    socket.write(head(`Content-Length: ${LONG}`));
    socket.write(Buffer.alloc(LONG - 1, 'x'));
  },
  'long chunks': (socket) => {
    socket.write(head('Transfer-Encoding: chunked'));
    socket.write(chunk(Buffer.alloc(LONG - 1, 'x')));
  },
  '100 MB': (socket) => {
    socket.write(head(`Content-Length: ${HUNDRED_MB}`));
    return sendAll(socket, (bytes) => bytes);
  },
  '100 MB in chunks': async (socket) => {
    socket.write(head('Transfer-Encoding: chunked'));
    await sendAll(socket, chunk);
    socket.write('0\r\n\r\n');
  },
  '100 MB once asked': async (socket) => {
    socket.write(head(`Content-Length: ${HUNDRED_MB}`, 'Expect: 100-continue'));
    await new Promise((resolve) => socket.once('data', resolve));
    await sendAll(socket, (bytes) => bytes);
  },
};

function open() {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setMaxListeners(0);
    socket.setEncoding('latin1').on('data', (text) => {
      for (const [, status] of text.matchAll(/HTTP\/1\.1 (\d{3})/g))
        answers[status] = (answers[status] ?? 0) + 1;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (!isOver) closed += 1;
      resolve(undefined);
    });
    socket.once('connect', () => {
      resolve(socket);
      void WAYS[how](socket);
    });
  });
}

const AT_ONCE = 200;
let opened = 0;
for (let left = count; left > 0; left -= AT_ONCE) {
  const some = await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, open));
  opened += some.filter(Boolean).length;
}
process.stdout.write(`open ${opened}\n`);
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve));
isOver = true;
process.stdout.write(JSON.stringify({ answers, closed }), () => process.exit(0));
