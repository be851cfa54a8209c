import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/shared/project-root.ts';
// @ts-expect-error -- a configuration without types
import configuration from '../../.dependency-cruiser.cjs';

/** ARCHITECTURE.md names every room, in the order that `npm run check` holds, and every folder of src. */

interface Rule {
  name: string;
  from: { pathNot?: string };
}

const text = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a configuration without types
const { forbidden } = configuration as { forbidden: Rule[] };

/** The rooms of a layer from the ground up, as the check reads them. */
function roomsOf(layer: string): string[] {
  const rule = forbidden.find(({ name }) => name === `${layer}-has-a-room-without-a-floor`);
  return /\(\?:(.+)\)/.exec(rule?.from.pathNot ?? '')?.[1]?.split('|') ?? [];
}

const section = (layer: string) => text.split(`\n### \`src/${layer}\``)[1]?.split('\n### ')[0] ?? '';

const foldersOf = (path: string) =>
  readdirSync(join(projectRoot, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test.each(['domain', 'http'])('the rooms of %s stand there from the ground up', (layer) => {
  const named = [...section(layer).matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, room]) => room);
  expect(named).toEqual(roomsOf(layer));
  expect(new Set(named)).toEqual(new Set(foldersOf(`src/${layer}`)));
});

test('every room of store but its three tools is a subject that domain has too', () => {
  const tools = ['tables', 'driver', 'files'];
  expect(tools.filter((room) => !section('store').includes(`\`${room}\``))).toEqual([]);
  const subjects = roomsOf('store').filter((room) => !tools.includes(room));
  expect(subjects.filter((room) => !roomsOf('domain').includes(room))).toEqual([]);
});

test('every folder of src is named', () => {
  const missing = foldersOf('src').filter((folder) => !text.includes(`\`src/${folder}\``));
  expect(missing).toEqual([]);
});
