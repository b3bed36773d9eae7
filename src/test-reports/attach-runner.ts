/** How each test runner is made to load its reporter, and which runner a command starts. */
import { findJsRunner, findJsRunnerOfNode } from './js-runners.ts';
import { SOCKET_NAME } from './collect-reports.ts';
import { findNonJsRunner } from './non-js-runners.ts';

/** The folder with socket and reporters inside a sandbox. */
export const REPORTS_INSIDE = '/run/supervisor-tests';
/** The variable that names the socket to the reporters. */
const SOCKET_VARIABLE = 'SUPERVISOR_TEST_REPORTS';

/** The variables with which a gate's command starts. `folder` is the path that the command sees. */
export function attachReporter(
  env: Readonly<Record<string, string>>,
  folder: string,
): Readonly<Record<string, string>> {
  return {
    ...env,
    [SOCKET_VARIABLE]: `${folder}/${SOCKET_NAME}`,
    NODE_OPTIONS: words(env['NODE_OPTIONS'], `--require=${folder}/node.cjs`),
    PYTHONPATH: paths(folder, env['PYTHONPATH']),
    GOFLAGS: words(env['GOFLAGS'], `-exec=${folder}/go_exec -count=1`),
    ...Object.fromEntries(
      CARGO_HOSTS.map((host) => [`CARGO_TARGET_${host}_RUNNER`, `${folder}/cargo_runner`]),
    ),
    // The `node` in this folder restores NODE_OPTIONS if a script has overwritten it.
    ...(env['PATH'] === undefined ? {} : { PATH: `${folder}:${env['PATH']}` }),
  };
}

/** If cargo is likely to run: it uses the runner of the target that it builds for. */
const CARGO_HOSTS = ['X86_64', 'AARCH64'].flatMap((cpu) =>
  ['UNKNOWN_LINUX_GNU', 'UNKNOWN_LINUX_MUSL', 'APPLE_DARWIN'].map((system) => `${cpu}_${system}`),
);

function paths(first: string, more: string | undefined): string {
  return more === undefined || more === '' ? first : `${first}:${more}`;
}

function words(before: string | undefined, more: string): string {
  return before === undefined || before.trim() === '' ? more : `${before} ${more}`;
}

/** Flags with which a runner only prints something about itself, and runs no test. */
const ASKS =
  /^(?:-v|-V|-h|--version|--help|--listTests|--showConfig|--show-config|--clearCache|--init|--collect-only|--co)$/;

/**
 * Whether a test runner with these arguments runs tests, rather than printing its version or its
 * settings.
 */
export function runsTests(args: readonly string[]): boolean {
  return !args.some((arg) => ASKS.test(arg));
}

/** The runner that a program starts and that can be counted; undefined: none. */
export function findRunner(program: string, args: readonly string[]): string | undefined {
  const other = findNonJsRunner(program, args);
  if (other !== undefined) return other;
  if (!runsTests(args)) return undefined;
  switch (program) {
    case 'node':
    case 'nodejs':
    case 'tsx':
      return args.includes('--test') ? 'node:test' : findJsRunnerOfNode(args);
    default:
      return findJsRunner(program, args);
  }
}

/** Whether a script that node runs directly contains tests of node:test. */
export function hasNodeTests(text: string): boolean {
  return /['"]node:test['"]/.test(text);
}
