/**
 * What every clumsy command must hold to: one clear sentence, a remedy, nothing of our insides, and an
 * end.
 */
import assert from 'node:assert/strict';

/** How a clumsy command ended. */
export type ClumsyEnd = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

export type ClumsyExpectation = {
  readonly code: number;
  /** What happened, with the value that caused it. On standard output if the command succeeds. */
  readonly says: RegExp;
  /** What to type or to change. A command that succeeds needs none. */
  readonly remedy?: RegExp;
};

/** Words that only a developer understands, and traces of a crash. */
const INSIDES =
  /^\s+at .*:\d+|node:internal|ZodError|TypeError|RangeError|\[object Object\]|\bundefined\b|\bNaN\b|internal error|bug in Supervisor|Too (?:small|big):|Node\.js v\d/m;

/** One sentence, at most a suggestion and two lines of remedy. */
const LINES_MAX = 5;

export function checkClumsyEnd(
  { code, out, err }: ClumsyEnd,
  { code: expected, says, remedy }: ClumsyExpectation,
): void {
  const shown = `exit code ${code}\n${out}${err}`;
  assert.notEqual(code, null, `it did not end in time; so far:\n${shown}`);
  assert.doesNotMatch(out + err, INSIDES, shown);
  assert.equal(code, expected, shown);
  if (expected === 0) {
    assert.match(out, says, shown);
    return;
  }
  assert.match(err, /^error: \S/, `no sentence:\n${shown}`);
  assert.ok(err.trimEnd().split('\n').length <= LINES_MAX, `more than ${LINES_MAX} lines:\n${err}`);
  assert.match(err, says, shown);
  assert.match(err, remedy ?? /./, `no remedy:\n${shown}`);
}
