/** What the demo integration is told when it is started; it reads no environment of its own. */
export interface DemoSettings {
  host: string;
  port: number;
  /** Its own origin, as the browser sees it: `http://localhost:3002`. */
  publicUrl: string;
  /** The bridge's origin: `http://localhost:3000`. */
  bridgeUrl: string;
  clientId: string;
  clientSecret: string;
  logLevel: string;
}
