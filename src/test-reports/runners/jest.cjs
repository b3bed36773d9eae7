'use strict';
// jest: its main process, which schedules the files and decides. The tests run in workers, or in the
// same process in contexts of their own, where the modules of this process are out of reach.
const { onLoad, withExport } = require('./on-load.cjs');

const { max } = Math;

function count(value) {
  return Number.isInteger(value) ? value : 0;
}

function tallyOf(results) {
  return {
    passed: count(results.numPassedTests),
    // A file that could not be run at all has no tests that could have failed.
    failed: count(results.numFailedTests) + count(results.numRuntimeErrorTestSuites),
    skipped: count(results.numPendingTests) + count(results.numTodoTests),
  };
}

function nameFailures(session, file) {
  if (!file || !Array.isArray(file.testResults)) return;
  const failed = file.testResults.filter(({ status }) => status === 'failed');
  for (const { fullName } of failed) session.failure(fullName, file.testFilePath);
  if (failed.length === 0 && file.testExecError) session.failure(file.testFilePath);
}

function reportJest(open) {
  const session = open(false);
  const finish = (results) => {
    const tally = tallyOf(results);
    const { passed, failed, skipped } = tally;
    const isRed = results.success === false || results.wasInterrupted === true;
    const files = Array.isArray(results.testResults) ? results.testResults.length : 0;
    const missing = max(0, count(results.numTotalTestSuites) - files);
    session.plan(passed + failed + skipped + missing);
    session.end(isRed && failed === 0 ? { ...tally, failed: 1 } : tally);
  };
  const changes = {
    '@jest/core': (core) =>
      withExport(core, 'runCLI', async (...args) => {
        const outcome = await core.runCLI(...args);
        if (outcome && outcome.results) finish(outcome.results);
        return outcome;
      }),
    // Called for each file as it ends: a failure is reported before anything can take it back.
    '@jest/test-result': (testResult) =>
      withExport(testResult, 'addResult', (results, ...more) => {
        testResult.addResult(results, ...more);
        session.counts(tallyOf(results));
        nameFailures(session, more[0]);
      }),
  };
  onLoad((loaded, request) =>
    Object.hasOwn(changes, request) ? changes[request](loaded) : loaded,
  );
}

module.exports = { report: reportJest };
