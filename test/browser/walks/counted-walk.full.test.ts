import { walkCounted } from '../support/counted-walks.ts';

walkCounted();
