import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './forward.ts';
import type { RecordingProxy } from './recording-proxy.ts';

/** Waits until something holds, at most ten seconds; the test says itself what it expects. */
export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; step < 500 && !(await what()); step += 1) await delay(20);
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
