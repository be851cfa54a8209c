// Cached calls of very many busy accounts beside those of few, by the same process.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../figures.mjs';
import { linesOf, overOther } from '../measure.mjs';
import { tokensBetween } from './new-api.mjs';

const FEW = 1000;
const MANY = 50_000;

/** Of the calls, `user.json` goes by the memory of ids, and `profiles.json` does not. */
export async function accounts(stage) {
  const { tokens, isQuick } = stage.options;
  const env = await stage.filled('cached', { tokens });
  const bridge = await stage.serve('bridge', env);
  const many = Math.min(MANY, tokens);
  const contenderOf = (count, request) => {
    const file = join(stage.folder, `tokens-${count}.txt`);
    writeFileSync(file, tokensBetween(0, count));
    return { ...bridge, name: `${count} accounts`, load: { file, request } };
  };
  const lines = [];
  for (const [request, call] of [
    ['header', 'profiles.json'],
    ['user', 'user.json'],
  ].slice(0, isQuick ? 1 : 2)) {
    const contenders = [contenderOf(FEW, request), contenderOf(many, request)];
    await stage.callOnce(bridge, contenders[1].load);
    const measured = await stage.rounds(contenders);
    const few = `${FEW} accounts`;
    lines.push(
      ...linesOf(`${call}, fresh, header`, measured, {
        [`${many} accounts`]: { with: few, ...overOther(few, atMost(1.1)) },
      }),
    );
  }
  return lines;
}
