/** Pins every role of a workflow when it is submitted: its files, its agents, and the settings for its steps. */
import { defined } from '../../base/defined.ts';
import { isRefusal, Refusal } from '../../base/errors.ts';
import { loadBriefParts, pinParts } from '../../brief/brief-parts.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AgentSpec, AttemptSettings } from '../../protocol/pinned-settings.ts';
import type { PinnedRole, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import type { Settings } from '../../settings/settings.ts';
import type { FileTexts, TrustedProject } from '../../trust/trusted-project.ts';
import { applyRole } from '../runs/apply-role.ts';
import type { SubmissionParts } from '../runs/submission.ts';
import { buildSubmission } from '../runs/submission.ts';

export type PinRolesPorts = {
  readonly home: string;
  readonly project: TrustedProject;
  /** How the files of the roles are read. Absent: from the disk. */
  readonly files?: FileTexts;
  /** The CLI to use if no agent is configured. */
  readonly defaultAgent: (request: RunRequest, settings: Settings) => Promise<string | null>;
  readonly parts: Pick<SubmissionParts, 'environment' | 'path'>;
};

export async function pinRoles(
  definition: WorkflowDefinition,
  request: RunRequest,
  settings: Settings,
  ports: PinRolesPorts,
): Promise<Readonly<Record<string, PinnedRole>>> {
  const pinned: Record<string, PinnedRole> = {};
  for (const [name, step] of rolesOf(definition))
    pinned[name] = await namingStep(step, name, () => pinRole(name, request, settings, ports));
  return pinned;
}

/** Every role that a step names, with the first such step. */
function rolesOf({ steps }: WorkflowDefinition): ReadonlyMap<string, string> {
  const roles = new Map<string, string>();
  for (const step of Object.values(steps)) {
    const named = step.kind === 'role' ? [step.role] : step.kind === 'review' ? step.roles : [];
    for (const name of named) if (!roles.has(name)) roles.set(name, step.id);
  }
  return roles;
}

/** A refusal that names the step, because the person named a workflow and not a role. */
async function namingStep<Value>(
  step: string,
  role: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { message, ...data } = error.data;
    throw new Refusal({ ...data, message: `The step ${step} (role ${role}): ${message}` });
  }
}

async function pinRole(
  name: string,
  request: RunRequest,
  settings: Settings,
  { home, project, files, defaultAgent, parts }: PinRolesPorts,
): Promise<PinnedRole> {
  const { isOfProject, ...loaded } = await loadBriefParts({
    ...{ home, project, role: name },
    ...defined({ files }),
  });
  // The gates of the project are steps of the workflow. Those of the role check each of its steps.
  const own = { ...settings, gates: [] };
  const applied = applyRole(loaded.role, isOfProject, request, own);
  const submission = buildSubmission(applied.request, applied.settings, {
    ...parts,
    defaultAgent: await defaultAgent(applied.request, applied.settings),
  });
  return {
    answer: loaded.role.answer,
    role: pinParts(loaded),
    isOfProject,
    settings: inCopies(submission.settings),
  };
}

/** A step hands its work on as a commit, so none of its agents works in the project itself. */
export function inCopies(settings: AttemptSettings): AttemptSettings {
  const { agent, chain, unsafe = false } = settings;
  const inCopy = (one: AgentSpec): AgentSpec => {
    const { inProject: _, ...spec } = one;
    return unsafe ? { ...spec, inProject: false } : spec;
  };
  return {
    ...settings,
    agent: inCopy(agent),
    ...(chain === undefined ? {} : { chain: chain.map(inCopy) }),
  };
}
