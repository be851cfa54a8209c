// The row about look-ups: one token of very many against one of a thousand.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../figures.mjs';
import { run, script } from '../process.mjs';
import { makeEmpty, settingsOf } from './ground.mjs';

const FEW = 1000;
const LOOK_UPS = 200_000;
const ROUNDS = 5;

async function filled(folder, tokens) {
  const varDir = join(folder, `lookup-${tokens}`);
  if (existsSync(varDir)) return varDir;
  const making = `${varDir}.new`;
  rmSync(making, { recursive: true, force: true });
  await run([script('size/lookup-fill.mjs'), String(tokens)], await makeEmpty(making));
  renameSync(making, varDir);
  return varDir;
}

/** Rounds of both sizes follow each other, in the reversed order each time. */
export async function lookupRow({ folder, lookups }) {
  const sizes = [FEW, lookups];
  const env = new Map();
  for (const tokens of sizes) env.set(tokens, await settingsOf(await filled(folder, tokens)));
  const times = new Map(sizes.map((tokens) => [tokens, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const tokens of round % 2 === 0 ? sizes : sizes.toReversed()) {
      const args = [script('size/lookup-time.mjs'), String(tokens), String(LOOK_UPS)];
      times.get(tokens).push(JSON.parse(await run(args, env.get(tokens))).micros);
    }
  const ratios = times.get(lookups).map((micros, round) => micros / times.get(FEW)[round]);
  return {
    lines: [
      {
        what: `look-up: one of ${lookups} against one of ${FEW}`,
        figure: median(ratios),
        goal: 1.5,
        unit: '×',
      },
      { what: `look-up: one of ${lookups}`, figure: median(times.get(lookups)), unit: 'µs' },
      { what: `look-up: one of ${FEW}`, figure: median(times.get(FEW)), unit: 'µs' },
    ],
    more: { ratios, times: Object.fromEntries(times) },
  };
}
