import { type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export async function bodyOf(stream: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Sends a request on to another origin as it came, Host included, and waits for the whole answer. */
export async function forward(incoming: IncomingMessage, body: Buffer, origin: string): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const { method, url: path, headers } = incoming;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, method, path, headers }, resolve)
      .once('error', reject)
      .end(body.length > 0 ? body : undefined);
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await bodyOf(answer) };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const { 'transfer-encoding': _chunked, connection: _hop, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length }).end(body);
}
