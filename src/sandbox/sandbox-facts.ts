/**
 * The facts about the machine that a backend needs. They are plain values, so that wrapping a command is a pure
 * function.
 */
import type { CgroupParents } from '../host/process/cgroup.ts';
import type { SystemDir } from '../host/files/system-dirs.ts';

/** A user by uid and gid. The command inside runs as this user. */
export type SandboxUser = { readonly uid: number; readonly gid: number };

export type SandboxFacts = {
  readonly platform: string;
  /** In Node's form: x64, arm64. */
  readonly arch: string;
  readonly uid: number;
  readonly gid: number;
  /** The path of each tool, or undefined. */
  readonly tools: Readonly<Partial<Record<Tool, string>>>;
  /** How /bin, /sbin, /lib … exist here: as symlinks into /usr, or as separate folders. */
  readonly rootFolders: readonly SystemDir[];
  /** Files and folders of /etc that programs need and that contain no secret. */
  readonly etc: readonly string[];
  readonly cgroup: CgroupParents;
  /** The Node binary that runs this process. */
  readonly node: string;
  /** The variables by which docker and podman find their engine. They contain no secret. */
  readonly engineEnv: Readonly<Record<string, string>>;
};

export const SANDBOX_TOOLS = [
  'sh',
  'bash',
  'bwrap',
  'setpriv',
  'unshare',
  'mkfifo',
  'docker',
  'podman',
  'sandbox-exec',
] as const;
type Tool = (typeof SANDBOX_TOOLS)[number];

/** What is prepared for one run before its command is wrapped. */
export type MountLayout = {
  /** A private folder of the host for the scratch files of this run. */
  readonly scratch: string;
  /** The user of the command on the host. It is our own user unless we are root. */
  readonly user: SandboxUser;
  /** Files to which the wrapper writes its pid in order to join the cgroups. Empty without cgroups. */
  readonly joins: readonly string[];
  /** The limits that these cgroups enforce. */
  readonly limited: readonly ('memory' | 'pids' | 'cpus')[];
  /** Mount points by their source, for sources that only root can reach: root binds them there first. */
  readonly stages: ReadonlyMap<string, string>;
  /** The name of the container, if there is one. */
  readonly container: string;
};
