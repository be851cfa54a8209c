import { join } from 'node:path';
import { until } from '../../support/servers/held-answer.ts';
import { run } from '../commands/operator-command.ts';
import { canReadProcesses, childrenOf, visibleOf } from '../start/process-list.ts';
import { filesBelow } from './kept.ts';
import type { Place } from './search.ts';
import type { Stage } from './stage.ts';

/** The operator's commands next to the running bridge: what they print, and what a process list shows of them. */

function commandLines(): Place[] {
  const mine = childrenOf(process.pid).map((pid) => {
    try {
      return visibleOf(pid).commandLine;
    } catch {
      return '';
    }
  });
  const texts = mine.filter((text) => text.includes('cli.js'));
  return texts.map((text) => ({ where: "the command line of an operator's command", text }));
}

/** Runs one, and looks at the process list while it runs. */
async function runWatched(stage: Stage, ...args: string[]) {
  const running = run(stage.settings, ...args);
  const seen = canReadProcesses ? commandLines() : [];
  const ended = await running;
  const name = args.filter((arg) => /^[a-z]+$/.test(arg)).join(' ');
  const places: Place[] = [
    ...seen,
    { where: `the output of ${name}`, text: ended.output },
    { where: `the errors of ${name}`, text: ended.complaints },
  ];
  return { ...ended, places };
}

/** Registers an app with the callback that all apps here have; its output may show its own secret and token, once. */
export async function addApp(stage: Stage, name: string, callback: string) {
  const owner = `${name}@owners.example`;
  const args = ['apps', 'add', '--name', name, '--callback', callback, '--owner', owner, '--json'];
  const { output, places } = await runWatched(stage, ...args);
  const added = JSON.parse(output) as Record<'client_id' | 'client_secret' | 'owner_token', string>;
  stage.collection.add('app secret', added.client_secret);
  stage.collection.add('owner token', added.owner_token);
  const shown = places.map((place) => ({ ...place, may: ['app secret', 'owner token'] }));
  return {
    app: { clientId: added.client_id, clientSecret: added.client_secret, callback },
    places: shown.map(({ may, ...place }) =>
      place.where.startsWith('the output') ? { ...place, may } : place,
    ),
  };
}

const READING = [
  ['apps', 'list'],
  ['apps', 'list', '--json'],
  ['doctor'],
  ['doctor', '--json'],
  ['keys', 'list'],
  ['keys', 'list', '--json'],
  ['history', 'export'],
  ['history', 'verify'],
  ['history', 'verify', '--json'],
];

/** What the commands print that only look. */
export async function readingCommands(stage: Stage): Promise<Place[]> {
  const places: Place[] = [];
  for (const args of READING) {
    const ended = await runWatched(stage, ...args);
    // 2 is a command that does not exist: nothing was looked at.
    expect([args, ended.code === 2]).toEqual([args, false]);
    places.push(...ended.places);
  }
  return places;
}

/** A rotation up to the new sealing of everything, so that no copy of an old or a new key is left behind. */
export async function rotateKeys(stage: Stage): Promise<Place[]> {
  const places: Place[] = [];
  const say = async (...args: string[]) => {
    const ended = await runWatched(stage, ...args);
    places.push(...ended.places);
    return ended;
  };
  const { id } = JSON.parse((await say('keys', 'add', '--json')).output) as { id: string };
  // Refused until the running bridge has told that it holds the key.
  await until(async () => (await say('keys', 'activate', id)).code === 0, 30_000);
  expect((await say('keys', 'reseal')).code).toBe(0);
  return places;
}

/** What the backup prints, and its bytes where it makes a file. */
export async function backedUp(stage: Stage, folder: string): Promise<Place[]> {
  const file = join(folder, 'copy.backup');
  const { places } = await runWatched(stage, 'backup', file);
  const bytes = filesBelow(folder);
  expect(bytes.length > 0).toBe(stage.database.kind === 'sqlite');
  return [...places, ...bytes];
}
