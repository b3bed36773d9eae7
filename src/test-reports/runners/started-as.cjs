'use strict';
// Which test runner this process was started as: known by the program that node was given, before that
// is loaded. A script of the project that drives a runner through its modules is none of these.
const fs = require('fs');

/** Each begins with the name of its reporter's file. */
const PROGRAMS = [
  ['jest', /\/jest(?:-cli)?\/bin\/jest\.js$/],
  ['jest', /\/react-scripts\/scripts\/test\.js$/],
  ['vitest', /\/vitest\/vitest\.mjs$/],
  ['mocha', /\/mocha\/(?:bin\/_?mocha(?:\.c?js)?|lib\/cli\/cli\.c?js)$/],
];

/** With one of these a runner only says something, and runs no test. */
const ASKS =
  /^(?:-v|-V|-h|--version|--help|--listTests|--showConfig|--clearCache|--init|--list-reporters|--list-interfaces)$/;
const OTHER_VERBS = { vitest: /^(?:list|init|bench|doctor)$/, mocha: /^init$/ };

/** The name of the runner whose tests this process is about to run; undefined: none that is known. */
function startedAs(argv) {
  const [, , ...args] = argv;
  const path = realProgram(argv);
  const found = PROGRAMS.find(([, pattern]) => pattern.test(path));
  if (found === undefined || args.some((arg) => ASKS.test(arg))) return undefined;
  const [runner] = found;
  const verbs = OTHER_VERBS[runner];
  return verbs !== undefined && verbs.test(args[0] || '') ? undefined : runner;
}

/** The path of the program that node was given, without links; empty where there is none. */
function realProgram([, program = '']) {
  try {
    return program === '' ? '' : fs.realpathSync(program);
  } catch {
    return program; // in an archive, which only a hook of the package manager can read
  }
}

module.exports = { realProgram, startedAs };
