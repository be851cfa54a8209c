import { type Command, Option } from 'commander';
import { command, group } from './cli-command.ts';
import { STAFF_ROLES } from '../store/tables/page-tables.ts';

/** The commands about staff: the accounts that may look after the tokens of other people. */

const staff = () => import('./commands/staff.ts');

const ACCOUNT = 'an account id, or the e-mail of an account that has signed in';

const BY = ['--by <name>', 'who decided it, for the history; else the user of the system'] as const;

/** The command `staff`. */
export function staffCommands(): Command {
  return group('staff', 'Who may use the pages of support.', [
    command('add', 'give an account a role, or another one', async () => (await staff()).add)
      .argument('<account>', ACCOUNT)
      .addOption(
        new Option('--role <role>', 'reader looks, agent acts, lead decides; each may do what is before it')
          .choices(STAFF_ROLES)
          .makeOptionMandatory(),
      )
      .option(...BY),
    command('remove', 'take the role away, from the next request on', async () => (await staff()).remove)
      .argument('<account>', ACCOUNT)
      .option(...BY),
    command('list', 'everybody with a role', async () => (await staff()).listStaffCommand),
  ]);
}
