/** What a backend has to know of the machine. Plain values, so that wrapping a command is a function. */
import type { CgroupParents } from '../host/process/cgroup.ts';
import type { SystemDir } from '../host/files/system-dirs.ts';

/** A user by number; what is run inside belongs to it. */
export type SandboxUser = { readonly uid: number; readonly gid: number };

export type SandboxFacts = {
  readonly platform: string;
  /** As Node names it: x64, arm64. */
  readonly arch: string;
  readonly uid: number;
  readonly gid: number;
  /** Where each tool is, or undefined. */
  readonly tools: Readonly<Partial<Record<Tool, string>>>;
  /** What /bin, /sbin, /lib … are here: links into /usr, or folders of their own. */
  readonly rootFolders: readonly SystemDir[];
  /** Files and folders of /etc that programs need and that hold nothing secret. */
  readonly etc: readonly string[];
  readonly cgroup: CgroupParents;
  /** The Node that runs us. */
  readonly node: string;
  /** What docker and podman need to find their engine; no secret is among it. */
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
  /** A private folder of the host with the scratch files of this run. */
  readonly scratch: string;
  /** Whom the command belongs to on the host; ourselves unless we are root. */
  readonly user: SandboxUser;
  /** Files to which the wrapper writes its pid in order to be limited; none without cgroups. */
  readonly joins: readonly string[];
  /** Which limits those enforce. */
  readonly limited: readonly ('memory' | 'pids' | 'cpus')[];
  /** By source of a mount, where root has to bring it first since the user can't reach it. */
  readonly stages: ReadonlyMap<string, string>;
  /** The container's name, where there is one. */
  readonly container: string;
};
