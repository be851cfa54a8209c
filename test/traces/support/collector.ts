import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { bodyOf } from '../../support/servers/forward.ts';
import { portOf } from '../../support/servers/free-port.ts';

/** A real receiver of OTLP over HTTP, as JSON. */

export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** As OTLP numbers them: 2 for a server, 3 for a client. */
  kind: number;
  status: number | undefined;
  attributes: Record<string, string | number>;
  milliseconds: number;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: string | number;
}

interface OtlpSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  status?: { code?: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Array<{ key: string; value: OtlpValue }>;
}

interface OtlpBody {
  resourceSpans: Array<{
    resource: { attributes: Array<{ key: string; value: OtlpValue }> };
    scopeSpans: Array<{ spans: OtlpSpan[] }>;
  }>;
}

export interface Collector {
  url: string;
  /** Every byte that arrived, as one text. */
  text(): string;
  headers(): IncomingHttpHeaders[];
  paths(): string[];
  spans(): ReceivedSpan[];
  services(): unknown[];
  close(): void;
}

const valueOf = ({ stringValue, intValue }: OtlpValue) => stringValue ?? Number(intValue);

function received(span: OtlpSpan): ReceivedSpan {
  const { name, traceId, spanId, parentSpanId, kind, status, attributes } = span;
  const nanos = BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano);
  return {
    name,
    traceId,
    spanId,
    parentSpanId,
    kind,
    status: status?.code,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])),
    milliseconds: Number(nanos) / 1e6,
  };
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${portOf(server)}`)),
  );
}

/** Starts it; it takes everything. */
export async function startCollector(): Promise<Collector> {
  const requests: Array<{ path: string; headers: IncomingHttpHeaders; text: string }> = [];
  const server = createServer((req, res) => {
    void bodyOf(req).then((body) => {
      requests.push({ path: req.url ?? '', headers: req.headers, text: body.toString() });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const url = await listening(server);
  const bodies = () => requests.map(({ text }) => JSON.parse(text) as OtlpBody);
  return {
    url,
    text: () => requests.map(({ text }) => text).join('\n'),
    headers: () => requests.map(({ headers }) => headers),
    paths: () => requests.map(({ path }) => path),
    spans: () =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans.map(received)),
    services: () =>
      bodies()
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ resource }) => resource.attributes)
        .filter(({ key }) => key === 'service.name')
        .map(({ value }) => valueOf(value)),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
