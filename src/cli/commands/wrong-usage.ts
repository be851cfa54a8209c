/** A command cannot read its words. The command ends with exit code 2, as for an unknown option. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}
