/** Performs the commands of a merge queue. Each can be repeated without harm. */
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type {
  MergeWorkResult,
  OpenBaseResult,
  WriteInterfacesResult,
} from '../../protocol/contracts/merge-contract.ts';
import { discardWorkspace } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { mergeInto } from '../../workspace/merge-into.ts';
import { inspectProject } from '../../workspace/project.ts';
import { openShadowRepo, treeOfCommit } from '../../workspace/shadow-repo.ts';
import { writeOnto } from '../../workspace/write-onto.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import type { ExecutionHost } from '../environments/environment.ts';
import { workspacePortsFor } from '../environments/environment.ts';
import { FIRST_TREE } from '../environments/run-workspace.ts';
import { describeRefusal } from '../refusal-outcome.ts';
import { workAt } from '../work-point.ts';
import { findInterfaceFaults } from './interface-faults.ts';

export type MergeWorkPorts = Pick<
  ExecutionHost,
  'git' | 'clock' | 'tagOf' | 'userDir' | 'stateDir'
>;

export function openBasePerformer(ports: MergeWorkPorts): Performer<'open-base'> {
  return {
    command: 'open-base',
    perform: (request, context) =>
      orRefused(() => openBase(request, portsOf(ports, request, context), ports.stateDir)),
  };
}

export function mergeWorkPerformer(ports: MergeWorkPorts): Performer<'merge-work'> {
  return {
    command: 'merge-work',
    perform: (request, context) =>
      orRefused(() => mergeWork(request, portsOf(ports, request, context), ports.stateDir)),
  };
}

export function writeInterfacesPerformer(ports: MergeWorkPorts): Performer<'write-interfaces'> {
  return {
    command: 'write-interfaces',
    perform: (request, context) =>
      orRefused(() => writeInterfaces(request, portsOf(ports, request, context), ports.stateDir)),
  };
}

function portsOf(
  ports: MergeWorkPorts,
  request: CommandRequest<'open-base' | 'merge-work' | 'write-interfaces'>,
  { cancelSignal }: Pick<CommandContext<'merge-work'>, 'cancelSignal'>,
): WorkspacePorts {
  return { ...workspacePortsFor(ports, request), signal: cancelSignal };
}

async function orRefused<Result>(
  work: () => Promise<Result>,
): Promise<Result | { readonly kind: 'refused'; readonly why: string }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', why: describeRefusal(error) };
  }
}

/** The record and the commit of the workspace stay. Its files are not needed: no agent works there. */
async function openBase(
  { run, input: { project, commit: from, tree = FIRST_TREE } }: CommandRequest<'open-base'>,
  git: WorkspacePorts,
  home: string,
): Promise<OpenBaseResult> {
  const request = { path: project, home, run, attempt: tree, ...defined({ from }) };
  const { id, record, release } = await createWorkspace(request, git);
  release();
  await discardWorkspace(id, git);
  const repo = await openShadowRepo(workspacePaths(id).project, git);
  const content = await treeOfCommit(repo, record.base);
  return { kind: 'opened', work: { run, tree, commit: record.base, content } };
}

async function mergeWork(
  { run, input: { project, base, work, tip } }: CommandRequest<'merge-work'>,
  git: WorkspacePorts,
  home: string,
): Promise<MergeWorkResult> {
  const { root } = await inspectProject(git, { path: project, home });
  const own = { home, root, run, attempt: FIRST_TREE };
  const merged = await mergeInto(own, git, {
    base: workAt(base, home, root),
    work: workAt(work, home, root),
    tip: workAt(tip, home, root),
  });
  if (merged.kind === 'conflict') {
    const { kind, files, diff } = merged;
    return { kind, files, text: diff };
  }
  const { kind, commit, content, names } = merged;
  return { kind, names, work: { run, tree: FIRST_TREE, commit, content } };
}

async function writeInterfaces(
  { run, input: { project, tip, files, tree } }: CommandRequest<'write-interfaces'>,
  git: WorkspacePorts,
  home: string,
): Promise<WriteInterfacesResult> {
  const faults = await findInterfaceFaults(files);
  if (faults.length > 0) return { kind: 'invalid', faults };
  const { root } = await inspectProject(git, { path: project, home });
  const own = { home, root, run, attempt: tree };
  const written = await writeOnto(own, git, workAt(tip, home, root), files);
  if (written.kind === 'in-the-way')
    return { kind: 'invalid', faults: written.paths.map((path) => `${path} is in the way`) };
  const { commit, content, names } = written;
  return { kind: 'written', names, work: { run, tree, commit, content } };
}
