'use strict';
// mocha: the process that runs the tests or, with --parallel, the one that hears of them from workers.
// A session for the start is open until there is a runner, which then has a session of its own.
const childProcess = require('child_process');
const events = require('events');
const Module = require('module');
const { onLoad, withExport } = require('./on-load.cjs');

const { on } = events.prototype;
const { max } = Math;
const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/** `open` opens a session. `program` is the file that node was started with. */
function reportMocha(open, program) {
  const { SUPERVISOR_TEST_REPORTS } = process.env;
  const start = open(true);
  const stopWatching = whenHandedOver(program, () => {
    start.end(NOTHING);
    return { ...process.env, SUPERVISOR_TEST_REPORTS };
  });
  const stop = onLoad((loaded, request, from) => {
    if (!/^\.\/stats-collector(?:\.js)?$/.test(request) || !/\/lib\/mocha\.c?js$/.test(from))
      return loaded;
    stop();
    const collect = typeof loaded === 'function' ? loaded : loaded.createStatsCollector;
    const both = (runner) => {
      stopWatching();
      listen(runner, open(false));
      start.end(NOTHING);
      return collect(runner);
    };
    return typeof loaded === 'function' ? both : withExport(loaded, 'createStatsCollector', both);
  });
}

function listen(runner, session) {
  const seen = { ...NOTHING };
  const count = (which) => () => {
    seen[which] += 1;
    session.counts(seen);
  };
  on.call(runner, 'start', () => {
    // The tests of workers are known only as they end.
    if (!(runner.isParallelMode && runner.isParallelMode()))
      session.plan(runner.grepTotal(runner.suite));
  });
  on.call(runner, 'pass', count('passed'));
  on.call(runner, 'fail', count('failed'));
  on.call(runner, 'fail', (test) => {
    if (test && typeof test.fullTitle === 'function') session.failure(test.fullTitle(), test.file);
  });
  on.call(runner, 'pending', count('skipped'));
  on.call(runner, 'end', () => session.end({ ...seen, failed: max(seen.failed, runner.failures) }));
}

/**
 * With flags for node mocha starts itself again, and that process reports: its variables are what `then`
 * gives. Only a call from mocha's own program counts: code of the project could start any mocha.
 */
function whenHandedOver(program, then) {
  const { spawn } = childProcess;
  const watched = (command, args, options) => {
    if (!callerOf(watched).includes(program)) return spawn(command, args, options);
    stop();
    return spawn(command, args, { ...options, env: then() });
  };
  const stop = () => {
    if (childProcess.spawn === watched) childProcess.spawn = spawn;
    Module.syncBuiltinESMExports();
  };
  childProcess.spawn = watched;
  Module.syncBuiltinESMExports();
  return stop;
}

function callerOf(called) {
  const at = {};
  Error.captureStackTrace(at, called);
  return `${at.stack}`.split('\n')[1] || '';
}

module.exports = { report: reportMocha };
