// Loaded into a bridge by NODE_OPTIONS: SIGUSR2 frees what nobody holds any more, and tells what is held in MEMORY_FILE.
import { renameSync, writeFileSync } from 'node:fs';

const file = process.env.MEMORY_FILE ?? '';
let told = 0;

process.on('SIGUSR2', () => {
  globalThis.gc();
  told += 1;
  writeFileSync(`${file}.new`, JSON.stringify({ ...process.memoryUsage(), told }));
  renameSync(`${file}.new`, file);
});
