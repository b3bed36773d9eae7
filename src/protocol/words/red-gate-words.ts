/** Why a gate is red, in one short sentence for a person. The whole output stays in the logs. */
import { cutAtWord, oneLine } from '../../base/text.ts';
import type { CountedTests, TestFailure } from '../contracts/gate-contract.ts';

/** In characters. */
const LINE_MAX = 200;
const NAME_MAX = 80;
const NAMES_MAX = 3;
/** Why a gate could not run ends with what to do about it. */
const UNABLE_MAX = 400;

export type RedGateFacts = {
  readonly name: string;
  readonly kind: 'failed' | 'unable';
  /** The end of its output, or why it could not run. */
  readonly output: string;
  readonly counted?: CountedTests | undefined;
  /** What its test runners reported against its exit code. */
  readonly reported?: readonly string[] | undefined;
  /** The first tests that failed, as its own report says. */
  readonly failures?: readonly TestFailure[] | undefined;
};

/** `cart › adds (cart.test.js:12): expected 3, got 4`. */
export function describeFailure({ name, file, line, message }: TestFailure): string {
  const at = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`;
  const place = at === '' ? '' : ` (${at})`;
  // A test file that cannot be loaded has its path as its name.
  const title =
    name === file ? at : `${cutAtWord(oneLine(name), NAME_MAX) || 'a test without a name'}${place}`;
  return message === undefined ? title : `${title}: ${cutAtWord(oneLine(message), LINE_MAX)}`;
}

/** `gate test failed: adds; rounds; sorts; and 4 more`. */
export function describeRedGate({ name, kind, output, ...more }: RedGateFacts): string {
  if (kind === 'unable') {
    const [why = ''] = output.trim().split('\n', 1);
    return `gate ${name} could not run: ${cutAtWord(oneLine(why), UNABLE_MAX)}`;
  }
  const words = redWords({ output, ...more });
  return words === '' ? `gate ${name} failed` : `gate ${name} failed: ${words}`;
}

/** The first failed tests, else what the runners reported, else the telling line. Empty: nothing is known. */
export function redWords({
  output,
  counted,
  reported,
  failures = [],
}: Omit<RedGateFacts, 'name' | 'kind'>): string {
  const [first] = failures;
  const more = Math.max(counted?.failed ?? 0, failures.length) - 1;
  if (first !== undefined)
    return `${describeFailure(first)}${more > 0 ? `; and ${more} more` : ''}`;
  return (
    listFailed(counted) ||
    cutAtWord(oneLine((reported ?? []).join('; ')), LINE_MAX) ||
    tellingLine(output)
  );
}

/** The names of the first failed tests, and how many there are besides. Empty: no name is known. */
function listFailed(counted: CountedTests | undefined): string {
  const { failing = [], failed = 0 } = counted ?? {};
  if (failing.length === 0) return '';
  const shown = failing.slice(0, NAMES_MAX).map((name) => cutAtWord(oneLine(name), NAME_MAX));
  const more = Math.max(failed, failing.length) - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/**
 * The line that says most about a failure: the first match of the first of these rules that has one. A runner prints
 * its summary, stack or closing brace last, so the last line is only used if no other rule matches.
 */
const RULES: readonly RegExp[] = [
  // Supervisor ended the gate, and says why in a line of its own.
  /^(?:ran longer than its limit of|wrote more than the sandbox|ran out of memory|was ended by SIG).*/,
  // npm, which prints where to read more after it.
  /^Unknown command: .*|^(?:npm (?:error|ERR!) )?Missing script: .*/,
  // pytest: the test and its error in one line.
  /^(?:FAILED|ERROR) \S+::.*/,
  // tsc, rustc and other compilers.
  /^.*\berror (?:TS\d+|\[?E\d+\]?): .*|^error\[E\d+\]: .*|^\S+:\d+(?::\d+)?: (?:fatal )?error: .*|^\S+\.go:\d+:\d+: .*/,
  // eslint, below the name of the file.
  /^\d+:\d+ +error +.*/,
  // The name of a failed test: go, cargo, unittest, jest, vitest, node:test and TAP.
  /^--- FAIL: .*|^test \S+ \.\.\. FAILED$|^(?:FAIL|ERROR): \w+ \(.*|^● (?!Console).*|^FAIL .* > .*|^✖ (?!failing tests|\d+ problem).*|^not ok \d+ .*/,
  // An error with its name, of JavaScript, Python, Java or Rust.
  /^(?:E +|→ +|Caused by: |Uncaught )*[\w.]*(?:Error|Exception)\b(?: \[\w+\])?: .*|^thread '.*' panicked at .*|^panic: .*/,
  /^(?!make(?:\[\d+\])?: )(?=.*\b(?:error|fatal|failed|failure|cannot|not found)\b)(?=.*\p{L}.* ).*/iu,
  /^make(?:\[\d+\])?: \*\*\* .*/,
];

const OURS = /^\[supervisor\] /;
const SILENT = /^\[supervisor\] this check (printed nothing.*)$/m;

/** Empty: the output says nothing. */
export function tellingLine(output: string): string {
  const [, silent] = SILENT.exec(output) ?? [];
  const lines = plainLines(output).filter((line) => !OURS.test(line.trim()));
  for (const rule of RULES) {
    const at = lines.findIndex((line) => rule.test(line.trim()));
    if (at >= 0) return shorten(withFile(lines, at));
  }
  const last = lines.findLast((line) => /\p{L}{2}/u.test(line));
  return shorten(last ?? (silent === undefined ? '' : `it ${silent}`));
}

/** A list of findings names its file once, in a line of its own above them. */
function withFile(lines: readonly string[], at: number): string {
  const line = lines[at] ?? '';
  if (!/^ +\d+:\d+ /.test(line)) return line;
  const file = lines.slice(0, at).findLast((one) => /^\S/.test(one));
  return file === undefined ? line : `${file}:${line.trim()}`;
}

function plainLines(output: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- colours of a terminal
  return output.replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, '').split(/\r?\n/);
}

/** Without the mark before the name of a test, and the time after it. */
function shorten(line: string): string {
  const bare = line.trim().replace(/^(?:●|✖) /, '');
  return cutAtWord(oneLine(bare.replace(/ \(\d+(?:\.\d+)? ?m?s\)$/, '')), LINE_MAX);
}
