'use strict';
// node:test: the process that starts files (`node --test`), the process of each file, and a script that
// node runs by itself. The runner has no interface for this that works beside the user's own reporters,
// so its root is found as what it is for Node itself: a resource of the type `Test`.
const { createHook } = require('async_hooks');
const events = require('events');

const { on } = events.prototype;

/** Calls `found` with the root of the tests, once the first test is made. */
function findRoot(found) {
  const hook = createHook({
    init(id, type, trigger, test) {
      if (type !== 'Test') return;
      hook.disable();
      // It is under construction here: what it belongs to is known a moment later.
      process.nextTick(() => found(test.root || test.parent || test));
    },
  }).enable();
}

/** Calls `begins` when the runner starts in this process: it then listens to how the process ends. */
function whenRunnerBegins(begins) {
  const seen = () => {
    const error = new Error('where');
    if (!`${error.stack}`.includes('node:internal/test_runner')) return;
    process.removeListener('newListener', seen);
    begins();
  };
  on.call(process, 'newListener', seen);
}

/** Whether Node itself ends the process since nothing is left to do: no code of the project has called this. */
function isCalledByNode() {
  const { stackTraceLimit, prepareStackTrace } = Error;
  let stack = '';
  try {
    Error.stackTraceLimit = 50;
    Error.prepareStackTrace = undefined;
    stack = new Error('where').stack;
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  } catch {
    return false; // the project has frozen them, and wants not to be seen
  }
  const frames = stack.split('\n').slice(1);
  return (
    frames.length >= 2 &&
    frames.every((frame) => frame.includes('(node:') || frame.includes(__filename))
  );
}

function tallyOf(root, seen) {
  const { counters } = root.harness || {};
  if (!counters || typeof counters.passed !== 'number') return seen;
  return {
    passed: counters.passed,
    failed: Math.max(counters.failed + counters.cancelled, seen.failed),
    skipped: counters.skipped + counters.todo,
  };
}

/** Whether it failed only because tests inside it did. */
function isByOthers({ details }) {
  const { error } = details || {};
  return error !== undefined && error !== null && error.failureType === 'subtestsFailed';
}

/** Reports the tests of this process. `open` opens the session; `beginsNow`: it is known to have tests. */
function reportNodeTests(open, beginsNow) {
  let session = beginsNow ? open() : undefined;
  let root;
  const seen = { passed: 0, failed: 0, skipped: 0 };
  const finish = () => {
    if (root === undefined || root.endTime === null || root.endTime === undefined) return;
    const tally = tallyOf(root, seen);
    const isRed = (root.harness || {}).success === false && tally.failed === 0;
    session.end(isRed ? { ...tally, failed: 1 } : tally);
  };
  const count = (which) => (data) => {
    const isSuite = data.details !== undefined && data.details.type === 'suite';
    if (data.skip !== undefined || data.todo !== undefined) seen.skipped += 1;
    else if (which === 'failed' || !isSuite) seen[which] += 1;
    session.counts(seen);
    if (which === 'failed' && data.todo === undefined && !isByOthers(data))
      session.failure(data.name, data.file === data.name ? '' : data.file);
  };
  const listen = () =>
    findRoot((found) => {
      root = found;
      on.call(root.reporter, 'test:pass', count('passed'));
      on.call(root.reporter, 'test:fail', count('failed'));
      on.call(root.reporter, 'test:diagnostic', finish);
      on.call(root.reporter, 'test:summary', finish);
    });
  // A runner that isolates nothing has begun before anything is loaded.
  if (beginsNow) listen();
  else
    whenRunnerBegins(() => {
      session = open();
      listen();
    });
  on.call(process, 'exit', finish);
  on.call(process, 'beforeExit', () => {
    // A file without any test is one that has nothing to report, unless it was ended before it could.
    if (session !== undefined && root === undefined && isCalledByNode()) session.end(seen);
  });
}

module.exports = { reportNodeTests };
