// Joins the modules of a build and the packages that they use into few files below FOLDER/program, because a process
// that loads two thousand files starts more than twice as late. The modules stay beside it, each in a file of its own.
//   node scripts/bundle.mjs FOLDER
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { noteCommit } from './build-commit.mjs';

const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const folder = process.argv[2];
const ENTRIES = ['main', 'cli', 'worker', 'demo/main', 'demo/old-server/main', 'modern/main'];

rmSync(join(folder, 'program'), { recursive: true, force: true });
await build({
  entryPoints: Object.fromEntries(ENTRIES.map((entry) => [entry, join(folder, `${entry}.js`)])),
  outdir: join(folder, 'program'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // The built modules carry maps to their sources; esbuild joins those, so that a stack still names src.
  sourcemap: 'linked',
  sourcesContent: false,
  // Compiled code is loaded from its own package. The packages of the embedded new API and of the demo stay outside,
  // because a production leaves them out. What records traces is loaded where traces are recorded alone. The last two
  // are optional parts of pg that nobody installs.
  external: [
    'better-sqlite3',
    'better-sqlite3-napi',
    ...Object.keys(devDependencies),
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
    'pg-native',
    'pg-cloudflare',
  ],
  // Packages that are CommonJS ask for Node's own modules with `require`, which a module does not have.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
});

noteCommit(folder);
