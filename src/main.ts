import { serve } from './serve.ts';
import { reduceError } from './shared/redaction.ts';

process.setSourceMapsEnabled(true);

serve().catch((error: unknown) => {
  process.stderr.write(`${reduceError(error).message}\n`);
  process.exit(1);
});
