import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { add, run, runJson } from '../commands/operator-command.ts';
import type { Settings } from '../running-program.ts';
import {
  appsIn,
  backupOf,
  copyPlace,
  fileIn,
  folder,
  makeHome,
  namesIn,
  removePlaces,
  stateOf,
} from './sqlite-places.ts';

/** A database whose name is a link, as where it lies on a volume of its own: the file behind the link is the database. */

let backup: string;

beforeAll(async () => {
  backup = await backupOf(await makeHome());
});

afterAll(removePlaces);

/** A place like home with one app more, whose database lies in another folder. */
async function linkedPlace(place: string): Promise<{ settings: Settings; volume: string }> {
  const settings = copyPlace('home', place);
  await run(settings, ...add('More', 'https://more.example/', 'o@more.example'));
  const volume = `${place}-volume`;
  mkdirSync(join(folder, volume));
  renameSync(fileIn(place), fileIn(volume));
  symlinkSync(`../${volume}/bridge.db`, fileIn(place));
  expect(appsIn(fileIn(place))).toBe(2);
  return { settings, volume };
}

const isLink = (place: string) => lstatSync(fileIn(place)).isSymbolicLink();
const asideIn = (place: string) =>
  namesIn(place).filter((name) => name.startsWith('bridge.db.before-restore-'));

test('restore replaces the file behind the link, and sets the earlier one aside there', async () => {
  const { settings, volume } = await linkedPlace('linked');
  const { code, json } = await runJson(settings, 'restore', backup);
  const [aside = ''] = asideIn(volume);
  expect({ code, json }).toMatchObject({
    code: 0,
    json: { setAside: expect.arrayContaining([fileIn(volume, aside)]) as string[] },
  });
  expect([isLink('linked'), asideIn('linked'), appsIn(fileIn(volume, aside))]).toEqual([true, [], 2]);
  expect([stateOf(fileIn(volume)), appsIn(fileIn(volume))]).toEqual(['copy', 1]);
  expect(namesIn('linked')).toContainEqual(expect.stringMatching(/^bridge-volatile\.db\.before-restore-/));
});

test('where the file behind the link is gone, the copy is put there', async () => {
  const { settings, volume } = await linkedPlace('emptied');
  rmSync(fileIn(volume));
  expect(await run(settings, 'restore', backup)).toMatchObject({ code: 0 });
  expect([isLink('emptied'), stateOf(fileIn(volume))]).toEqual([true, 'copy']);
});

test('what a link says counts from where the link really is', async () => {
  const { settings, volume } = await linkedPlace('moved');
  mkdirSync(join(folder, 'deep'));
  for (const one of ['moved', volume]) renameSync(join(folder, one), join(folder, 'deep', one));
  symlinkSync('deep/moved', join(folder, 'moved'));
  const behind = join(folder, 'deep', volume, 'bridge.db');
  for (const isGone of [false, true]) {
    if (isGone) rmSync(behind);
    expect(await run(settings, 'restore', backup)).toMatchObject({ code: 0 });
    expect([stateOf(behind), existsSync(join(folder, volume))]).toEqual(['copy', false]);
  }
});

test('the names beside the file behind the link belong to the database: backup refuses them', async () => {
  const { settings, volume } = await linkedPlace('named');
  const target = fileIn(volume, 'bridge.db-journal');
  expect(await run(settings, 'backup', target)).toMatchObject({
    code: 1,
    complaints: `${target} is a name that belongs to the database itself: choose another\n`,
  });
});
