'use strict';
// A compiled test program in a process of its own: the reporter stays outside of it, and reads what it
// prints. The program itself knows nothing of the socket.
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const { constants } = require('os');

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
/** A process that the tests left behind may keep the output open. Go itself waits as long. */
const REST_MS = 5000;
const CELL = new Int32Array(new SharedArrayBuffer(4));

/** The variables as they were before the gate's own. */
function ownVariables() {
  const env = { ...process.env };
  if (env.SUPERVISOR_NODE_OPTIONS) env.NODE_OPTIONS = env.SUPERVISOR_NODE_OPTIONS;
  else delete env.NODE_OPTIONS;
  delete env.SUPERVISOR_NODE_OPTIONS;
  delete env.SUPERVISOR_TEST_REPORTS;
  return env;
}

/** Instead of this process, as far as Node can be left. */
function runInstead(program, args) {
  const { status, signal } = spawnSync(program, args, { stdio: 'inherit', env: ownVariables() });
  process.exit(codeOf(status, signal));
}

function codeOf(status, signal) {
  return status === null ? 128 + (constants.signals[signal] || 0) : status;
}

/** Runs it and calls `hear` with each line that it prints, without its end; gives its exit code. */
function runHeard(program, args, hear) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['inherit', 'pipe', 'inherit'],
      env: ownVariables(),
    });
    for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
    let rest = '';
    let ended;
    child.stdout.setEncoding('latin1').on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) hear(line, '\n');
    });
    const finish = () => {
      if (rest !== '') hear(rest, '');
      rest = '';
      resolve(ended);
    };
    child.on('error', (error) => {
      process.stderr.write(`supervisor: ${program} can't be started: ${error.message}\n`);
      ended = 127;
      finish();
    });
    child.on('exit', (status, signal) => {
      ended = codeOf(status, signal);
      // oxlint-disable-next-line eslint/no-restricted-globals -- a program of its own, with no clock given
      setTimeout(finish, REST_MS).unref();
    });
    child.on('close', finish);
  });
}

/**
 * To the very descriptor that go or cargo gave, which they go on using: a stream of Node would shut it
 * down at its end if it is a socket.
 */
function print(text) {
  let bytes = Buffer.from(text, 'latin1');
  while (bytes.length > 0)
    try {
      bytes = bytes.subarray(fs.writeSync(1, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') return; // the reader has gone
      Atomics.wait(CELL, 0, 0, 2);
    }
}

module.exports = { ownVariables, print, runHeard, runInstead };
