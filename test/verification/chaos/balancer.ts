import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { projectRoot } from '../../../src/shared/project-root.ts';
import { certificateFor } from '../../support/servers/certificates.ts';

/** HAProxy as deploy/haproxy.cfg sets it up, in front of two bridges on loopback. */

/** What HAProxy says of one request when it is over. Times are Unix milliseconds. */
export interface Line {
  /** The number that the caller gave the call, or the walk of a person. */
  call: string;
  startedAt: number;
  endedAt: number;
  method: string;
  path: string;
  status: number;
  /** Two dashes, where the request and its answer were whole. */
  end: string;
  /** `bridge-1`, or `<NOSRV>` where it was handed to nobody. */
  server: string;
  retries: number;
}

export interface Balancer {
  /** Two ways in: plain, as from another proxy, and with TLS. */
  plain: string;
  secure: string;
  authority: string;
  pid: number;
  lines: Line[];
  /** Whether it sends calls there; also after the first check that failed. */
  isUp(server: string): Promise<boolean>;
  close(): Promise<void>;
}

interface BalancerPlace {
  folder: string;
  plainPort: number;
  securePort: number;
  /** Of the bridges. */
  ports: readonly number[];
}

/** Callers number their calls with it. */
export const CALL_HEADER = 'x-chaos-call';

/** Paths without their queries, in which old tokens travel. */
const LOG_FORMAT =
  `{"call":"%[capture.req.hdr(0)]","endedAt":%[date(0,ms)],"took":%Ta,"method":"%HM","path":"%HP",` +
  `"status":%ST,"end":"%ts","server":"%s","retries":"%rc"}`;

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`deploy/haproxy.cfg does not say: ${from}`);
  return text.replaceAll(from, () => to);
}

/** The file as it is delivered, with addresses on loopback, and a log. */
function configurationFor({ folder, plainPort, securePort, ports }: BalancerPlace): string {
  const delivered = readFileSync(join(projectRoot, 'deploy/haproxy.cfg'), 'utf8');
  const certificate = join(folder, 'certificate.pem');
  const lines: Array<[string, string]> = [
    ['bind :8443 ssl crt /etc/certificate.pem', `bind 127.0.0.1:${securePort} ssl crt ${certificate}`],
    [
      '  default_backend bridges',
      [
        `  bind 127.0.0.1:${plainPort}`,
        `  http-request capture req.hdr(${CALL_HEADER}) len 32`,
        `  log stdout format raw local0`,
        `  log-format '${LOG_FORMAT}'`,
        '  default_backend bridges',
      ].join('\n'),
    ],
    ...ports.map((port, n): [string, string] => [`bridge-${n + 1}:3000`, `127.0.0.1:${port}`]),
  ];
  const text = lines.reduce((so, [from, to]) => replaced(so, from, to), delivered);
  return `global\n  stats socket ${join(folder, 'haproxy.sock')} mode 600 level admin\n\n${text}`;
}

function lineOf(text: string): Line | undefined {
  if (!text.startsWith('{')) return undefined;
  const { took, retries, ...rest } = JSON.parse(text) as Omit<Line, 'retries'> & {
    took: number;
    retries: string;
  };
  return { ...rest, startedAt: rest.endedAt - took, retries: Number.parseInt(retries, 10) };
}

/** One answer of its own socket. */
async function ask(socket: string, command: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${command}\n`);
  let answer = '';
  for await (const part of connection.setEncoding('utf8')) answer += String(part);
  return answer;
}

async function untilItServes(child: ChildProcess, socket: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`);
    const answer = await ask(socket, 'show info').catch(() => '');
    if (answer.includes('Version')) return;
    await delay(50);
  }
  throw new Error('HAProxy does not start');
}

async function launch(folder: string): Promise<ChildProcess> {
  const program = process.env['HAPROXY'] ?? '/usr/sbin/haproxy';
  const child = spawn(program, ['-db', '-f', join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await Promise.race([
    once(child, 'spawn'),
    once(child, 'error').then(([error]) => {
      const told = `${(error as Error).message}: install haproxy (apt-get install haproxy), or name it in HAPROXY`;
      throw new Error(told);
    }),
  ]);
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Starts it; the bridges need not be there yet. */
export async function startBalancer(place: BalancerPlace): Promise<Balancer> {
  const { folder, plainPort, securePort } = place;
  const { authority, key, cert } = await certificateFor(['127.0.0.1']);
  writeFileSync(join(folder, 'certificate.pem'), `${cert.trim()}\n${key.trim()}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'haproxy.cfg'), configurationFor(place));
  const child = await launch(folder);
  const lines: Line[] = [];
  let said = '';
  child.stderr?.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-4000)));
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = lineOf(text);
      if (line) lines.push(line);
    });
  const socket = join(folder, 'haproxy.sock');
  await untilItServes(child, socket).catch((error: Error) => {
    throw new Error(`${error.message}: ${said}`);
  });
  return {
    plain: `http://127.0.0.1:${plainPort}`,
    secure: `https://127.0.0.1:${securePort}`,
    authority,
    pid: child.pid ?? 0,
    lines,
    async isUp(server) {
      const rows = (await ask(socket, 'show stat')).split('\n').map((row) => row.split(','));
      const state = rows[0]?.indexOf('status') ?? -1;
      return rows.some((row) => row[0] === 'bridges' && row[1] === server && row[state]?.startsWith('UP'));
    },
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
