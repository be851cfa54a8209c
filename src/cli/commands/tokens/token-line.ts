/** No token is longer. */
const LINE_MAX = 4096;

/** The first line of standard input: a whole token never stands in the arguments, which other users see. */
export async function readTokenLine(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Type the whole token, then Enter: ');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n') || text.length > LINE_MAX) break;
  }
  return text.split('\n')[0] ?? '';
}
