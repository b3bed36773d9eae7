'use strict';
// What a test program of Go prints with `-test.v`, and which tests it has to run. Pure.
// A test may print something without a line's end just before one of these.

const RESULT = /--- (PASS|FAIL|SKIP): ([^\s/]+) \(\d+\.\d+s\)$/;
const BEGINS = /=== (?:RUN|PAUSE|CONT|NAME) +(\S+)$/;
const ANY_RESULT = /--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$/;
const LOG = /^ {4}/;

/** The tests that the texts of test files declare, as far as `isBuilt` finds them in the program. */
function declaredTests(texts, isBuilt) {
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/gm)].map(([, name]) => name),
  );
  return [...new Set(names)].filter(
    (name) => name !== 'TestMain' && !/^(?:Test|Fuzz|Example)\p{Ll}/u.test(name) && isBuilt(name),
  );
}

/** Of those: the ones that have to run. An example without expected output is only built. */
function plannedTests(names, args) {
  const run = patternOf(args, 'run');
  const skip = patternOf(args, 'skip');
  if (run === null || skip === null) return []; // only what begins is known then
  return names.filter(
    (name) =>
      !name.startsWith('Example') &&
      (run === undefined || run.first.test(name)) &&
      !(skip !== undefined && !skip.isDeep && skip.first.test(name)),
  );
}

/** Undefined: there is none. Null: it is one that only Go can read. */
function patternOf(args, flag) {
  const given = args.findLast((arg) => arg.startsWith(`-test.${flag}=`));
  if (given === undefined) return undefined;
  const text = given.slice(`-test.${flag}=`.length);
  const isDeep = text.includes('/');
  if (isDeep && /[|[(]/.test(text)) return null;
  try {
    return { first: new RegExp(text.split('/')[0], 'u'), isDeep };
  } catch {
    return null;
  }
}

/** Counts results by line, for the tests of these names only: a test may print what another runner says. */
function countResults(names) {
  const known = new Set(names);
  const begun = new Set();
  const ended = new Set();
  const tally = { passed: 0, failed: 0, skipped: 0 };
  let hasPassed = false;
  let hasChanged = false;
  let lastFailed;
  return {
    hear: (line) => {
      const [, begins] = BEGINS.exec(line) || [];
      const [, result, name] = RESULT.exec(line) || [];
      if (known.has(begins)) begun.add(begins);
      hasChanged = known.has(name);
      lastFailed = hasChanged && result === 'FAIL' ? name : undefined;
      if (hasChanged) {
        ended.add(name);
        if (result === 'PASS') tally.passed += 1;
        else if (result === 'FAIL') tally.failed += 1;
        else tally.skipped += 1;
      }
      if (known.has(begins) || known.has(name)) hasPassed = false;
      else if (line.endsWith('PASS')) hasPassed = true;
    },
    /** How many tests there should be, with those that are planned and gave no result. */
    plan: (planned) => {
      const missing = new Set([...planned, ...begun].filter((name) => !ended.has(name)));
      return tally.passed + tally.failed + tally.skipped + missing.size;
    },
    tally: () => ({ ...tally }),
    /** Whether the last line was a result. */
    hasChanged: () => hasChanged,
    /** The test that the last line says has failed. */
    lastFailed: () => lastFailed,
    /** The last that testing says when nothing has failed. */
    hasPassed: () => hasPassed,
  };
}

/** Prints what the program would print without `-test.v`: logs only of tests that failed, below their result. */
function quietly(print) {
  const logs = new Map();
  let current = '';
  const forget = (name) => {
    const held = logs.get(name) || '';
    logs.delete(name);
    return held;
  };
  return {
    hear: (line, end) => {
      const begins = BEGINS.exec(line);
      const ends = ANY_RESULT.exec(line);
      if (begins !== null) {
        [, current] = begins;
        const before = line.slice(0, line.lastIndexOf('=== '));
        if (before !== '') print(before);
      } else if (ends !== null && ends[1] === 'FAIL') print(`${line}${end}${forget(ends[2])}`);
      else if (ends !== null) {
        forget(ends[2]);
        const before = line.slice(0, line.lastIndexOf('--- ')).trimStart();
        if (before !== '') print(before);
      } else if (current !== '' && LOG.test(line))
        logs.set(current, `${logs.get(current) || ''}${line}${end}`);
      else print(`${line}${end}`);
    },
    /** Tests that never ended: what they said may tell why. */
    end: () => {
      for (const held of logs.values()) print(held);
    },
  };
}

module.exports = { countResults, declaredTests, plannedTests, quietly };
