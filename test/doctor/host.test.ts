import { checkHost } from '../../src/cli/commands/doctor/check-host.ts';

/** What `doctor` says of HOST; in doctor.test.ts the check stands beside the others. */

test.each(['203.0.113.7', 'nowhere.invalid'])(
  '%s, which is no address of this machine, fails as the start would',
  async (host) => {
    await expect(checkHost({ host })).rejects.toThrow(
      new RegExp(`^HOST: ${host} is no address of this machine \\((EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)\\)$`),
    );
  },
);

test('an address of this machine is ok', async () => {
  expect(await checkHost({ host: '127.0.0.1' })).toEqual({
    state: 'ok',
    detail: '127.0.0.1 is an address of this machine',
  });
});
