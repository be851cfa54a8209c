import { serveOrExit } from './app/serve.ts';

process.setSourceMapsEnabled(true);

void serveOrExit();
