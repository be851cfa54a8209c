import { testCutBodies } from './cut-bodies.ts';

testCutBodies('addresses');
