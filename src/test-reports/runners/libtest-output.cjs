'use strict';
// What a test program of Rust prints: its list of tests, and the summary at its end. Pure.

/** How many tests `--list` has named; undefined: the list has no end, so the program did not get there. */
function listedTests(text) {
  const end = /(?:^|\n)(\d+) tests?, (\d+) benchmarks?\s*$/.exec(text);
  if (end === null) return undefined;
  const [, tests, benchmarks] = end;
  const names = text.match(/: (?:test|benchmark)$/gm) || [];
  return names.length === Number(tests) + Number(benchmarks) ? names.length : undefined;
}

/** The flags that change how a list looks and not what is in it. */
function listArgs(args) {
  const kept = args.filter(
    (arg, index) =>
      !/^(?:-q|--quiet|--nocapture|--no-capture|--show-output|--format=.*|--format|-Z|-Zunstable-options|unstable-options)$/s.test(
        arg,
      ) && args[index - 1] !== '--format',
  );
  return [...kept, '--list'];
}

const SUMMARY =
  /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out/;
// oxlint-disable-next-line no-control-regex -- that is how a terminal is told a colour
const COLOURS = /\x1b\[[\d;]*m/g;
const JSON_SUMMARY = /^\{ ?"type": ?"suite", ?"event": ?"(?:ok|failed)"/;

/** The counts of a line that is a summary; undefined: it is none. */
function summaryOf(printed) {
  const line = printed.replaceAll(COLOURS, '');
  const [, ...counts] = SUMMARY.exec(line) || [];
  const [passed, failed, ignored, measured] = counts.map(Number);
  if (counts.length > 0) return { passed: passed + measured, failed, skipped: ignored };
  const json = JSON_SUMMARY.test(line) ? jsonOf(line) : undefined;
  if (json === undefined) return undefined;
  return { passed: json.passed + (json.measured || 0), failed: json.failed, skipped: json.ignored };
}

/** The test that a line says has failed; empty: none. Its name decides nothing, so a test may print it as well. */
function failedTest(printed) {
  const [, name = ''] = /^test (\S+) \.\.\. FAILED$/.exec(printed.replaceAll(COLOURS, '')) || [];
  return name;
}

function jsonOf(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

module.exports = { failedTest, listArgs, listedTests, summaryOf };
