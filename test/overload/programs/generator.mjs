// `node generator.mjs JSON`: calls a bridge over kept connections, and prints one JSON object of what became of the calls.
// The JSON names `port`, `tokens` (a file, one a line), `path`, `seconds`, and either `rate` (calls a second, sent at their
// time whatever became of those before) or `connections` (each sends its next call after an answer). `skip` seconds at the
// beginning are counted apart. Requests are written by hand, so that the load costs little beside the server.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const asked = JSON.parse(process.argv[2]);
const { port, path, seconds, skip = 0, rate, connections, most = 2000 } = asked;
const tokens = readFileSync(asked.tokens, 'utf8').split('\n');
const TICK = 4;
/** At its end the load waits so long for answers. */
const ANSWERED_WITHIN = 30_000;

const begun = performance.now();
const until = begun + seconds * 1000;
const steadyFrom = begun + skip * 1000;
const found = { early: [], accepted: [], refused: [], statuses: {}, unexplained: 0, cut: 0, unsent: 0 };
const lags = [];
let isOver = false;

const textOf = (token) =>
  `GET ${path} HTTP/1.1\r\nHost: bridge.example\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const anyToken = () => tokens[Math.floor(Math.random() * tokens.length)];

function note(head, sentAt) {
  const now = performance.now();
  const status = head.slice(9, 12);
  found.statuses[status] = (found.statuses[status] ?? 0) + 1;
  if (status === '503' && !/\r\nretry-after: [1-9]/i.test(head)) found.unexplained += 1;
  const list = sentAt < steadyFrom ? found.early : status === '200' ? found.accepted : found.refused;
  list.push(now - sentAt);
}

/** A connection with one call at a time; `free` is called when the next may be sent. */
function openConnection(free) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1');
  let [received, sentAt, isGone] = ['', undefined, false];
  const connection = {
    isGone: () => isGone,
    isBusy: () => !isGone && sentAt !== undefined,
    send() {
      sentAt = performance.now();
      socket.write(textOf(anyToken()));
    },
    end: () => socket.destroy(),
  };
  socket.once('connect', () => free(connection));
  socket.on('error', () => undefined);
  socket.once('close', () => {
    isGone = true;
    if (sentAt !== undefined && !isOver) found.cut += 1;
  });
  socket.on('data', (part) => {
    // An answer without a call: the server gives up a connection that waited too long for its first one.
    if (sentAt === undefined) return socket.destroy();
    received += part;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
    if (received.length < end + 4 + length) return undefined;
    note(received.slice(0, end + 2), sentAt);
    [received, sentAt] = ['', undefined];
    free(connection);
    return undefined;
  });
  return connection;
}

/** Whether the load is over: its time has passed, and every call has its answer. */
function isDone(all, now) {
  if (now < until) return false;
  return now > until + ANSWERED_WITHIN || !all.some((connection) => connection.isBusy());
}

/** Each call at its time, on a connection that is free; as many connections as that takes, up to `most`. */
function sendAtRate() {
  const [idle, all] = [[], []];
  const free = (connection) => idle.push(connection);
  const more = (count) => {
    for (let n = 0; n < count && all.length < most; n += 1) all.push(openConnection(free));
  };
  more(64);
  let [sent, tickAt] = [0, begun];
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      lags.push(Math.max(now - tickAt - TICK, 0));
      tickAt = now;
      const due = Math.floor(((Math.min(now, until) - begun) / 1000) * rate);
      while (sent < due) {
        const connection = idle.pop();
        if (!connection) break;
        if (connection.isGone()) continue;
        connection.send();
        sent += 1;
      }
      more(Math.min(due - sent, 100));
      if (sent < due && all.length >= most) {
        // A caller without a connection does not wait for one: its call is lost to the caller.
        found.unsent += due - sent;
        sent = due;
      }
      if ((sent < due && now < until + ANSWERED_WITHIN) || !isDone(all, now)) return;
      clearInterval(timer);
      resolve(all);
    }, TICK);
  });
}

function sendInTurn() {
  const all = Array.from({ length: connections }, () =>
    openConnection((connection) => {
      if (performance.now() < until) connection.send();
    }),
  );
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isDone(all, performance.now())) return;
      clearInterval(timer);
      resolve(all);
    }, TICK);
  });
}

const opened = await (rate === undefined ? sendInTurn() : sendAtRate());
isOver = true;
found.cut += opened.filter((connection) => connection.isBusy()).length;
for (const connection of opened) connection.end();

function figures(times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { calls: times.length, p50: at(0.5), p99: at(0.99), most: times.at(-1) ?? 0 };
}

const { statuses, unexplained, cut, unsent } = found;
const [early, accepted, refused] = [found.early, found.accepted, found.refused].map(figures);
const lag = figures(lags);
process.stdout.write(
  JSON.stringify({
    statuses,
    unexplained,
    cut,
    unsent,
    early,
    accepted,
    refused,
    lag,
    connections: opened.length,
  }),
);
