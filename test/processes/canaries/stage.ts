import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseLocation } from '../../../src/store/driver/open-store.ts';
import type { Person } from '../../support/callers/authorize.ts';
import { startEmbeddedModern } from '../../support/servers/embedded-modern.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { until } from '../../support/servers/held-answer.ts';
import { BRIDGE_CLIENT } from '../../support/servers/modern-side.ts';
import { type RecordingProxy, startRecordingProxy } from '../../support/servers/recording-proxy.ts';
import { choosePlace, type DatabaseKind } from '../../store/support/stores.ts';
import { type Program, type Settings, startProgram } from '../running-program.ts';
import { type Answers, watchAnswers } from './answers.ts';
import { type Collection, createCollection } from './collection.ts';
import { startTap } from './tap.ts';

/** The built bridge with everything around it watched: bridge, recording proxy, tap, embedded modern generation. */
export interface Stage {
  settings: Settings;
  bridgeUrl: string;
  varDir: string;
  database: DatabaseLocation;
  program: Program;
  proxy: RecordingProxy;
  person: Person;
  collection: Collection;
  answers: Answers;
  stop(): Promise<void>;
}

const CLIENT_SECRET = 'secret-of-the-bridge-at-the-modern-side-5X7q';

/** Short enough that a run refreshes many times. */
const ACCESS_TOKEN_SECONDS = 3;

async function startModernSide(bridgeUrl: string, collection: Collection) {
  const [port, issuer] = [await freePort(), `http://127.0.0.1:${await freePort()}`];
  const modern = await startEmbeddedModern({
    port,
    issuer,
    redirectUri: `${bridgeUrl}/callback`,
    accessTokenSeconds: ACCESS_TOKEN_SECONDS,
    clientSecret: CLIENT_SECRET,
  });
  const tap = await startTap(modern.url, collection);
  const proxy = await startRecordingProxy(Number(new URL(issuer).port), tap.origin);
  const close = async () => void (await Promise.all([proxy.close(), tap.close(), modern.close()]));
  return { person: modern.person, proxy, close };
}

async function startAndWait(settings: Settings): Promise<Program> {
  const program = startProgram(settings);
  await until(() => {
    if (program.process.exitCode !== null) throw new Error(`it ended: ${program.said.complaints}`);
    return program.said.output.includes('Stop with Ctrl-C.');
  });
  return program;
}

const addressOf = (database: DatabaseLocation) =>
  database.kind === 'postgres' ? database.url : `sqlite:${database.file}`;

function settingsFor(bridgeUrl: string, varDir: string, modernUrl: string): Settings {
  return {
    PORT: new URL(bridgeUrl).port,
    PUBLIC_URL: bridgeUrl,
    VAR_DIR: varDir,
    MODERN_AUTH_URL: modernUrl,
    MODERN_API_URL: modernUrl,
    MODERN_CLIENT_ID: BRIDGE_CLIENT,
    MODERN_CLIENT_SECRET: CLIENT_SECRET,
    WORKERS: '1',
    LOG_LEVEL: 'debug',
    LEGACY_RATE_LIMIT: '0',
    PROFILES_FRESH_SECONDS: '0',
    IN_DOUBT_QUIET_SECONDS: '0',
  };
}

/** Starts all of it on a database of its own. */
export async function startStage(kind: DatabaseKind): Promise<Stage> {
  const collection = createCollection();
  const bridgeUrl = `http://127.0.0.1:${await freePort()}`;
  const modern = await startModernSide(bridgeUrl, collection);
  const place = await choosePlace(kind);
  const varDir = mkdtempSync(join(tmpdir(), 'canaries-'));
  const settings = {
    ...settingsFor(bridgeUrl, varDir, modern.proxy.origin),
    DATABASE_URL: addressOf(place.location),
  };
  const program = await startAndWait(settings);
  collection.add('modern client secret', CLIENT_SECRET);
  collection.add('password', modern.person.password);
  return {
    settings,
    bridgeUrl,
    varDir,
    program,
    collection,
    proxy: modern.proxy,
    person: modern.person,
    database: place.location,
    answers: watchAnswers(bridgeUrl, collection),
    async stop() {
      program.process.kill('SIGTERM');
      await program.ended;
      await modern.close();
      await place.remove();
      rmSync(varDir, { recursive: true, force: true });
    },
  };
}
