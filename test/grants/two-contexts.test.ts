import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../src/domain/context.ts';
import { enter } from '../../src/domain/grants/refresh/few-at-once.ts';
import { startSystem, type System } from '../support/bridge/system.ts';
import { otherMachine } from './support/other-machine.ts';

/** Two contexts of one process are two machines: what one has not claimed yet is nothing to the other. */

const few = { kind: 'few', seen: 0 } as const;

let system: System;
let other: Context;
let folder: string;

beforeAll(async () => {
  system = await startSystem();
  folder = mkdtempSync(join(tmpdir(), 'two-contexts-'));
  other = otherMachine(system.bridge.context, folder);
});

afterAll(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});

test('each has five places of its own, and a place that is left is free again', () => {
  const { context } = system.bridge;
  const taken = Array.from({ length: 5 }, () => enter(context, few));
  expect(taken).not.toContain(undefined);
  expect(enter(context, few)).toBeUndefined();
  const others = Array.from({ length: 5 }, () => enter(other, few));
  expect(others).not.toContain(undefined);
  expect(enter(other, few)).toBeUndefined();
  taken[0]?.leave();
  taken[0]?.leave();
  expect(enter(context, few)).toBeDefined();
  expect(enter(context, few)).toBeUndefined();
  expect(enter(other, few)).toBeUndefined();
});
