import { appendFileSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { appendLine, rewriteLines } from '../../../src/store/files/anchors.ts';

/** A file of lines that one process shortens while others append to it. */

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
  file = join(folder, 'lines');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesNow = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);

async function without(start: string, lines: AsyncIterable<string>): Promise<string[]> {
  const kept: string[] = [];
  for await (const line of lines) if (!line.startsWith(start)) kept.push(line);
  return kept;
}

test('what is appended while the lines are chosen stays, also half a line', async () => {
  for (const line of ['old 1', 'new 1', 'old 2']) await appendLine(file, line);
  appendFileSync(file, 'ha');
  await rewriteLines(file, async (lines) => {
    const kept = await without('old', lines);
    appendFileSync(file, 'lf\n');
    await appendLine(file, 'old 3');
    return kept;
  });
  expect(linesNow()).toEqual(['new 1', 'half', 'old 3']);
  await rewriteLines(file, () => Promise.resolve(undefined));
  expect(linesNow()).toEqual(['new 1', 'half', 'old 3']);
});

test('no line of several writers is lost while the file is exchanged again and again', async () => {
  await appendLine(file, 'old');
  const over = new AbortController();
  const writers = ['a', 'b', 'c', 'd'].map(async (name) => {
    for (let number = 0; number < 60; number += 1) await appendLine(file, `${name} ${number}`);
  });
  const shorten = async () => {
    while (!over.signal.aborted) {
      await rewriteLines(file, (lines) => without('old', lines));
      await delay(1);
    }
  };
  const shortening = shorten();
  await Promise.all(writers);
  over.abort();
  await shortening;
  expect(new Set(linesNow()).size).toBe(240);
});

test('a file that was moved away meanwhile is not made again', async () => {
  await appendLine(file, 'old');
  await rewriteLines(file, async (lines) => {
    const kept = await without('old', lines);
    rmSync(file);
    return kept;
  });
  expect(() => linesNow()).toThrow('ENOENT');
  await rewriteLines(file, () => Promise.resolve(['new']));
  expect(() => linesNow()).toThrow('ENOENT');
});

test('a symbolic link stays, and leads to the shorter file', async () => {
  const link = join(folder, 'link.ndjson');
  for (const line of ['one', 'two', 'three']) await appendLine(file, line);
  symlinkSync(file, link);
  await rewriteLines(link, async () => ['three']);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('three\n');
  await appendLine(link, 'four');
  expect(readFileSync(file, 'utf8')).toBe('three\nfour\n');
});
