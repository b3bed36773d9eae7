/** What the report of a test runner says about its tests, whatever its format is. */
import { oneLine, truncate } from '../base/text.ts';
import type { TestFailure, TestTally } from '../protocol/contracts/gate-contract.ts';

export type ReportedTests = TestTally & {
  /** The first that failed, in the order of the report. */
  readonly failures: readonly TestFailure[];
  /** Why the report is not whole; undefined: it is. */
  readonly broken?: string;
};

const FAILURES_MAX = 5;
const NAME_CHARS_MAX = 300;
const MESSAGE_CHARS_MAX = 500;
const LINE_MAX = 10_000_000;

type WrittenFailure = {
  readonly name: string;
  readonly file?: string | undefined;
  readonly line?: string | undefined;
  readonly message?: string | undefined;
  /** The rest of its text, in which a place may be named. */
  readonly details?: string | undefined;
};

/** Collects the tests of one report, within bounds. */
export class TestCollector {
  #tally = { passed: 0, failed: 0, skipped: 0 };
  #failures: TestFailure[] = [];

  add(how: 'passed' | 'failed' | 'skipped'): void {
    this.#tally = { ...this.#tally, [how]: this.#tally[how] + 1 };
  }

  addFailure(written: WrittenFailure): void {
    if (this.#failures.length < FAILURES_MAX) this.#failures.push(toFailure(written));
  }

  result(broken?: string): ReportedTests {
    return {
      ...this.#tally,
      failures: this.#failures,
      ...(broken === undefined ? {} : { broken }),
    };
  }
}

function toFailure({ name, file, line, message = '', details = '' }: WrittenFailure): TestFailure {
  const firstLine = details.trim().split('\n', 1)[0] ?? '';
  const text = truncate(oneLine(message === '' ? firstLine : message), MESSAGE_CHARS_MAX);
  const place = file === undefined || file === '' ? placeIn(details) : { file, line };
  const number = Number(place.line ?? '');
  const isLine = Number.isInteger(number) && number > 0 && number < LINE_MAX;
  return {
    name: truncate(oneLine(name), NAME_CHARS_MAX),
    ...(place.file === undefined ? {} : { file: truncate(oneLine(place.file), NAME_CHARS_MAX) }),
    ...(place.file !== undefined && isLine ? { line: number } : {}),
    ...(text === '' ? {} : { message: text }),
  };
}

type WrittenPlace = { readonly file?: string | undefined; readonly line?: string | undefined };

/** Such as `cart.test.js:12:5` or `File "test_cart.py", line 12`, without frames of the runner itself. */
const PLACES: readonly RegExp[] = [
  /([\w@./\\-]{1,200}\.[A-Za-z]{1,6}):(\d{1,7})\b/g,
  /File "([^"\n]{1,200})", line (\d{1,7})/g,
];
const OF_RUNNER = /(?:^|\/)node_modules\/|^node:|(?:^|\/)site-packages\//;
const DETAILS_CHARS_MAX = 20_000;

function placeIn(details: string): WrittenPlace {
  const text = details.slice(0, DETAILS_CHARS_MAX);
  for (const pattern of PLACES)
    for (const [, file = '', line] of text.matchAll(pattern))
      if (!OF_RUNNER.test(file)) return { file, line };
  return {};
}
