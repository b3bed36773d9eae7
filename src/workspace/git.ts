/**
 * The only place that starts git. Git runs programs that a repository names in many ways (hooks, filters, drivers,
 * monitors, pagers, helpers). The names are free-form, so no list of switches is sufficient alone. Work on an agent's
 * files therefore uses our own git directory, and the switches here are the second line of defence.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { realPath } from '../host/files/real-path.ts';
import { runCommand } from '../host/process/run-command.ts';

export type GitPorts = {
  /** The absolute path of git, so that no program in a workspace is found instead. */
  readonly git: string;
  readonly clock: Clock;
  /** Tags our processes, so that those of a dead owner are found. */
  readonly tag: string;
  readonly deadlineMs?: number;
  /** Cancels the running call with `workspace.interrupted`. */
  readonly signal?: AbortSignal;
  /** Called often while many files are read or written. */
  readonly onProgress?: (progress: TreeProgress) => void;
};

/** How far the work on a tree is. Null: the number is unknown. */
export type TreeProgress = {
  readonly stage: 'reading' | 'writing' | 'committing';
  readonly done: number | null;
  readonly total: number | null;
};

export type GitCall = {
  /** Without it git searches for a repository from the work tree upwards. */
  readonly gitDir?: string;
  /** Used only to find ignore rules, or for a repository that we have just created. */
  readonly workTree?: string;
  readonly indexFile?: string;
  /** The user's ignore rules besides those in the tree. */
  readonly excludesFile?: string;
  readonly stdin?: string;
  /** Exit codes other than 0 that are an answer and not a failure. */
  readonly okCodes?: readonly number[];
  readonly outputBytesMax?: number;
  readonly deadlineMs?: number;
  /** The written objects need not survive a power cut. */
  readonly isThrowAway?: boolean;
  /** Lets git find the user's own configuration. Only for reading a setting. */
  readonly userHome?: string;
  /** The author and the time. With it, the same call always makes the same commit. */
  readonly signature?: Signature;
  /** `check-ignore` does not accept literal pathspecs. Begin each path with `./` instead. */
  readonly takesPatterns?: boolean;
  /** Lets git read another repository of this machine, with this file as its configuration. */
  readonly readsOther?: string;
};

export type Signature = { readonly name: string; readonly email: string; readonly atMs: number };

export type GitAnswer = { readonly code: number; readonly stdout: Buffer };

const DEADLINE_MS = 120_000;
const OUTPUT_BYTES_MAX = 256_000_000;

const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.askPass', 'false'],
  ['core.autocrlf', 'false'],
  ['core.safecrlf', 'false'],
  ['core.fileMode', 'true'],
  ['core.symlinks', 'true'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['credential.helper', ''],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gpg.program', 'false'],
  ['diff.external', ''],
  ['diff.renames', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['protocol.allow', 'never'],
  ['safe.directory', '*'],
  ['uploadpack.packObjectsHook', ''],
];

function configVariables(
  config: readonly (readonly [key: string, value: string])[],
  first = 0,
): Readonly<Record<string, string>> {
  const variables = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return Object.fromEntries(variables) as Readonly<Record<string, string>>;
}

/** The same for every call. A busy owner makes hundreds of calls in a second. */
const OVERRIDE_VARIABLES = configVariables(OVERRIDES);

/** The whole environment of git. Nothing is inherited from us or the user. */
export function gitEnvironment(call: GitCall): Readonly<Record<string, string>> {
  const config: readonly (readonly [string, string])[] = [
    ['core.excludesFile', call.excludesFile ?? '/dev/null'],
    ['core.fsync', call.isThrowAway === true ? 'none' : 'pack,pack-metadata,reference'],
    ['protocol.file.allow', call.readsOther === undefined ? 'never' : 'always'],
  ];
  const { name, email, atMs } = call.signature ?? { name: '', email: '', atMs: 0 };
  const date = `@${Math.floor(atMs / 1000)} +0000`;
  return {
    LC_ALL: 'C',
    ...(call.gitDir === undefined ? {} : { GIT_DIR: call.gitDir }),
    ...(call.gitDir === undefined || call.workTree === undefined
      ? {}
      : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    ...(call.userHome === undefined
      ? { GIT_CONFIG_GLOBAL: call.readsOther ?? '/dev/null' }
      : { HOME: call.userHome }),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    ...(call.takesPatterns === true ? {} : { GIT_LITERAL_PATHSPECS: '1' }),
    GIT_CONFIG_COUNT: String(OVERRIDES.length + config.length),
    ...OVERRIDE_VARIABLES,
    ...configVariables(config, OVERRIDES.length),
    ...(call.signature === undefined
      ? {}
      : {
          GIT_AUTHOR_NAME: name,
          GIT_AUTHOR_EMAIL: email,
          GIT_AUTHOR_DATE: date,
          GIT_COMMITTER_NAME: name,
          GIT_COMMITTER_EMAIL: email,
          GIT_COMMITTER_DATE: date,
        }),
  };
}

/** Each call has its own tag, so that ending one call does not end concurrent ones. */
let calls = 0;

/** Runs git to its end. A failure becomes a refusal with git's own error line. */
export async function runGit(
  ports: GitPorts,
  args: readonly string[],
  call: GitCall,
): Promise<GitAnswer> {
  const deadlineMs = call.deadlineMs ?? ports.deadlineMs ?? DEADLINE_MS;
  const answer = await runCommand(
    {
      argv: [ports.git, ...args],
      cwd: call.workTree ?? call.gitDir ?? '/',
      env: gitEnvironment(call),
      ...(call.stdin === undefined ? {} : { stdin: call.stdin }),
    },
    {
      clock: ports.clock,
      tag: `${ports.tag}/git/${(calls += 1)}`,
      deadlineMs,
      outputBytesMax: call.outputBytesMax ?? OUTPUT_BYTES_MAX,
      ...(ports.signal === undefined ? {} : { signal: ports.signal }),
    },
  );
  const verb = args.find((arg) => !arg.startsWith('-')) ?? '';
  switch (answer.kind) {
    case 'ended':
      if (answer.code === 0 || call.okCodes?.includes(answer.code) === true) return answer;
      throw failed(`git ${verb} failed: ${errorLine(answer.stderr)}`);
    case 'late':
      throw failed(
        `${ports.git} has not answered \`git ${verb}\` within ${deadlineMs / 1000} s.`,
        `Check that this git works, and that the disk of ${call.workTree ?? call.gitDir ?? '/'} answers. To use another git, change PATH.`,
      );
    case 'called-off':
      throw interrupted();
    case 'flooded':
      throw failed(`git ${verb} printed more than the limit.`);
    case 'not-started': {
      const { workTree } = call;
      if (workTree !== undefined && (await realPath(workTree)) === undefined)
        throw goneFolder(workTree);
      throw failed(`${answer.message}.`, NO_GIT);
    }
  }
}

/** Call it between the parts of long work. */
export function checkNotCancelled({ signal }: Pick<GitPorts, 'signal'>): void {
  if (signal?.aborted === true) throw interrupted();
}

function interrupted(): Refusal {
  return new Refusal({
    code: 'workspace.interrupted',
    message: 'The operation was cancelled before it was complete.',
    hint: 'The workspace is unchanged. Run the command again to complete it.',
  });
}

/** The parts of an output in which git ends each part with NUL. */
export function nulSeparated(stdout: Buffer): readonly string[] {
  const parts = stdout.toString('utf8').split('\0');
  parts.pop();
  return parts;
}

const ERROR_CHARS_MAX = 300;

function errorLine(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const reported = lines.find((line) => line.startsWith('fatal:') || line.startsWith('error:'));
  return (reported ?? lines.at(-1) ?? '').slice(0, ERROR_CHARS_MAX);
}

/** A project that is moved or deleted meanwhile also keeps git from starting. */
function goneFolder(folder: string): Refusal {
  return new Refusal({
    code: 'workspace.unsupported',
    message: `The folder ${folder} does not exist any more.`,
    hint: 'Restore it first. If you have moved the project, give the task again in its new folder.',
  });
}

const NO_GIT = 'Install git. To see what this machine has: supervisor doctor';

function failed(message: string, hint = 'Check the repository with: git fsck'): Refusal {
  return new Refusal({ code: 'workspace.git-failed', message, hint });
}
