import { type Command, Option } from 'commander';
import { command, group } from './cli-command.ts';
import { STAFF_ROLES } from '../store/tables/page-tables.ts';

/** The commands about staff: the accounts that may look after the tokens of other people. */

const staff = () => import('./commands/staff.ts');

const ACCOUNT = 'an account id, or the e-mail of an account that has signed in';

const BY = [
  '--by <name>',
  'the name of the person who decided, for the history; by default the user of the operating system',
] as const;

/** The command `staff`. */
export function staffCommands(): Command {
  return group('staff', 'The accounts that may use the pages of support.', [
    command('add', 'give an account a role, or change its role', async () => (await staff()).add)
      .argument('<account>', ACCOUNT)
      .addOption(
        new Option('--role <role>', 'reader only looks, agent also acts, lead also decides')
          .choices(STAFF_ROLES)
          .makeOptionMandatory(),
      )
      .option(...BY),
    command('remove', "end an account's role, from its next request on", async () => (await staff()).remove)
      .argument('<account>', ACCOUNT)
      .option(...BY),
    command('list', 'show every account with a role', async () => (await staff()).listStaffCommand),
  ]);
}
