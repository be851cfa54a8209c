// `node fill.mjs DATABASE TOKENS_FILE`: the peers' own table of the same tokens.
import { readFileSync } from 'node:fs';
import { Sqlite } from '../../../dist/shared/sqlite.js';
import { digestOf } from './digest.mjs';

const [, , databaseFile, tokensFile] = process.argv;
const database = new Sqlite(databaseFile);
database.exec('create table tokens (digest text primary key, id integer, state text) without rowid');
const insert = database.prepare("insert into tokens values (?, ?, 'active')");
const tokens = readFileSync(tokensFile, 'utf8').split('\n');
database.transaction(() => tokens.forEach((token, index) => insert.run(digestOf(token), index)))();
database.close();
