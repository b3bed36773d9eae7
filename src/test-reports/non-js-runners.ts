/** Which runner of Python, Go or Rust a command starts, and when that runner can't report. */

const PYTEST = 'pytest';
export const UNITTEST = 'unittest';
const GO_TEST = 'go test';
const CARGO_TEST = 'cargo test';

/** Their reporter is a program for node, which an image need not have. */
export const NEEDS_NODE: readonly string[] = [GO_TEST, CARGO_TEST];

const OF_PYTHON = [PYTEST, UNITTEST];
const PYTHON = /^(?:python|pypy)[\d.]*$/;
const IS_PYTEST = /^(?:pytest|py\.test)(?:-3)?$/;
/** Flags with which pytest or unittest runs no test. */
const ASKS =
  /^(?:-h|--help|--version|--collect-only|--co|--fixtures|--funcargs|--fixtures-per-test|--markers|--setup-plan)$/;

/** The runner that a program starts; undefined: none of these. */
export function findNonJsRunner(program: string, args: readonly string[]): string | undefined {
  if (IS_PYTEST.test(program)) return args.some((arg) => ASKS.test(arg)) ? undefined : PYTEST;
  if (PYTHON.test(program) || (program === 'coverage' && args[0] === 'run'))
    return ofPython(program === 'coverage' ? args.slice(1) : args);
  if (program === 'go') return isGoTest(args) ? GO_TEST : undefined;
  if (program === 'cargo') return isCargoTest(args) ? CARGO_TEST : undefined;
  return undefined;
}

function ofPython(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '-c' || /^-[A-Za-z]*m$/.test(arg));
  const module = at >= 0 && args[at] !== '-c' ? (args[at + 1] ?? '') : '';
  if (args.slice(at + 2).some((arg) => ASKS.test(arg))) return undefined;
  if (IS_PYTEST.test(module)) return PYTEST;
  return module === 'unittest' ? UNITTEST : undefined;
}

/**
 * Whether a script that Python runs directly has unittest tests. The reporter looks for the same.
 */
export function hasUnittests(text: string): boolean {
  return /\bunittest\.main\(|\bTextTestRunner\(|from\s+unittest\s+import\s[^\n]*\bmain\b/.test(
    text,
  );
}

function isGoTest(args: readonly string[]): boolean {
  const words = args[0] === '-C' ? args.slice(2) : args.filter((arg) => !arg.startsWith('-C='));
  if (words[0] !== 'test') return false;
  return !words.some((arg) => /^--?(?:c|n|h|help|list)(?:=|$)/.test(arg));
}

function isCargoTest(args: readonly string[]): boolean {
  const [verb, second] = args.filter((arg) => !/^[-+]/.test(arg));
  const isTest =
    verb === 'test' || verb === 't' || (verb === 'nextest' && /^r(?:un)?$/.test(second ?? ''));
  if (!isTest) return false;
  // Documentation tests run in rustdoc.
  return !args.some((arg) => /^(?:--no-run|--doc|--list|-h|--help|-V|--version)(?:=|$)/.test(arg));
}

/** The runners that can't report when this program starts them, each with the reason. */
export function silentRunnersOf(
  program: string,
  args: readonly string[],
): ReadonlyMap<string, string> {
  if (program === 'tox')
    return all([...OF_PYTHON, ...NEEDS_NODE], 'tox starts its commands without our variables');
  if (PYTHON.test(program)) {
    const flags = args.slice(0, args.findIndex((arg) => !/^-[A-Za-z]+$/.test(arg)) + 1);
    const flag = flags.find((arg) => /^-[bBdEiIOPqRsSuvx]*[EIS]/.test(arg));
    if (flag !== undefined) return all(OF_PYTHON, `${program} ${flag} does not load the reporter`);
  }
  if (program === 'go' && args.some((arg) => /^--?exec(?:=|$)/.test(arg)))
    return all([GO_TEST], 'go test -exec starts the tests by another program');
  if (program === 'cargo' && args.some((arg) => /^--target(?:=|$)/.test(arg)))
    return all([CARGO_TEST], 'cargo test --target may start the tests by another program');
  return new Map();
}

/** The same for a variable that the command sets. */
export function silentRunnersWith(variable: string): ReadonlyMap<string, string> {
  const why = `the command sets ${variable}, which would load the reporter`;
  if (variable === 'PYTHONPATH') return all(OF_PYTHON, why);
  if (variable === 'GOFLAGS') return all([GO_TEST], why);
  if (/^CARGO_(?:TARGET_\w+_RUNNER|BUILD_TARGET)$/.test(variable)) return all([CARGO_TEST], why);
  return new Map();
}

function all(runners: readonly string[], why: string): ReadonlyMap<string, string> {
  return new Map(runners.map((runner) => [runner, why]));
}
