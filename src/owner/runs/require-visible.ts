/**
 * Refuses a run if a gate, its setup or its own agent names a file that no sandbox shows. No attempt could succeed, and
 * each would be paid for.
 */
import { relative } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { worksInProject } from '../../attempts/choice/works-in-project.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { HiddenFile } from '../../execution/environments/hidden-files.ts';
import { findHiddenFile } from '../../execution/environments/hidden-files.ts';
import { commandAccess } from '../../execution/environments/installation.ts';
import { fileStamp } from '../../host/files/file-stamp.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { AgentSpec, PinnedGate, PinnedSandbox } from '../../protocol/pinned-settings.ts';

type Agent = Pick<AgentSpec, 'id' | 'cli' | 'command' | 'inProject'>;

export type RunToSee = {
  readonly project: string;
  readonly agents: readonly Agent[];
  readonly gates: readonly Pick<PinnedGate, 'name' | 'command'>[];
  readonly setup: { readonly command: readonly string[] } | null;
  readonly sandbox: Pick<PinnedSandbox, 'mounts' | 'grants'>;
  readonly unsafe: boolean;
};

/** What this check needs of a submission. */
export function runToSee({ project, settings }: Submission): RunToSee {
  const { agent, chain = [agent], gates = [], setup, sandbox, unsafe = false } = settings;
  return { project, agents: chain, gates, setup, sandbox, unsafe };
}

type Host = Pick<ExecutionHost, 'env' | 'userDir'>;

/** Refuses with `sandbox.file-hidden`. An agent counts only if no other agent of the run could work. */
export function requireVisible(run: RunToSee, host: Host): void {
  const { agents, gates, setup, unsafe } = run;
  if (unsafe || agents.every((agent) => worksInProject(agent, unsafe))) return;
  for (const { name, command } of gates) requireVisibleFiles(`Gate ${name}`, command, run, host);
  if (setup !== null) requireVisibleFiles('The setup', setup.command, run, host);
  const hidden = agents.map((agent) => agentRefusal(agent, run, host));
  const [first] = hidden;
  if (first !== undefined && !hidden.includes(undefined)) throw first;
}

type Seen = Pick<RunToSee, 'project' | 'sandbox'>;

/** Undefined: every file that the command of this agent names is visible, or it is no agent of the user. */
export function agentRefusal(agent: Agent, run: Seen, host: Host): Refusal | undefined {
  const { id, cli, command } = agent;
  if (cli !== 'custom' || !command) return undefined;
  const hidden = hiddenFile(command, run, host);
  return hidden && refusal(`Agent ${id}`, hidden, run.project);
}

export function requireVisibleFiles(
  what: string,
  command: readonly string[],
  run: Seen,
  host: Host,
): void {
  const hidden = hiddenFile(command, run, host);
  if (hidden !== undefined) throw refusal(what, hidden, run.project);
}

function hiddenFile(
  command: readonly string[],
  { project, sandbox: { mounts, grants } }: Seen,
  { env, userDir }: Host,
): HiddenFile | undefined {
  const { read } = commandAccess(command, { read: [], path: [] }, env);
  const shown = [...mounts.map(({ to }) => to), ...grants.toolchains, ...read];
  return findHiddenFile(command, { project, userDir, shown, isFile });
}

function refusal(what: string, { word, path, why }: HiddenFile, project: string): Refusal {
  const mount = `show it to the sandbox, in your own config.yaml:\nsandbox:\n  mounts:\n    - {path: ${path}}`;
  const words = {
    tilde: {
      message: `${what} names ${word}, and only a shell replaces ~. Nothing was started.`,
      hint: `Write the whole path: ${path}. If it is an argument, also ${mount}`,
    },
    'in-project': {
      message: `${what} names ${path} in the project. Agents and gates work on a copy, which has another path. Nothing was started.`,
      hint: `Write the path from the folder of the project: ${relative(project, path)}`,
    },
    outside: {
      message: `${what} names ${path}, which is outside of the sandbox. Nothing was started.`,
      hint: `Copy the file into the project and name it there. Or ${mount}`,
    },
  }[why];
  return new Refusal({ code: 'sandbox.file-hidden', ...words, details: { path } });
}

function isFile(path: string): boolean {
  return fileStamp(path) !== undefined;
}
