/** An HTTP message split for reading: its first line, its header lines, its body as text. */
export interface Message {
  line: string;
  headers: string;
  body: string;
}

const WIDE = 90;
const MASK = '••••••••';

function joinChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = lineEnd < 0 ? 0 : Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/** Splits the bytes of one HTTP/1.1 message; undefined when the header is incomplete. */
export function readMessage(bytes: Buffer): Message | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...headers] = bytes.toString('latin1', 0, end).split('\r\n');
  const chunked = headers.some((header) => /^transfer-encoding:.*chunked/i.test(header));
  const body = bytes.subarray(end + 4);
  return { line, headers: headers.join('\n'), body: (chunked ? joinChunks(body) : body).toString('utf8') };
}

/** The status in an answer's first line, 0 when there is no answer. */
export function statusOf(answer: Message | undefined): number {
  return Number(answer?.line.split(' ')[1] ?? 0);
}

function isFormBody(message: Message): boolean {
  return /^content-type:\s*application\/x-www-form-urlencoded/im.test(message.headers);
}

/**
 * The message as the page shows it: the app's secret is masked everywhere, JSON is indented, and a form body or a long
 * address shows one field a line.
 */
export function presentMessage(message: Message, secret: string): Message {
  const mask = (text: string): string => {
    const masked = text.replaceAll(/(client_secret=)[^&\s]*/g, `$1${MASK}`);
    return secret === '' ? masked : masked.replaceAll(secret, MASK);
  };
  const body = isFormBody(message) ? message.body.replaceAll('&', '\n&') : setOutJson(message.body);
  return { line: setOutQuery(mask(message.line)), headers: mask(message.headers), body: mask(body) };
}

function setOutQuery(line: string): string {
  return line.length > WIDE ? line.replaceAll('&', '\n  &') : line;
}

function setOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
