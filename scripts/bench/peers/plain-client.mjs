// `node plain-client.mjs DATABASE TOKENS_FILE NEW_API_PORT`: what a program without the engine of the bridge would do. Express
// 5 and axios: an access token that has ended is refreshed, the new pair is one durable UPDATE, and the new API is asked.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import axios from 'axios';
import express from 'express';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { graphqlOf } from '../requests.mjs';
import { digestOf } from './digest.mjs';
import { tellPort } from './tell-port.mjs';

const [, , databaseFile, tokensFile, port] = process.argv;
const api = `http://127.0.0.1:${port}`;
const httpAgent = new Agent({ keepAlive: true, maxSockets: 64 });

const database = new Sqlite(databaseFile);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(
  'create table pairs (digest text primary key, id integer, access text, refresh text, expires_at integer) without rowid',
);
const insert = database.prepare('insert into pairs values (?, ?, ?, ?, 0)');
const tokens = readFileSync(tokensFile, 'utf8').split('\n');
database.transaction(() =>
  tokens.forEach((token) => {
    const index = Number.parseInt(token.slice(2), 16);
    insert.run(digestOf(token), index, `a${index}.1`, `r${index}.1`);
  }),
)();
const find = database.prepare('select * from pairs where digest = ?');
const update = database.prepare(
  'update pairs set access = ?, refresh = ?, expires_at = ? where digest = ? and refresh = ?',
);

async function refresh({ digest, refresh: presented }) {
  const form = { grant_type: 'refresh_token', refresh_token: presented, client_id: 'bridge' };
  const { data } = await axios.post(`${api}/token`, new URLSearchParams(form), { httpAgent });
  const expiresAt = Date.now() + data.expires_in * 1000;
  update.run(data.access_token, data.refresh_token, expiresAt, digest, presented);
  return data.access_token;
}

async function read(index, access) {
  const headers = { Authorization: `Bearer ${access}`, 'Content-Type': 'application/json' };
  const { data } = await axios.post(api, graphqlOf(index), { headers, httpAgent });
  return data.data.o0;
}

const app = express();
app.get('/1/profiles.json', async (req, res) => {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? '';
  const known = find.get(digestOf(token));
  if (!known) return void res.status(401).json({ error: 'invalid_token' });
  const access = known.expires_at <= Date.now() ? await refresh(known) : known.access;
  return void res.json(await read(known.id, access));
});
const server = app.listen(0, '127.0.0.1', () => tellPort(server));
