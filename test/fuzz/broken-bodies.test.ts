import { testCutBodies } from './cut-bodies.ts';

testCutBodies('readers');
