/**
 * Runs the command of a strategy for its output: in a sandbox, without a network, with the project
 * to read and nothing to write. What it says becomes part of a prompt, so its end matters as well:
 * one that could not do its work is refused, never packed as if it had.
 */
import { Refusal } from '../base/errors.ts';
import { folderOwner } from '../host/files/folder-owner.ts';
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
  readonly choose: (wish: BackendRequest) => Promise<BackendChoice>;
  readonly ports: Omit<SandboxPorts, 'backend' | 'user'>;
  /** Names what is run, for whoever has to find it. */
  readonly id: string;
  readonly tag: string;
};

const TIME_MS_MAX = 60_000;
const OUTPUT_BYTES_MAX = 1_000_000;
/** With these a shell says that there was nothing to run. */
const NEVER_RAN = [126, 127];

export function sandboxedCommand(place: CommandEnvironment): (command: string) => Promise<string> {
  return async (command) => {
    const { sandbox, choose, ports, tag } = place;
    const wish = { backend: sandbox.backend, image: sandbox.image, unsafe: false };
    const { backend } = await choose(wish);
    const user = await userOf(place);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const flooded = new AbortController();
    const result = await runSandboxed(
      policyOf(place),
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
      ? `says more than ${OUTPUT_BYTES_MAX} bytes`
      : objection(result);
    if (why === undefined) return Buffer.concat(chunks).toString('utf8');
    throw new Refusal({
      code: 'context.unavailable',
      message: `the command ${JSON.stringify(command)} of the strategy ${why}`,
      hint: 'It runs with the project to read, nothing to write and no network: try it with supervisor sandbox exec.',
    });
  };
}

/** A linter that finds something ends with 1: what it found is what is wanted. */
function objection({ exit, endedBy, oom }: SandboxResult): string | undefined {
  if (endedBy === 'time-limit') return `takes longer than ${TIME_MS_MAX / 1000} s`;
  if (oom === true) return 'ran out of memory';
  if (exit.kind === 'not-started') return `could not be started: ${exit.message}`;
  // A shell, and a sandbox, have a death by signal as a code above 128.
  if (exit.kind === 'signal' || exit.code > 128) return 'was killed';
  return NEVER_RAN.includes(exit.code) ? `ended with ${exit.code}: it is not there` : undefined;
}

function policyOf({ project, sandbox, id }: CommandEnvironment): SandboxPolicy {
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

/** For root, whoever owns the folder, since others may not even be able to enter it. */
async function userOf({ project, ports }: CommandEnvironment): Promise<SandboxPorts['user']> {
  const owner = ports.facts.uid === 0 ? await folderOwner(project) : undefined;
  return owner === undefined || owner.uid === 0 ? undefined : owner;
}
