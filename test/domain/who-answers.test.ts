import {
  type Answerer,
  type CallKind,
  type OldApiPhase,
  type TokenOfCall,
  whoAnswers,
} from '../../src/domain/old-calls/who-answers.ts';

/** Every row of the table: call × token × old API × cut-over. */

const TOKENS: readonly TokenOfCall[] = [
  'none',
  'unknown',
  'unconnected',
  'connected',
  'left',
  'issued',
  'ended',
];

const ANSWERERS: Readonly<Record<string, Answerer>> = {
  new: 'new',
  old: 'old',
  none: 'no token',
  token: 'refused token',
  call: 'refused call',
};

/** One line for a call and a phase: the answerers in the order of `TOKENS`. */
const LINES: ReadonlyArray<readonly [CallKind, OldApiPhase, string]> = [
  // call, old API                none  unknown waiting connected left issued ended
  ['account', 'runs', '           old   old     old     new       new  new    token'],
  ['account', 'brownout', '       none  token   token   new       new  new    token'],
  ['account', 'retired', '        none  token   token   new       new  new    token'],
  ['account', 'none', '           none  token   token   new       new  new    token'],
  ['deauthorize', 'runs', '       none  old     old     new       new  new    token'],
  ['deauthorize', 'brownout', '   none  token   token   new       new  new    token'],
  ['deauthorize', 'retired', '    none  token   token   new       new  new    token'],
  ['deauthorize', 'none', '       none  token   token   new       new  new    token'],
  ['queue', 'runs', '             old   old     old     old       new  new    token'],
  ['queue', 'brownout', '         none  token   token   old       new  new    token'],
  ['queue', 'retired', '          none  token   token   new       new  new    token'],
  ['queue', 'none', '             none  token   token   new       new  new    token'],
  ['head', 'runs', '              old   old     old     old       call call   call'],
  ['head', 'brownout', '          call  call    call    old       call call   call'],
  ['head', 'retired', '           call  call    call    call      call call   call'],
  ['head', 'none', '              call  call    call    call      call call   call'],
  ['otherwise', 'runs', '         old   old     old     call      call call   call'],
  ['otherwise', 'brownout', '     call  call    token   call      call call   call'],
  ['otherwise', 'retired', '      call  call    token   call      call call   call'],
  ['otherwise', 'none', '         call  call    call    call      call call   call'],
  ['unserved', 'runs', '          old   old     old     old       call call   call'],
  ['unserved', 'brownout', '      call  call    token   old       call call   call'],
  ['unserved', 'retired', '       call  call    token   call      call call   call'],
  ['unserved', 'none', '          call  call    call    call      call call   call'],
];

/** What a cut-over changes: whoever is connected gets what a token gets that the old API has refused. */
const CUT_OVER: ReadonlyArray<readonly [CallKind, OldApiPhase, Answerer]> = [
  ['queue', 'runs', 'new'],
  ['queue', 'brownout', 'new'],
  ['head', 'runs', 'refused call'],
  ['head', 'brownout', 'refused call'],
  ['unserved', 'runs', 'refused call'],
  ['unserved', 'brownout', 'refused call'],
];

const ROWS = LINES.flatMap(([call, oldApi, line]) => {
  const words = line.trim().split(/ +/);
  return TOKENS.map((token, index) => [call, token, oldApi, ANSWERERS[words[index] ?? '']] as const);
});

test('the table has one row for each question', () => {
  expect(new Set(ROWS.map(([call, token, oldApi]) => `${call} ${token} ${oldApi}`)).size).toBe(6 * 7 * 4);
});

test.each(ROWS)('call %s, token %s, old API %s: %s', (call, token, oldApi, answerer) => {
  expect(whoAnswers({ call, token, oldApi, isCutOver: false })).toBe(answerer);
});

test.each(ROWS)('call %s, token %s, old API %s, cut over', (call, token, oldApi, answerer) => {
  const changed = CUT_OVER.find(([one, phase]) => token === 'connected' && one === call && phase === oldApi);
  expect(whoAnswers({ call, token, oldApi, isCutOver: true })).toBe(changed?.[2] ?? answerer);
});
