// Before the program is loaded, because only what is loaded later gets stacks that name its source.
process.setSourceMapsEnabled(true);

/** Entry of one worker. */
const { serveAsWorker } = await import('./app/serve-as-worker.ts');
void serveAsWorker();
