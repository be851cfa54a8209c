/** The settings of a command in a folder of its own. The new API is one that nobody reaches. */
export const commandSettings = (varDir: string, scheme: 'http' | 'https' = 'http') => ({
  VAR_DIR: varDir,
  LOG_LEVEL: 'error',
  MODERN_AUTH_URL: `${scheme}://127.0.0.1:9`,
  MODERN_API_URL: `${scheme}://127.0.0.1:9`,
  MODERN_CLIENT_ID: 'bridge',
});
