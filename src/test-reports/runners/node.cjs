'use strict';
// Loaded first in every process of Node that a gate starts. It finds out whether the process runs tests,
// and reports them. In every other process it does nothing.
const path = process.env.SUPERVISOR_TEST_REPORTS;

function nodeTestRole() {
  const { NODE_OPTIONS = '', NODE_TEST_CONTEXT = '' } = process.env;
  if (NODE_TEST_CONTEXT.startsWith('child')) return 'file';
  if (process.execArgv.includes('--test')) {
    const words = `${NODE_OPTIONS} ${process.execArgv.join(' ')}`;
    return /--(?:experimental-)?test-isolation[= ]none/.test(words) ? 'alone' : 'starter';
  }
  const text = scriptText();
  if (!/['"]node:test['"]/.test(text)) return 'unknown';
  return /\brun\s*\(/.test(text) ? 'starter' : 'alone';
}

/** The text of the script that node is about to run; empty where there is none. */
function scriptText() {
  const [, script] = process.argv;
  if (script === undefined) return '';
  try {
    const file = require.resolve(require('path').resolve(script));
    const { size } = require('fs').statSync(file);
    return size > 2000000 ? '' : require('fs').readFileSync(file, 'utf8');
  } catch {
    return ''; // node itself will say what is wrong with it
  }
}

function start() {
  const { openSession } = require('./session.cjs');
  const { realProgram, startedAs } = require('./started-as.cjs');
  const runner = startedAs(process.argv);
  if (runner !== undefined) {
    require(`./${runner}.cjs`).report((isPart) => {
      delete process.env.SUPERVISOR_TEST_REPORTS;
      return openSession(path, runner, isPart);
    }, realProgram(process.argv));
    return;
  }
  const role = nodeTestRole();
  const open = () => {
    // What the code under test starts is its own business: only what a runner starts reports here.
    if (role !== 'starter') delete process.env.SUPERVISOR_TEST_REPORTS;
    return openSession(path, 'node:test', role === 'file');
  };
  require('./node-test.cjs').reportNodeTests(open, role !== 'unknown');
}

if (path && require('worker_threads').isMainThread) start();
