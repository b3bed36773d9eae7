/**
 * The environment of a scripted agent: the same copy of the project as that of a contained agent, with the result of the
 * setup, and without a sandbox, because the program is part of Supervisor.
 */
import type { CommandRequest } from '../../engine/performer.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import { commitNote } from '../commit-note.ts';
import type { AttemptEnvironment, ExecutionHost } from './environment.ts';
import { unsandboxedEnvironment, workspacePortsFor } from './environment.ts';
import { grantedTo, prepareWorkspace } from './prepare-tree.ts';
import type { RunWorkspacePorts } from './run-workspace.ts';
import { runWorkspace } from './run-workspace.ts';

export async function copiedEnvironment(
  request: CommandRequest<'attempt'>,
  input: AttemptInput,
  ports: ExecutionHost & RunWorkspacePorts,
  cancelSignal: AbortSignal,
): Promise<AttemptEnvironment> {
  const git = workspacePortsFor(ports, request);
  await using resources = new AsyncDisposableStack();
  const workspace = await runWorkspace(request.run, input, ports, { ...git, signal: cancelSignal });
  resources.defer(() => workspace.release());
  const { id, work, cwd, record } = workspace;
  const { stateDir } = ports;
  const granted = grantedTo(input.sandbox, { ...ports, root: record.root });
  await prepareWorkspace(workspace, { stateDir, setup: input.setupKey ?? null, granted });
  const ownedResources = resources.move();
  return {
    ...unsandboxedEnvironment(request, input, ports, cwd),
    tree: { folder: work, copyOf: record.root },
    commitWork: async (signal) => commitNote(id, await commitWorkspace(id, { ...git, signal })),
    [Symbol.asyncDispose]: () => ownedResources.disposeAsync(),
  };
}
