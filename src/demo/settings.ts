/** The settings that the starting process sends to the demo integration. The demo reads no environment variables. */
export interface DemoSettings {
  host: string;
  port: number;
  /** The origin of the demo, as the browser sees the demo: `http://localhost:3002`. */
  publicUrl: string;
  /** The bridge's origin: `http://localhost:3000`. */
  bridgeUrl: string;
  clientId: string;
  clientSecret: string;
  logLevel: string;
}
