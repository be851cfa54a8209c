/** Loads what the demo writes and prints. A bridge in front of a new API that the settings name loads none of it. */
export const loadDemoData = async () => ({
  ...(await import('../demo-data/seed-demo.ts')),
  ...(await import('../demo-data/old-accounts.ts')),
});
