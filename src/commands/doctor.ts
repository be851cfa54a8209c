import { existsSync, statSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { upstreamFor } from '../embedded-client.ts';
import { createSystemClock } from '../shared/clock.ts';
import { reduceError } from '../shared/redaction.ts';
import { findIntegrityProblem } from '../store/integrity.ts';
import { createAuthorizationServer } from '../upstream/authorization-server.ts';
import type { Result } from './result.ts';
import { withWorkshop } from './with-workshop.ts';

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

type Check = (config: Config) => Promise<string>;

function checkKeysMode(config: Config): string {
  if (!existsSync(config.keysFile)) return `${config.keysFile} will be made at the first start`;
  if ((statSync(config.keysFile).mode & 0o077) !== 0)
    throw new Error(`${config.keysFile} can be read by others, use mode 0600`);
  return `${config.keysFile} is there and readable by its owner alone`;
}

async function checkDatabase(config: Config): Promise<string> {
  if (!existsSync(config.databaseFile)) return `${config.databaseFile} will be made at the first start`;
  return withWorkshop(async ({ context }) => {
    const problem = await findIntegrityProblem(context.store);
    if (problem !== undefined) throw new Error(problem);
    return `${config.databaseFile} opens with these keys and is whole`;
  });
}

function has(endpoint: string | undefined, word: string): string {
  return endpoint === undefined ? `no ${word}` : word;
}

async function checkModernSide(config: Config): Promise<string> {
  const { authUrl, clientId, clientSecret } = upstreamFor(config);
  const server = createAuthorizationServer({
    authUrl,
    client: { clientId, clientSecret },
    clock: createSystemClock(),
  });
  const metadata = await server.metadata();
  return `${authUrl} answers (${has(metadata.revocationEndpoint, 'revocation')}, ${has(metadata.introspectionEndpoint, 'introspection')})`;
}

const CHECKS: ReadonlyArray<readonly [name: string, check: Check]> = [
  ['keys', async (config) => checkKeysMode(config)],
  ['database', checkDatabase],
  ['modern side', checkModernSide],
];

async function examine(config: Config, [check, run]: (typeof CHECKS)[number]): Promise<Finding> {
  try {
    return { check, ok: true, detail: await run(config) };
  } catch (error) {
    return { check, ok: false, detail: reduceError(error).message };
  }
}

/** `doctor`: every check in turn, each with what it found; fails when one of them does. */
export async function doctor(): Promise<Result> {
  const config = readConfig();
  const findings: Finding[] = [{ check: 'settings', ok: true, detail: 'usable' }];
  for (const check of CHECKS) findings.push(await examine(config, check));
  const lines = findings.map(({ check, ok, detail }) => `${ok ? 'ok    ' : 'FAILED'}  ${check}: ${detail}`);
  return { ok: findings.every(({ ok }) => ok), lines, json: { findings } };
}
