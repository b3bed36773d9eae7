/**
 * Runs the command of a strategy and returns its output. The command runs in a sandbox without a
 * network, with the project read-only. Its output becomes part of a prompt, so a command that did
 * not complete is refused and never packed.
 */
import { Refusal } from '../base/errors.ts';
import { folderOwner } from '../host/files/path-access.ts';
import type { Settings } from '../settings/settings.ts';
import type { BackendChoice, BackendRequest } from '../sandbox/choose-backend.ts';
import { configuredPolicy, PATH_INSIDE } from '../sandbox/policy.ts';
import type { SandboxPolicy } from '../sandbox/policy.ts';
import { runSandboxed } from '../sandbox/run-sandboxed.ts';
import type { SandboxPorts, SandboxResult } from '../sandbox/run-sandboxed.ts';

export type CommandEnvironment = {
  /** A real path. */
  readonly project: string;
  readonly sandbox: Settings['sandbox'];
  readonly choose: (request: BackendRequest) => Promise<BackendChoice>;
  readonly ports: Omit<SandboxPorts, 'backend' | 'user'>;
  /** Names the process, so that it can be found. */
  readonly id: string;
  readonly tag: string;
};

const TIME_MS_MAX = 60_000;
const OUTPUT_BYTES_MAX = 1_000_000;
/** Exit codes of a shell that could not run the command. */
const NEVER_RAN = [126, 127];

export function sandboxedCommand(
  environment: CommandEnvironment,
): (command: string) => Promise<string> {
  return async (command) => {
    const { sandbox, choose, ports, tag } = environment;
    const request = { backend: sandbox.backend, image: sandbox.image, unsafe: false };
    const { backend } = await choose(request);
    const user = await findUser(environment);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const flooded = new AbortController();
    const result = await runSandboxed(
      commandPolicy(environment),
      { argv: ['sh', '-c', command] },
      { ...ports, backend, ...(user === undefined ? {} : { user }) },
      {
        tag,
        graceMs: 1000,
        onStdout: (chunk) => {
          bytes += chunk.length;
          if (bytes > OUTPUT_BYTES_MAX) flooded.abort();
          else chunks.push(chunk);
        },
      },
      flooded.signal,
    );
    const why = flooded.signal.aborted
      ? `prints more than ${OUTPUT_BYTES_MAX} bytes`
      : findFailure(result);
    if (why === undefined) return Buffer.concat(chunks).toString('utf8');
    throw new Refusal({
      code: 'context.unavailable',
      message: `The command ${JSON.stringify(command)} of the strategy ${why}.`,
      hint: 'The command runs without a network and can only read the project. Try it with: supervisor sandbox exec',
    });
  };
}

/** Exit code 1 is accepted, because a linter with findings uses it. */
function findFailure({ exit, endedBy, oom }: SandboxResult): string | undefined {
  if (endedBy === 'time-limit') return `takes longer than ${TIME_MS_MAX / 1000} s`;
  if (oom === true) return 'ran out of memory';
  if (exit.kind === 'not-started') return `could not be started: ${exit.message}`;
  // A shell and a sandbox report a death by signal as a code above 128.
  if (exit.kind === 'signal' || exit.code > 128) return 'was killed';
  return NEVER_RAN.includes(exit.code)
    ? `ended with ${exit.code}: its program was not found`
    : undefined;
}

function commandPolicy({ project, sandbox, id }: CommandEnvironment): SandboxPolicy {
  return {
    ...configuredPolicy(id, project, sandbox, TIME_MS_MAX),
    read: [project],
    mounts: sandbox.mounts,
    env: {
      PATH: PATH_INSIDE,
      LANG: 'C.UTF-8',
      // The repository belongs to the user, and the command may run as another user.
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: project,
      GIT_OPTIONAL_LOCKS: '0',
    },
  };
}

/** For root: the owner of the folder, because other users may not be able to enter it. */
async function findUser({ project, ports }: CommandEnvironment): Promise<SandboxPorts['user']> {
  const owner = ports.facts.uid === 0 ? await folderOwner(project) : undefined;
  return owner === undefined || owner.uid === 0 ? undefined : owner;
}
