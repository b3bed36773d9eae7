/**
 * Continues the conversation that an agent had in the run of an earlier step. A CLI finds a conversation in its home, and
 * often by the folder that it was about. So the new run begins with a copy of that home, and the sandbox shows its tree
 * at the path of the earlier one. The earlier run keeps its own home: a fork may continue it once more.
 */
import { join } from 'node:path';
import { parseRunId } from '../../base/ids.ts';
import { copyFolder } from '../../host/files/tree/copy-folder.ts';
import type { AttemptInput } from '../../protocol/contracts/attempt-contract.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { Backend } from '../../sandbox/policy.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { workspacePaths } from '../../workspace/workspace.ts';
import { FIRST_TREE } from './run-workspace.ts';

const HOME_BOUNDS = { entriesMax: 20_000, bytesMax: 500_000_000 };

/** The home that an agent has in one run, which has its conversations. */
export function agentHome(stateDir: string, run: string, { id }: Pick<AgentSpec, 'id'>): string {
  // An id may have a colon, which docker can't mount.
  const name = id.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_');
  return join(stateDir, 'homes', run, name);
}

/** Where the agent sees its tree. Undefined: where it is. Seatbelt shows every folder where it is. */
export function folderOfConversation(
  { continues }: Pick<AttemptInput, 'continues'>,
  { id }: Pick<Workspace, 'id'>,
  backend: Backend,
): string | undefined {
  const run = continues === undefined ? undefined : parseRunId(continues.folderOf);
  if (run === undefined || backend === 'seatbelt') return undefined;
  return workspacePaths({ ...id, run, attempt: FIRST_TREE }).work;
}

/** Whether the conversation is there. An attempt that continues one of its own run finds it in its home. */
export async function copyConversation(
  { why, agent, continues }: Pick<AttemptInput, 'why' | 'agent' | 'continues'>,
  { stateDir, home, shown }: { stateDir: string; home: string; shown: string | undefined },
): Promise<boolean> {
  if (why.kind !== 'continued') return true;
  if (continues === undefined || shown === undefined) return false;
  return copyFolder(agentHome(stateDir, continues.run, agent), home, HOME_BOUNDS);
}
