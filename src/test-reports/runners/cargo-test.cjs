'use strict';
// cargo test: cargo starts each test program by this, in the folder of its package. The program lists its
// tests in a process of its own before it runs them.
const { spawnSync } = require('child_process');
const fs = require('fs');
const { join } = require('path');
const { failedTest, listArgs, listedTests, summaryOf } = require('./libtest-output.cjs');
const { openSession } = require('./session.cjs');
const { ownVariables, print, runHeard, runInstead } = require('./test-program.cjs');

const NOTHING = { passed: 0, failed: 0, skipped: 0 };
const LIST_BYTES_MAX = 100_000_000;

/** Whether it has the test harness of Rust in it, or loads it. */
function hasHarness(program) {
  const bytes = fs.readFileSync(program);
  return (
    bytes.includes('RUST_TEST_THREADS') ||
    /libtest-[0-9a-f]+\.(?:so|dylib)/.test(bytes.toString('latin1'))
  );
}

/** Whether tests of this package may come without the harness, by its manifest. */
function mayBeWithout() {
  try {
    const file = join(process.env.CARGO_MANIFEST_DIR || '.', 'Cargo.toml');
    return /\bharness\b['"]?\s*=\s*false/.test(fs.readFileSync(file, 'utf8'));
  } catch {
    return false;
  }
}

function listed(program, args) {
  const { stdout } = spawnSync(program, listArgs(args), {
    env: ownVariables(),
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'latin1',
    maxBuffer: LIST_BYTES_MAX,
  });
  return listedTests(stdout || '');
}

function sum({ passed, failed, skipped }) {
  return passed + failed + skipped;
}

async function main([program, ...args]) {
  const isTest = hasHarness(program);
  // `cargo run` starts programs by this as well; those of tests lie in `deps`.
  if (!isTest && !/[/\\]deps[/\\][^/\\]+$/.test(program)) return runInstead(program, args);
  const session = openSession(process.env.SUPERVISOR_TEST_REPORTS, 'cargo test', false);
  if (args.includes('--list') || (!isTest && mayBeWithout())) {
    session.end(NOTHING);
    return runInstead(program, args);
  }
  const plan = listed(program, args);
  if (plan !== undefined) session.plan(plan);
  const tallies = [];
  const code = await runHeard(program, args, (line, end) => {
    // The last one counts: a test may print what another program says.
    const found = summaryOf(line);
    if (found !== undefined) tallies.push(found);
    const name = failedTest(line);
    if (name !== '') session.failure(name);
    print(line + end);
  });
  const tally = tallies.at(-1);
  if (code !== 0)
    session.end({ ...NOTHING, ...tally, failed: Math.max(tally ? tally.failed : 0, 1) });
  else if (tally !== undefined && plan !== undefined && sum(tally) <= plan) session.end(tally);
  return process.exit(code);
}

void main(process.argv.slice(2));
