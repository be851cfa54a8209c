import { cpSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { LIMITS } from './limits.ts';

/**
 * The build, copied, so that one campaign runs one program whatever is built meanwhile. The product has no hook for
 * tests: in the copy, chosen modules stand behind a module of the campaign, which passes everything through and has
 * points before and after chosen functions. Served so rather than by Node's module hooks, which cost each of a
 * thousand starts half a second.
 */

const checkout = resolve(import.meta.dirname, '../../..');

/**
 * Module -> export -> the name of the points around it; where it is empty, programs/wrappers.mjs may have a function of
 * the export's own name, and a sabotaged build one in its place.
 */
const WRAPPED: Record<string, Record<string, string>> = {
  'store/grants/claim-presenting.js': { claimPresenting: '' },
  'store/grants/presentations.js': {
    releaseClaim: 'release',
    markInDoubt: 'doubt',
    storeRotation: 'store',
    reviveWithRotation: 'revival',
  },
  'store/grants/grants.js': { markDead: 'death', insertGrant: 'grant', findGrant: '' },
  'store/grants/read-grant.js': { readGrant: '' },
  'store/authorization/legacy-codes.js': {
    claimCode: 'code-claim',
    findCode: '',
    insertCode: 'new-code',
    voidCodes: 'deauthorizing',
  },
  'store/grants/handovers.js': {
    claimHandover: 'handover-claim',
    insertHandover: 'handover-record',
    confirmHandover: 'handover-erasing',
  },
  'domain/handover/hand-over.js': { handOver: 'handover', confirm: 'handover-confirmation' },
  'store/grants/owed-revocations.js': { deleteOwed: 'revocation' },
  'store/driver/open-store.js': { openStore: '' },
  'store/files/spill.js': { openSpill: '' },
  'domain/grants/sealed-pair.js': { sealPair: '' },
  'domain/grants/refresh/store-rotated-pair.js': { storeRotatedPair: '' },
  'store/grants/claim-in-turn.js': { claimInTurn: 'claim' },
  'domain/grants/mark-in-doubt.js': { markClaimInDoubt: 'doubting' },
  'domain/grants/end-grant.js': { endGrant: 'burial' },
  'domain/authorization/exchange-code.js': { exchangeCode: 'exchange' },
  'domain/grants/refresh/claim-age.js': { createClaimAge: '' },
  'domain/grants/refresh/refresh-policy.js': { doubtEndsAt: '', mayPresentAgain: '' },
  'upstream/token-answer.js': { processTokenAnswer: '' },
  'domain/grants/pending-revocations.js': { settleSoon: 'settling' },
  'upstream/connection.js': { openConnection: '' },
  'upstream/authorization-server.js': { createAuthorizationServer: '' },
};

/** Puts a module in the place of another, which it can reach under a name beside. */
function putBefore(dist: string, path: string, lines: readonly string[]): void {
  const original = path.replace(/\.js$/, '.original.js');
  renameSync(join(dist, path), join(dist, original));
  const from = `'./${basename(original)}'`;
  const text = [`export * from ${from};`, `import * as original from ${from};`, ...lines].join('\n');
  writeFileSync(join(dist, path), `${text}\n`);
}

function wrap(dist: string): void {
  const wrappers = new URL('./programs/wrappers.mjs', import.meta.url).href;
  for (const [path, exports] of Object.entries(WRAPPED)) {
    const constants = Object.entries(exports).map(
      ([name, label]) => `export const ${name} = wrapped('${name}', '${label}', original.${name});`,
    );
    putBefore(dist, path, [`import { wrapped } from '${wrappers}';`, ...constants]);
  }
}

function changeLimits(dist: string, limits: Limits): void {
  const constants = Object.entries(limits).map(
    ([name, value]) =>
      `if (original.${name} === undefined) throw new Error('${name} has gone');\nexport const ${name} = ${value};`,
  );
  putBefore(dist, 'shared/lifetimes.js', constants);
}

/** Names of constants in shared/lifetimes, and what they are instead. */
type Limits = Readonly<Record<string, number>>;

/** The joined program has no modules that could be replaced: a copy runs the modules beside it (dist/main.js). */
const isRun = (path: string): boolean => path !== join(checkout, 'dist/program');

/** A folder with the program that is run, with short limits unless others are given. */
export function copyBuild(limits: Limits = LIMITS): string {
  const folder = mkdtempSync(join(tmpdir(), 'crash-campaign-'));
  for (const part of ['dist', 'db', 'src', 'package.json'])
    cpSync(join(checkout, part), join(folder, part), { recursive: true, filter: isRun });
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  wrap(join(folder, 'dist'));
  changeLimits(join(folder, 'dist'), limits);
  return folder;
}
