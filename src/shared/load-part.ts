/** Node's codes for a module that is not there, by `import` and by `require`. */
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** A package has a bare name. A file of this program has a path: its absence is another problem. */
const PACKAGE_NAME = /^Cannot find (?:package|module) '([^./'][^']*)'/;

function missingPackage(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return NOT_FOUND.includes(code) ? PACKAGE_NAME.exec(message)?.[1] : undefined;
}

/**
 * Loads a part of the program whose packages a production leaves out.
 * @throws {Error} in plain words, with the command to run, when a package of the part is not installed
 */
export async function loadPart<Part>(name: string, load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    if (missing === undefined) throw error;
    throw new Error(
      `${name} needs packages that are not installed here; the first is ${missing}. To run the whole system on this ` +
        'machine, install all packages: npm ci --include=dev. To run the bridge alone, set MODERN_AUTH_URL, ' +
        'MODERN_API_URL and MODERN_CLIENT_ID.',
      { cause: error },
    );
  }
}
