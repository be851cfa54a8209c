import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './forward.ts';
import type { RecordingProxy } from './recording-proxy.ts';

/** Waits until something holds; after the limit, in milliseconds, the test has failed. */
export async function until(what: () => boolean | Promise<boolean>, limit = 10_000): Promise<void> {
  const end = performance.now() + limit;
  while (!(await what())) {
    if (performance.now() > end) throw new Error(`waited ${limit} ms in vain for: ${what.toString()}`);
    await delay(20);
  }
}

export interface HeldAnswer {
  /** Set when it came. */
  answer?: Answer;
  release(): void;
}

/** Keeps answers of the named hook until they are let go. */
export function holdAnswer(proxy: RecordingProxy, hook: 'onTokenAnswer' | 'onOtherAnswer'): HeldAnswer {
  const held: HeldAnswer = { release: () => undefined };
  proxy[hook] = async (_call: unknown, answer: Answer) => {
    held.answer = answer;
    await new Promise<void>((resolve) => (held.release = resolve));
    return answer;
  };
  return held;
}
