import { walkAsOwner } from './support/owner-walks.ts';

walkAsOwner([
  'registers an app, runs the old flow with the copied values and sees the call',
  'makes an app and a secret by double clicks and reads what is told once',
  'rehearses the retirement and reads which of the calls will fail',
  'connects without script too',
]);
