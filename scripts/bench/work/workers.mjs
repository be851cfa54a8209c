// Cached calls by two workers beside one, on SQLite.
import { join } from 'node:path';
import { linesOf, overOther } from '../measure.mjs';
import { reported } from './postgres.mjs';

const TOKENS = 20_000;

/** Each bridge has a database of its own. */
export async function workers(stage) {
  const wanted = { tokens: Math.min(TOKENS, stage.options.tokens) };
  const contenders = [];
  for (const [name, count] of [
    ['one worker', '1'],
    ['two workers', '2'],
  ]) {
    const env = await stage.filled(name.replace(' ', '-'), wanted, { WORKERS: count });
    const load = { file: join(env.VAR_DIR, 'tokens.txt'), request: 'header' };
    contenders.push({ ...(await stage.serve(name, env)), load });
    await stage.callOnce(contenders.at(-1), load);
  }
  const measured = await stage.rounds(contenders);
  return linesOf('profiles.json, fresh, header', measured, {
    'two workers': { with: 'one worker', ...overOther('one worker', reported(1.15)) },
  });
}
