// One page, opened some times: what it took, what the processes spent on it, and what it weighs.
import { setTimeout as pause } from 'node:timers/promises';
import { cpuOf } from '../process.mjs';
import { ask } from '../size/bridge.mjs';

function figuresOf(all) {
  const times = all.toSorted((one, other) => one - other);
  const at = (share) => times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)];
  return { p50: at(0.5), p95: at(0.95), max: times.at(-1) };
}

/** Opens pages as the people whose cookies these are. `pids` are the bridge and the database server. */
export function measureWith({ env, cookies, pids, rounds }) {
  const headersOf = (who) => ({ 'X-Forwarded-Proto': 'https', Cookie: cookies[who], Host: 'bridge.example' });
  const spent = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);

  async function formToken(who) {
    const { text } = await ask(env.PORT, '/support', headersOf(who));
    return /name="_form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  /** A page, or the answer of a search, which is sent as a form. */
  async function open({ who, path, q }, form) {
    if (q === undefined) return ask(env.PORT, path, headersOf(who));
    const answer = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        ...headersOf(who),
        Origin: 'https://bridge.example',
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ _form: form, q }).toString(),
    });
    return { status: answer.status, text: await answer.text() };
  }

  return async (page) => {
    const form = page.q === undefined ? '' : await formToken(page.who);
    const times = [];
    const count = page.isFile ? 1 : rounds;
    let last;
    let cpu = 0;
    for (let round = 0; round < count; round += 1) {
      const [begun, before] = [performance.now(), spent()];
      last = await open(page, form);
      times.push(performance.now() - begun);
      cpu += spent() - before;
      // No more searches than a person may send.
      if (page.q !== undefined) await pause(1000);
    }
    return {
      ...page,
      status: last.status,
      ...figuresOf(times),
      cpu: cpu / count,
      kB: Buffer.byteLength(last.text) / 1000,
    };
  };
}
