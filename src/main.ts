// Before the program is loaded, because only what is loaded later gets stacks that name its source.
process.setSourceMapsEnabled(true);

/** Entry of `npm start`: everything on this machine, or the bridge alone. */
const { serveOrExit } = await import('./app/serve.ts');
void serveOrExit();
