import { nextStepOfApp } from '../../../src/http/support/app/next-step.ts';

/** What support reads first about an app with hand-overs that are not confirmed. */

const MOVED = {
  path: '/support/apps/a',
  counts: { migrated: 3 },
  phase: 'before' as const,
  hasOldApi: false,
  isRetired: false,
  isUnidentified: false,
  hasClient: true,
  awaited: 2,
  hasCalled: false,
  owner: 'Dana',
  ownerHref: '/support/accounts/d',
};

const NOT_CONFIRMED = '2 hand-overs are not confirmed yet.';

test('a hand-over comes before the word that nothing is to do', () => {
  expect(nextStepOfApp(MOVED)).toMatchObject({ kind: 'warning', says: NOT_CONFIRMED });
  expect(nextStepOfApp({ ...MOVED, awaited: 0 }).todo).toBe('Nothing to do.');
});

test('of a retired app nobody is asked to let it confirm, for it cannot', () => {
  const retired = nextStepOfApp({ ...MOVED, isRetired: true });
  expect(retired.says).toBe('The app is retired: its tokens are refused.');
  expect(retired.todo).toBe(
    'Nothing to do here. 2 hand-overs are not confirmed: a retired app cannot confirm.',
  );
  expect(retired.link).toBeUndefined();
  expect(nextStepOfApp({ ...MOVED, awaited: 0, isRetired: true }).todo).toBe('Nothing to do here.');
});

test('where not all were counted it says so', () => {
  expect(nextStepOfApp({ ...MOVED, isAwaitedPart: true }).says).toBe(`At least ${NOT_CONFIRMED}`);
});

test('after the sunset too, whatever tokens are left', () => {
  const counts = { migrated: 3, active: 1 };
  expect(nextStepOfApp({ ...MOVED, counts, phase: 'ended' }).says).toBe(NOT_CONFIRMED);
});

test('people whose calls are refused come before a hand-over', () => {
  const counts = { migrated: 3, reauthorization_required: 1 };
  expect(nextStepOfApp({ ...MOVED, counts })).toMatchObject({ kind: 'error' });
});
