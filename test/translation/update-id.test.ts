import { isUpdateId } from '../../src/domain/translation/update-id.ts';

test.each([
  ['56d58b4131b2c21e1e0c5b6d', true],
  ['56D58B4131B2C21E1E0C5B6D', true],
  ['56d58b4131b2c21e1e0c5b6', false],
  ['56d58b4131b2c21e1e0c5b6d0', false],
  ['x56d58b4131b2c21e1e0c5b6d', false],
  ['56d58b4131b2c21e1e0c5b6g', false],
  ['', false],
])('%j has the form of an update id: %s', (id, isOne) => {
  expect(isUpdateId(id)).toBe(isOne);
});
