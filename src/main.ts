import { serveOrExit } from './serve.ts';

process.setSourceMapsEnabled(true);

void serveOrExit();
