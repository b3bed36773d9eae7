/**
 * The only place where git is started. Git runs programs that a repository names in many ways
 * (hooks, filters, drivers, monitors, pagers, helpers), and their names are free-form, so no list
 * of switches is enough by itself: work on an agent's files is done with a git directory of our
 * own, and the switches here are the second wall.
 */
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { runCommand } from '../host/process/run-command.ts';

export type GitPorts = {
  /** The absolute path of the program: what lies in a workspace must not be found instead. */
  readonly git: string;
  readonly clock: Clock;
  /** Names our processes, so that a dead owner's are found. */
  readonly tag: string;
  readonly deadlineMs?: number;
  /** Calls off what is under way, with `workspace.interrupted`. */
  readonly signal?: AbortSignal;
};

export type GitCall = {
  /** Without it git looks for a repository from the work tree upwards. */
  readonly gitDir?: string;
  /** Only to look for ignore rules there, or for a repository that we have just made. */
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Rules of the user's for files that are never looked at, besides those in the tree. */
  readonly excludesFile?: string;
  readonly stdin?: string;
  /** Codes other than 0 that are an answer and no failure. */
  readonly okCodes?: readonly number[];
  readonly outputBytesMax?: number;
  readonly deadlineMs?: number;
  /** What it writes need not outlive a power cut. */
  readonly isThrowAway?: boolean;
  /** Lets git find the user's own configuration; only for asking what it says. */
  readonly userHome?: string;
  /** Who the author is, and when: the same call then makes the same commit. */
  readonly signature?: Signature;
  /** `check-ignore` refuses to be told that paths are no patterns; start them with `./` then. */
  readonly takesPatterns?: boolean;
  /** Lets git read another repository of this machine, with this file for its configuration. */
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

/** All of git's environment: nothing of ours or the user's is inherited. */
export function gitEnvironment(call: GitCall): Readonly<Record<string, string>> {
  const config: (readonly [string, string])[] = [
    ...OVERRIDES,
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
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
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

/** Each call has a tag of its own: what ends one of several at once must not end the others. */
let calls = 0;

/** Runs git to its end. Whatever it does not answer is a refusal in its own last words. */
export async function runGit(
  ports: GitPorts,
  args: readonly string[],
  call: GitCall,
): Promise<GitAnswer> {
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
      deadlineMs: call.deadlineMs ?? ports.deadlineMs ?? DEADLINE_MS,
      outputBytesMax: call.outputBytesMax ?? OUTPUT_BYTES_MAX,
      ...(ports.signal === undefined ? {} : { signal: ports.signal }),
    },
  );
  const verb = args.find((arg) => !arg.startsWith('-')) ?? '';
  switch (answer.kind) {
    case 'ended':
      if (answer.code === 0 || call.okCodes?.includes(answer.code) === true) return answer;
      throw failed(`git ${verb} failed: ${lastWords(answer.stderr)}`);
    case 'late':
      throw failed(`git ${verb} did not come to an end in time.`);
    case 'called-off':
      throw interrupted();
    case 'flooded':
      throw failed(`git ${verb} said more than can be kept.`);
    case 'not-started':
      throw failed(`git could not be started: ${answer.message}`);
  }
}

/** To be called between the parts of long work. */
export function checkNotCalledOff({ signal }: Pick<GitPorts, 'signal'>): void {
  if (signal?.aborted === true) throw interrupted();
}

function interrupted(): Refusal {
  return new Refusal({
    code: 'workspace.interrupted',
    message: 'The work was called off before all of it was done.',
    hint: 'What is in the workspace stays there. Say it again to complete it.',
  });
}

/** The parts of an answer that git ended with NUL. */
export function nulSeparated(stdout: Buffer): readonly string[] {
  const parts = stdout.toString('utf8').split('\0');
  parts.pop();
  return parts;
}

const WORDS_MAX = 300;

function lastWords(stderr: string): string {
  const lines = stderr.trim().split('\n');
  const told = lines.find((line) => line.startsWith('fatal:') || line.startsWith('error:'));
  return (told ?? lines.at(-1) ?? '').slice(0, WORDS_MAX);
}

function failed(message: string): Refusal {
  return new Refusal({
    code: 'workspace.git-failed',
    message,
    hint: 'See that the repository is sound with: git fsck',
  });
}
