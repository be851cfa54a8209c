import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs the real curl; what it printed. */
export async function curl(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('curl', ['--silent', '--show-error', ...options]);
  return stdout;
}
