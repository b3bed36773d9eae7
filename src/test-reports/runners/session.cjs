'use strict';
// One connection to the socket of the gate. Everything is written at once and never queued: a process
// that ends in the middle of its work has reported all that came before.
// Every function that is needed later is taken now, before any code of the project can replace it.
const fs = require('fs');
const net = require('net');

const { readSync, writeSync } = fs;
const { connect } = net;
const { wait } = Atomics;
const { stringify, parse } = JSON;
const { exit, pid } = process;
const folder = process.cwd();

/** For the record, which has bounds: more failures than this have no name there. */
const NAMES_MAX = 50;
const NAME_CHARS_MAX = 300;
/** With a pause each: half a minute, of which an answer takes a thousandth. */
const TRIES_MAX = 15000;
const cell = new Int32Array(new SharedArrayBuffer(4));

function pause() {
  wait(cell, 0, 0, 2);
}

function opened(path) {
  const socket = connect({ path });
  socket.on('error', () => {});
  socket.unref();
  // A unix socket is connected when the call returns, so that its descriptor can be used already.
  // oxlint-disable-next-line no-underscore-dangle -- nothing else tells the descriptor
  const handle = socket._handle;
  return { socket, fd: handle ? handle.fd : -1 };
}

function write(fd, line) {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      writeSync(fd, line);
      return true;
    } catch (error) {
      if (error.code !== 'EAGAIN') return false;
      pause();
    }
  }
  return false;
}

function readLine(fd) {
  const bytes = Buffer.alloc(400);
  let length = 0;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      const count = readSync(fd, bytes, length, bytes.length - length, null);
      if (count === 0) return '';
      length += count;
      if (bytes[length - 1] === 10) return bytes.toString('utf8', 0, length);
    } catch (error) {
      if (error.code !== 'EAGAIN') return '';
      pause();
    }
  }
  return '';
}

function tallied(tally) {
  return `{"passed":${tally.passed},"failed":${tally.failed},"skipped":${tally.skipped}}`;
}

/** A gate has its tree in another folder each time, so the path of that folder is left out of names. */
function withoutFolder(path) {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/**
 * Opens a session and gives what can be said in it. The key stays in here: code of the project may find
 * the descriptor and write to it, and then the report does not hold.
 */
function openSession(path, runner, isPart) {
  const what = isPart ? ',"part":true' : '';
  const hello = `{"hello":{"runner":${stringify(runner)},"pid":${pid}${what}}}\n`;
  let socket;
  let fd = -1;
  let key;
  for (let tries = 0; key === undefined && tries < TRIES_MAX; tries += 1) {
    ({ socket, fd } = opened(path));
    const answer = fd >= 0 && write(fd, hello) ? readLine(fd) : '';
    if (answer !== '') key = parse(answer).key;
    else {
      socket.destroy();
      pause();
    }
  }
  if (key === undefined) {
    writeSync(2, `supervisor: ${runner} can't reach ${path} to report its tests\n`);
    exit(70);
  }
  let hasEnded = false;
  const named = new Set();
  const say = (what) => fd >= 0 && write(fd, `{"key":"${key}",${what}}\n`);
  return {
    socket,
    plan: (count) => say(`"plan":${count}`),
    counts: (tally) => say(`"counts":${tallied(tally)}`),
    /** The name of a test that failed, below its file if that is known. Names decide nothing. */
    failure: (name, file) => {
      try {
        const whole = file ? `${withoutFolder(file)}: ${name}` : withoutFolder(`${name}`);
        const short = whole.slice(0, NAME_CHARS_MAX);
        if (named.size >= NAMES_MAX || named.has(short)) return;
        named.add(short);
        say(`"failure":${stringify(short)}`);
      } catch {
        // Code of the project has replaced what this uses, or the name is no text. The failure counts.
      }
    },
    end: (tally) => {
      if (hasEnded) return;
      hasEnded = true;
      say(`"end":${tallied(tally)}`);
    },
  };
}

module.exports = { openSession };
