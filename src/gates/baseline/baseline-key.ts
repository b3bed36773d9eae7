/**
 * Names everything that decides how a gate judges the base. Two runs with the same name share the result. Undefined
 * means that something decides that can't be named, so the gate runs.
 */
import { isAbsolute } from 'node:path';
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { defined } from '../../base/defined.ts';
import { passedIn } from '../../execution/environments/agent-policy.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { commandAccess } from '../../execution/environments/installation.ts';
import type { GrantedTo } from '../../execution/environments/prepare-tree.ts';
import { fileStamp } from '../../host/files/file-stamp.ts';
import { sumTree } from '../../host/files/tree/copy-tree.ts';
import { contentKey } from '../../host/git/git-object.ts';
import { which } from '../../host/process/which.ts';
import type { BaselineInput } from '../../protocol/contracts/baseline-contract.ts';
import type { Backend } from '../../sandbox/policy.ts';
import { PATH_INSIDE } from '../../sandbox/policy.ts';
import { gateLimits } from '../gate-policy.ts';

/** Raised when a gate is judged or counted in another way. */
const VERSION = 2;
const GRANT_BOUNDS = { entriesMax: 1000, bytesMax: 10_000_000 };

/** Programs that most checks start. Another version of one may judge in another way. */
const PROGRAMS = [
  ...['sh', 'bash', 'git', 'make', 'node', 'npm', 'npx', 'pnpm', 'yarn', 'bun', 'deno'],
  ...['python', 'python3', 'pip3', 'pytest', 'uv', 'poetry', 'tox', 'cargo', 'rustc', 'go'],
  ...['java', 'mvn', 'gradle', 'ruby', 'bundle', 'php', 'composer', 'dotnet'],
];

export type BaselineSubject = {
  /** The user's project. No other project ever gets its result. */
  readonly root: string;
  /** Names the files of the base. */
  readonly content: string;
  /** The user's folder inside the tree. */
  readonly inside: string;
  readonly backend: Backend;
  readonly granted: GrantedTo;
};

export async function baselineKey(
  input: BaselineInput,
  { root, content, inside, backend, granted }: BaselineSubject,
  { env }: Pick<ExecutionHost, 'env'>,
): Promise<string | undefined> {
  const {
    sandbox,
    command,
    timeoutMs,
    count = true,
    setupKey = null,
    workingDir,
    env: own,
  } = input;
  const { allowedWrites, report, coverage, protect, prove } = input;
  const { mounts, preflight, grants: _, hosts: _hosts, ...limits } = sandbox;
  // Folders of the user may change at any time, and reading them all would take longer than most gates.
  if (mounts.length > 0) return undefined;
  const copies = await sumCopies(granted);
  if (copies === undefined) return undefined;
  const isImage = backend === 'docker' || backend === 'podman';
  return contentKey(
    canonicalJson({
      version: VERSION,
      ...{ root, content, inside, setupKey, backend },
      gate: {
        command,
        timeoutMs,
        count,
        ...gateLimits(input),
        ...defined({ workingDir, own, allowedWrites, report, coverage, protect, prove }),
      },
      sandbox: { ...limits, preflight } as unknown as Json,
      granted: [...granted.record],
      copies,
      env: passedIn(env),
      programs: isImage ? [] : stampPrograms(command, granted, env),
    }),
  );
}

/** The content of the user's files that a gate gets a copy of. Undefined: one can't be read. */
async function sumCopies({ grants }: GrantedTo): Promise<readonly string[] | undefined> {
  const sums: string[] = [];
  for (const grant of grants) {
    if (grant.kind !== 'copy') continue;
    const sum = await sumTree(grant.from, GRANT_BOUNDS).catch(() => undefined); // it is gone
    if (sum === undefined) return undefined;
    sums.push(`${grant.to} ${sum.digest}`);
  }
  return sums;
}

/** The programs as the sandbox would find them. An image has its own, which its name stands for. */
function stampPrograms(
  command: readonly string[],
  granted: GrantedTo,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const { path } = commandAccess(command, granted, env);
  const inside = { PATH: [...path, PATH_INSIDE].join(':') };
  return [command[0] ?? '', ...PROGRAMS].flatMap((name) => {
    // A program of the project is one of its files.
    const found = name.includes('/') && !isAbsolute(name) ? undefined : which(name, inside);
    const stamp = found === undefined ? undefined : fileStamp(found);
    return stamp === undefined ? [] : [`${name} ${stamp}`];
  });
}
