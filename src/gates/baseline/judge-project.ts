/**
 * Judges the files of a project as they are now, before there is a run. The result is stored like that of a run, so
 * that the first run on the same files uses it.
 */
import type { CommandContext, CommandRequest } from '../../engine/performer.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import { grantedTo } from '../../execution/environments/prepare-tree.ts';
import type { BaselineInput } from '../../protocol/contracts/baseline-contract.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { gateTreeOfProject } from '../../workspace/gate-tree.ts';
import { inspectProject } from '../../workspace/project.ts';
import { openShadowRepo, shadowRepoDir, treeOfCommit } from '../../workspace/shadow-repo.ts';
import type { GatePorts } from '../perform-gate.ts';
import { gatePerformer } from '../perform-gate.ts';
import { baselineKey } from './baseline-key.ts';
import { findBaseline, storeBaseline } from './baseline-store.ts';
import { unableIfNothingRan } from './unable-if-nothing-ran.ts';

export type ProjectGatePorts = Omit<GatePorts, 'findCommit'>;

export type ProjectGateRequest = Pick<CommandRequest, 'run' | 'key'> & {
  readonly input: Omit<BaselineInput, 'worksInProject'>;
};

/** The stored result on the files as they are now. Undefined: there is none, or nothing can be stored about them. */
export async function findJudged(
  request: ProjectGateRequest,
  ports: ProjectGatePorts,
): Promise<GateOutcome | undefined> {
  const git = workspacePortsFor(ports, request);
  const { commit } = await gateTreeOfProject(request.input.project, ports.stateDir, git);
  const key = await keyOf(commit, request, ports);
  return key === undefined ? undefined : findBaseline(ports.stateDir, key, ports.clock.now());
}

/** Runs the gate. `timeoutMs` bounds it further, as long as nothing is decided by that. */
export async function judgeProject(
  request: ProjectGateRequest,
  context: CommandContext<'gate'>,
  ports: ProjectGatePorts,
  timeoutMs = request.input.timeoutMs,
): Promise<GateOutcome> {
  const { run, key, input } = request;
  const commits: string[] = [];
  const gates = gatePerformer({
    ...ports,
    findCommit: () => Promise.resolve({ kind: 'in-project' }),
  });
  const outcome = await gates.perform(
    { run, key, input: { ...input, attempt: 0, timeoutMs: Math.min(timeoutMs, input.timeoutMs) } },
    {
      ...context,
      note: (note) => {
        if (note.kind === 'judges' && note.commit !== null) commits.push(note.commit);
        return context.note(note);
      },
    },
  );
  const decided = await unableIfNothingRan(input, outcome, input.project);
  const [judged] = commits;
  const stored = judged === undefined ? undefined : await keyOf(judged, request, ports);
  if (stored !== undefined) await storeBaseline(ports.stateDir, stored, decided, ports.clock.now());
  return decided;
}

async function keyOf(
  commit: string,
  request: ProjectGateRequest,
  ports: ProjectGatePorts,
): Promise<string | undefined> {
  const { stateDir } = ports;
  const { project, sandbox, unsafe } = request.input;
  const git = workspacePortsFor(ports, request);
  const { root, inside } = await inspectProject(git, { path: project, home: stateDir });
  const repo = await openShadowRepo(shadowRepoDir(stateDir, root), git);
  const content = await treeOfCommit(repo, commit);
  const { backend } = await ports.chooseBackend({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe,
  });
  const granted = grantedTo(sandbox, { ...ports, root });
  const subject = { root, content, inside, backend, granted };
  return baselineKey({ ...request.input, worksInProject: false }, subject, ports);
}
