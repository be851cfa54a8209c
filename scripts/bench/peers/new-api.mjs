// A stand-in for the new API, as cheap as it can be. `node new-api.mjs SECONDS`: the token endpoint gives pairs that live so
// many seconds, and every query is answered with the account and channels of the token's index. `GET /counts` tells how many
// of both were answered.
import { createServer } from 'node:http';
import { accountOf, channelsOf } from '../rows.mjs';
import { tellPort } from './tell-port.mjs';

const lifetime = Number(process.argv[2]);
const counts = { refreshes: 0, reads: 0 };

/** The real one tells its windows with every answer. Here they never run out. */
const BUDGET = {
  RateLimit: '"1000000-in-15min";r=900000;t=450, "9000000-in-24h";r=8000000;t=40000',
  'RateLimit-Policy': '"1000000-in-15min";q=1000000;w=900, "9000000-in-24h";q=9000000;w=86400',
};

const answers = new Map();

function readingOf(index) {
  const known = answers.get(index);
  if (known) return known;
  const answer = JSON.stringify({ data: { account: accountOf(index), o0: channelsOf(index) } });
  answers.set(index, answer);
  return answer;
}

/** Tokens are `aINDEX.VERSION` and `rINDEX.VERSION`. */
function pairAfter(form) {
  const [index, version] = new URLSearchParams(form).get('refresh_token').slice(1).split('.').map(Number);
  const next = `${index}.${version + 1}`;
  return JSON.stringify({
    access_token: `a${next}`,
    refresh_token: `r${next}`,
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: 'account:read posts:read',
  });
}

const server = createServer((request, response) => {
  const send = (text) => {
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      ...BUDGET,
    });
    response.end(text);
  };
  if (request.method === 'GET') return send(JSON.stringify(counts));
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const isToken = request.url === '/token';
    counts[isToken ? 'refreshes' : 'reads'] += 1;
    const { authorization = '' } = request.headers;
    send(isToken ? pairAfter(body) : readingOf(Number.parseInt(authorization.slice('Bearer a'.length), 10)));
  });
});
// Longer than a round: a kept connection that ends just before its reuse would fail a call of a plain peer.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => tellPort(server));
