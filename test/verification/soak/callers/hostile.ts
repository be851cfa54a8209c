import { anyRequest } from '../../../fuzz/random-request.ts';
import { type Sent, sendWhole } from '../../../fuzz/send.ts';
import type { Chance } from '../../shared/faults/chance.ts';
import { type SoakRun, someMachine } from '../run.ts';

/** A request as nobody should send it; whatever it is answered, the bridge did not fail. */
export async function sendHostile(run: SoakRun, chance: Chance): Promise<void> {
  const { hostile } = run.fleet;
  const tokens = [hostile.live[0] ?? hostile.ownerToken, hostile.ownerToken] as const;
  const valid = { app: hostile, tokens, updateIds: [], ownProfile: hostile.holder.profile };
  await sendOnce(run, chance, anyRequest({ chance, valid }));
}

async function sendOnce(run: SoakRun, chance: Chance, request: Sent): Promise<void> {
  const { ledger, writes, options } = run;
  const { index, url } = someMachine(run, chance);
  const startedAt = Date.now();
  const what = `${request.method} ${request.path.slice(0, 100)}`;
  const answer = await sendWhole(url, request, options.pace.patience).catch(() => undefined);
  const status = answer?.status ?? 0;
  ledger.count(`call: hostile ${status === 0 ? 'without an answer' : status}`);
  // a connection that ends is an answer to a request as nobody should send it; silence is none
  if (!answer)
    ledger.unanswered.push({ what, process: index, startedAt, endedAt: Date.now(), failure: 'hung' });
  if (answer?.status !== 500) return;
  // a write may have met a fault, as any other may
  if (answer.text.includes('may have been')) writes.doubts.push(Date.now());
  else ledger.complain('500', `${what} was answered 500`);
}
