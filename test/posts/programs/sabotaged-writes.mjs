// The builds that the proofs of writes must catch: each is wrong in one of the ways that the bridge excludes by design.
// Loaded by --import; WRITE_SABOTAGE names the build. The text that is replaced is that of the compiled modules: one that
// is no longer there ends the start, so that no sabotage is without effect.
import { register } from 'node:module';

if (process.env.WRITE_SABOTAGE) register('./sabotage-loader.mjs', import.meta.url);
