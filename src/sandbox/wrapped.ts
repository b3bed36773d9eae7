/** The result of wrapping: how to start a command, and what is enforced on it. */
import type { Backend } from './policy.ts';

/** The command to run inside. */
export type InnerCommand = {
  readonly argv: readonly string[];
  readonly stdin?: string;
};

/** How each promise of the policy is enforced on this machine. `none`: it is not. */
export type Enforced = {
  readonly files: 'namespace' | 'profile' | 'none';
  readonly network: 'namespace' | 'profile' | 'none';
  readonly processes: 'namespace' | 'none';
  readonly user: 'ordinary' | 'none';
  readonly syscalls: 'seccomp' | 'none';
  /** `rlimit` limits each process separately, `cgroup` all of them together. */
  readonly memory: 'cgroup' | 'rlimit' | 'none';
  readonly cpus: 'cgroup' | 'none';
  readonly pids: 'cgroup' | 'rlimit' | 'none';
  /** `watched`: counted every few seconds, and the sandbox is stopped when it exceeds the limit. */
  readonly disk: 'watched' | 'none';
  readonly tmp: 'sized' | 'none';
};

/** A small file that must be in the scratch folder when the command starts. */
export type ScratchFile = {
  readonly name: string;
  readonly data: string | Uint8Array;
  /** Whether the user inside has to read it. Otherwise only the owner can. */
  readonly isPublic?: true;
};

export type Wrapped = {
  readonly backend: Backend;
  readonly argv: readonly string[];
  /** The environment of the wrapper, not of the command. It must contain no secret. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly files: readonly ScratchFile[];
  readonly stdin?: string;
  readonly enforced: Enforced;
  /** The container that this creates. Its exit state has to be read, and it has to be removed. */
  readonly container: string | null;
};

/** The scratch file in which bubblewrap reports how the command ended. */
export const STATUS_FILE = 'status';
