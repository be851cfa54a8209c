export async function registerLegacyApp(): Promise<never> {
  throw new Error('todo');
}
