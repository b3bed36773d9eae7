/**
 * Which command lines start a test run of jest, vitest or mocha. Their reporters are in ./runners.
 */

/** The names of the programs, by the runner that each one starts. */
const PROGRAMS: Readonly<Record<string, string>> = {
  jest: 'jest',
  'react-scripts': 'jest',
  vitest: 'vitest',
  mocha: 'mocha',
  _mocha: 'mocha',
  'ts-mocha': 'mocha',
};

/** A program in `node_modules` that node gets by its path. */
const PATH = /(?:^|\/)node_modules\/(?:\.bin|[^/]+(?:\/bin)?)\/([\w-]+)(?:\.[cm]?js)?$/;

/** With one of these flags a runner only prints something, and runs no test. */
const ASKS = /^(?:--list-reporters|--list-interfaces)$/;
/** Words of vitest and mocha that start no test run. */
const OTHER_VERBS: Readonly<Record<string, RegExp>> = {
  vitest: /^(?:list|init|bench|doctor)$/,
  mocha: /^init$/,
};

/** The runner that a program of that name starts; undefined: none of these. */
export function findJsRunner(program: string, args: readonly string[]): string | undefined {
  const runner = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  if (runner === undefined || args.some((arg) => ASKS.test(arg))) return undefined;
  const [verb = ''] = args;
  if (program === 'react-scripts') return args.includes('test') ? runner : undefined;
  return OTHER_VERBS[runner]?.test(verb) === true ? undefined : runner;
}

/** The same for a program of node: `node --experimental-vm-modules node_modules/.bin/jest`. */
export function findJsRunnerOfNode(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [, program] = PATH.exec(arg) ?? [];
    if (program !== undefined && Object.hasOwn(PROGRAMS, program))
      return findJsRunner(program, args.slice(index + 1));
  }
  return undefined;
}
