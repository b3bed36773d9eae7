/** Runs one gate on the base of a run, before its first attempt, unless an earlier run has judged the same base. */
import { Refusal } from '../../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type { CommittedAttempt } from '../../execution/committed-attempt.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import { grantedTo } from '../../execution/environments/prepare-tree.ts';
import type { RunWorkspacePorts } from '../../execution/environments/run-workspace.ts';
import { runWorkspace } from '../../execution/environments/run-workspace.ts';
import { describeRefusal } from '../../execution/refusal-outcome.ts';
import type { BaselineInput, BaselineOutcome } from '../../protocol/contracts/baseline-contract.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import { openShadowRepo, treeOfCommit } from '../../workspace/shadow-repo.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import type { GatePorts } from '../perform-gate.ts';
import { gatePerformer } from '../perform-gate.ts';
import type { BaselineSubject } from './baseline-key.ts';
import { baselineKey } from './baseline-key.ts';
import { findBaseline, storeBaseline } from './baseline-store.ts';
import { unableIfNothingRan } from './unable-if-nothing-ran.ts';

export type BaselinePorts = Omit<GatePorts, 'findCommit'> & RunWorkspacePorts;

type Request = CommandRequest<'baseline'>;
type Context = CommandContext<'baseline'>;

export function baselinePerformer(ports: BaselinePorts): Performer<'baseline'> {
  return {
    command: 'baseline',
    perform: async (request, context) => {
      try {
        return request.input.worksInProject
          ? await judgeProject(request, context, ports)
          : await judgeBase(request, context, ports);
      } catch (error) {
        // What can't be done here keeps the gate from running; anything else thrown is a defect.
        if (!(error instanceof Refusal)) throw error;
        const { name } = request.input;
        const outcome: GateOutcome = { kind: 'unable', name, why: describeRefusal(error) };
        return { kind: 'judged', outcome, how: 'ran', content: null };
      }
    },
  };
}

/** The project may change while a run works in it, so nothing is stored about it. */
async function judgeProject(
  request: Request,
  context: Context,
  ports: BaselinePorts,
): Promise<BaselineOutcome> {
  const outcome = await runGateOn({ kind: 'in-project' }, request, context, ports);
  return { kind: 'judged', outcome, how: 'ran', content: null };
}

async function judgeBase(
  request: Request,
  context: Context,
  ports: BaselinePorts,
): Promise<BaselineOutcome> {
  const { input } = request;
  const { stateDir, clock } = ports;
  const { sandbox } = input;
  const { backend } = await ports.chooseBackend({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: input.unsafe,
  });
  const git = workspacePortsFor(ports, request);
  const { id: workspace, record, release } = await runWorkspace(request.run, input, ports, git);
  release(); // the first attempt continues in it
  const repo = await openShadowRepo(workspacePaths(workspace).project, git);
  const content = await treeOfCommit(repo, record.base);
  const { root, inside, base: commit } = record;
  const granted = grantedTo(sandbox, { ...ports, root });
  const subject: BaselineSubject = { root, content, inside, backend, granted };
  const key = await baselineKey(input, subject, ports);
  const known = key === undefined ? undefined : await findBaseline(stateDir, key, clock.now());
  if (known !== undefined)
    return { kind: 'judged', outcome: ofGate(input, known), how: 'reused', content };
  const committed: CommittedAttempt = { kind: 'committed', workspace, commit };
  const outcome = await runGateOn(committed, request, context, ports);
  if (key !== undefined) await storeBaseline(stateDir, key, outcome, clock.now());
  return { kind: 'judged', outcome, how: 'ran', content };
}

/** The gate of another run may have had another name, or may have been advisory. */
function ofGate({ name, warns, severity }: BaselineInput, stored: GateOutcome): GateOutcome {
  const { warns: _, severity: _severity, ...outcome } = stored;
  return {
    ...outcome,
    name,
    ...(warns === true ? { warns: true } : {}),
    ...(severity === undefined ? {} : { severity }),
  };
}

async function runGateOn(
  committed: CommittedAttempt,
  { run, key, input }: Request,
  context: Context,
  ports: BaselinePorts,
): Promise<GateOutcome> {
  const gates = gatePerformer({ ...ports, findCommit: () => Promise.resolve(committed) });
  const { worksInProject: _, ...gate } = input;
  const outcome = await gates.perform({ run, key, input: { ...gate, attempt: 0 } }, context);
  return ofGate(input, await unableIfNothingRan(input, outcome, input.project));
}
