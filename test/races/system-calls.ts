import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process did to files and sockets, in its order, as strace saw it. */
export type SystemCall =
  | { kind: 'write'; file: string; data: Buffer; offset: number }
  | { kind: 'truncate'; file: string; size: number }
  | { kind: 'sync'; file: string }
  /** `socket` names a connection by both its ends. */
  | { kind: 'sent'; socket: string; data: Buffer };

const STRACE = 'strace';
const WATCHED = '?pwrite64,?pwritev,?pwritev2,write,writev,sendto,sendmsg,?ftruncate,?fsync,?fdatasync';

/** Why system calls cannot be watched here; undefined where they can. */
export function whyNoStrace(): string | undefined {
  const { error, status, stderr } = spawnSync(STRACE, ['-f', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  });
  if (error) return `strace cannot be run (${error.message})`;
  return status === 0 ? undefined : `strace cannot watch a process here (${stderr.trim()})`;
}

/** The command that runs a program and keeps its calls; as the program's grandchild, so that signals reach the program. */
export function straceInto(file: string, calls = WATCHED): string[] {
  const text = ['-xx', '-s', '10000000', '-yy'];
  return [STRACE, '-D', '-f', '--seccomp-bpf', ...text, '-e', `trace=${calls}`, '-o', file];
}

/** Whether the watched program has ended and all its calls are written. */
export function isWhole(file: string, pid: number): boolean {
  return new RegExp(`^${pid} +\\+\\+\\+ `, 'm').test(readFileSync(file, 'latin1'));
}

const CALL = /^\d+ +(\w+)\(\d+<(.*?)>(?:, (.*))?\) += (-?\d+)/;
const UNFINISHED = / <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/;

const bytesOf = (escaped: string) => Buffer.from(escaped.replaceAll('\\x', ''), 'hex');

/** All texts among the arguments, in their order. */
function dataIn(args: string): Buffer {
  return Buffer.concat([...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) => bytesOf(text)));
}

const lastNumber = (args: string) => Number(/(\d+)$/.exec(args)?.[1]);

function callOn(file: string, [name, args, result]: [string, string, number]): SystemCall | undefined {
  if (name === 'fsync' || name === 'fdatasync') return { kind: 'sync', file };
  if (name === 'ftruncate') return { kind: 'truncate', file, size: lastNumber(args) };
  if (name === 'pwrite64') {
    return { kind: 'write', file, data: dataIn(args).subarray(0, result), offset: lastNumber(args) };
  }
  return undefined;
}

/** `files` are watched; a change to one of them in a way that is not understood here is an error. */
function parseLine(line: string, files: readonly string[]): SystemCall | undefined {
  const [, name = '', target = '', args = '', result = '-1'] = CALL.exec(line) ?? [];
  if (Number(result) < 0) return undefined;
  if (target.startsWith('TCP')) {
    return { kind: 'sent', socket: target, data: dataIn(args).subarray(0, Number(result)) };
  }
  const file = bytesOf(target).toString();
  if (!files.includes(file)) return undefined;
  const call = callOn(file, [name, args, Number(result)]);
  if (!call) throw new Error(`${name} on ${file} is not understood`);
  return call;
}

/** Joins calls that were interrupted by those of other threads. */
function wholeLines(text: string): string[] {
  const begun = new Map<string, string>();
  return text.split('\n').flatMap((line) => {
    const thread = /^\d+/.exec(line)?.[0] ?? '';
    if (UNFINISHED.test(line)) begun.set(thread, line.replace(UNFINISHED, ''));
    const [, , rest] = RESUMED.exec(line) ?? [];
    return rest === undefined ? [line] : [`${begun.get(thread) ?? ''}${rest}`];
  });
}

/** The calls of a program that has ended: all to sockets, and all to the given files. */
export function readCalls(trace: string, files: readonly string[]): SystemCall[] {
  return wholeLines(readFileSync(trace, 'latin1')).flatMap((line) => parseLine(line, files) ?? []);
}
