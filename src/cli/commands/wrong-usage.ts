/** Words that a command was given and that it cannot read: it ends with 2, as for an option that does not exist. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
