import { writeFileSync } from 'node:fs';
import { writeWhole } from '../../../src/store/files/draft-file.ts';

/** Writes a file, and is told to end while it blocks and hears nothing, as during the check of a copy. */

const BLOCKED = 300;

await writeWhole(process.argv[2] ?? '', {
  make: async (draft) => {
    process.kill(process.pid, 'SIGTERM');
    const end = performance.now() + BLOCKED;
    while (performance.now() < end) writeFileSync(draft, 'whole');
  },
});
process.stdout.write('written');
