// The row about an import: the command beside raw inserts of the same rows, in turn.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../figures.mjs';
import { script } from '../process.mjs';
import { runWatched } from './bridge.mjs';
import { makeEmpty, peopleFile } from './ground.mjs';

async function runOne(name, { folder, file }) {
  const varDir = join(folder, `import-${name}`);
  rmSync(varDir, { recursive: true, force: true });
  const env = { ...(await makeEmpty(varDir)), WATCH_STATEMENTS: '0' };
  const args =
    name === 'raw'
      ? [script('size/import-raw.mjs'), file]
      : ['dist/program/cli.js', 'tokens', 'import', file, '--json'];
  const { cpu, memory, seconds } = await runWatched(args, env, join(varDir, 'output'));
  rmSync(varDir, { recursive: true, force: true });
  return { cpu, memory, seconds };
}

/** `rounds` imports beside as many raw insertions. */
export async function importRow({ folder, tokens, rounds }) {
  const given = { folder, file: await peopleFile(folder, tokens) };
  const all = { bridge: [], raw: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? ['bridge', 'raw'] : ['raw', 'bridge'];
    for (const name of order) all[name].push(await runOne(name, given));
  }
  const ratios = all.bridge.map(({ cpu }, round) => cpu / all.raw[round].cpu);
  const of = (name, figure) => median(all[name].map((one) => one[figure]));
  return {
    lines: [
      { what: 'import: CPU beside raw inserts', figure: median(ratios), goal: 1.2, unit: '×' },
      { what: 'import: memory', figure: of('bridge', 'memory'), goal: 256, unit: 'MB' },
      { what: 'import: CPU', figure: of('bridge', 'cpu'), unit: 's' },
      { what: 'raw inserts: CPU', figure: of('raw', 'cpu'), unit: 's' },
      { what: 'raw inserts: memory', figure: of('raw', 'memory'), unit: 'MB' },
    ],
    more: { ratios, ...all },
  };
}
