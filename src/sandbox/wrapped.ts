/** What a backend makes of a policy and a command: how to start it, and what that holds it to. */
import type { Backend } from './policy.ts';

/** What is to run inside. */
export type InnerCommand = {
  readonly argv: readonly string[];
  readonly stdin?: string;
};

/** How a promise of the policy is kept on this machine. `none` means that it is not. */
export type Enforced = {
  readonly files: 'namespace' | 'profile' | 'none';
  readonly network: 'namespace' | 'profile' | 'none';
  readonly processes: 'namespace' | 'none';
  readonly user: 'ordinary' | 'none';
  readonly syscalls: 'seccomp' | 'none';
  /** `rlimit` holds each process by itself, `cgroup` all of them together. */
  readonly memory: 'cgroup' | 'rlimit' | 'none';
  readonly cpus: 'cgroup' | 'none';
  readonly pids: 'cgroup' | 'rlimit' | 'none';
  /** `watched` is looked at every few seconds and ended when it is over. */
  readonly disk: 'watched' | 'none';
  readonly tmp: 'sized' | 'none';
};

/** A small file that must be beside the command when it starts, in the scratch folder of the run. */
export type ScratchFile = {
  readonly name: string;
  readonly data: string | Uint8Array;
  /** Who else may read it: nobody, unless the user inside has to. */
  readonly isPublic?: true;
};

export type Wrapped = {
  readonly backend: Backend;
  readonly argv: readonly string[];
  /** Of the wrapper, not of the command: nothing secret may be in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly files: readonly ScratchFile[];
  readonly stdin?: string;
  readonly enforced: Enforced;
  /** The container that this makes, which has to be asked how it ended and removed. */
  readonly container: string | null;
};

/** The name of the scratch file in which bubblewrap says how the command ended. */
export const STATUS_FILE = 'status';
