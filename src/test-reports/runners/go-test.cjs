'use strict';
// go test: `go` starts each test program by this, in the folder of its package. Which tests it has is
// read from the package and the program's file before anything of it runs.
const fs = require('fs');
const { dirname, join, relative } = require('path');
const { countResults, declaredTests, plannedTests, quietly } = require('./go-output.cjs');
const { openSession } = require('./session.cjs');
const { print, runHeard, runInstead } = require('./test-program.cjs');

/** The name of a function stands in the program's table of functions, even when symbols are left out. */
function builtInto(program) {
  const bytes = fs.readFileSync(program);
  return (name) => bytes.includes(`.${name}\0`, 0, 'latin1');
}

function testFiles() {
  return fs
    .readdirSync('.')
    .filter((name) => name.endsWith('_test.go'))
    .map((name) => fs.readFileSync(name, 'utf8'));
}

/** The folder of the package, below that of the module. */
function packagePath() {
  const here = process.cwd();
  for (let folder = here; ; folder = dirname(folder)) {
    if (fs.existsSync(join(folder, 'go.mod'))) return relative(folder, here);
    if (folder === dirname(folder)) return '';
  }
}

async function main([program, ...args]) {
  if (!args.some((arg) => arg.startsWith('-test.'))) return runInstead(program, args); // go run
  const session = openSession(process.env.SUPERVISOR_TEST_REPORTS, 'go test', false);
  if (args.some((arg) => arg.startsWith('-test.list='))) {
    session.end({ passed: 0, failed: 0, skipped: 0 });
    return runInstead(program, args);
  }
  const names = declaredTests(testFiles(), builtInto(program));
  const planned = plannedTests(names, args);
  session.plan(planned.length);
  const isVerbose = args.some((arg) =>
    /^-test\.v(?:=(?:true|test2json|1|t|T|TRUE|True))?$/.test(arg),
  );
  const results = countResults(names);
  const quiet = quietly(print);
  const code = await runHeard(
    program,
    isVerbose ? args : ['-test.v=true', ...args],
    (line, end) => {
      // In the form for test2json such lines have a mark before them.
      results.hear(line.replaceAll('\x16', ''));
      if (results.hasChanged()) session.counts(results.tally());
      if (results.lastFailed() !== undefined) session.failure(results.lastFailed(), packagePath());
      if (isVerbose) print(line + end);
      else quiet.hear(line, end);
    },
  );
  quiet.end();
  const tally = results.tally();
  session.plan(results.plan(planned));
  if (code !== 0) session.end({ ...tally, failed: Math.max(tally.failed, 1) });
  else if (results.hasPassed() || tally.failed > 0) session.end(tally);
  return process.exit(code);
}

void main(process.argv.slice(2));
