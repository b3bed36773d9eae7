/** Which steps of a workflow could begin: for each role, whether one of its agents can be started and reach a model. */
import { Refusal } from '../../base/errors.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { PinnedRole, WorkflowStep } from '../../protocol/workflow-definition.ts';
import { agentRefusals } from './preflight-agents.ts';
import type { AgentToCheck } from './preflight-agents.ts';
import type { PreflightPorts } from './run-preflight.ts';

/** Why one agent of a role can't start. */
type UnreadyAgent = { readonly id: string; readonly refusal: Refusal };

/** The agents of a role in their order, and those of them that can't start. */
export type RoleReadiness = {
  readonly role: string;
  readonly agents: readonly string[];
  readonly unready: readonly UnreadyAgent[];
};

/** Asks each agent once, although several roles may have it. */
export async function checkRoles(
  { settings: { workflow } }: Pick<WorkflowSubmission, 'settings'>,
  request: Pick<RunRequest, 'project' | 'unsafe'>,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<readonly RoleReadiness[]> {
  const asked = new Map<string, Promise<Refusal | undefined>>();
  const askOnce = (agent: AgentSpec, role: PinnedRole): Promise<Refusal | undefined> => {
    const key = JSON.stringify([agent, role.settings.sandbox]);
    const answer = asked.get(key) ?? refusalOf(agent, role, request, ports);
    asked.set(key, answer);
    return answer;
  };
  return Promise.all(
    Object.entries(workflow.roles).map(async ([name, role]) => {
      const { agent, chain = [agent] } = role.settings;
      const all = await Promise.all(
        chain.map(async (one) => ({ id: one.id, refusal: await askOnce(one, role) })),
      );
      const unready = all.flatMap(({ id, refusal }) =>
        refusal === undefined ? [] : [{ id, refusal }],
      );
      return { role: name, agents: chain.map(({ id }) => id), unready };
    }),
  );
}

async function refusalOf(
  agent: AgentSpec,
  { settings }: PinnedRole,
  request: Pick<RunRequest, 'project' | 'unsafe'>,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<Refusal | undefined> {
  if (agent.cli === 'scripted') return undefined;
  const { backend, image } = settings.sandbox;
  // A sandbox that is missing is a finding of its own.
  const choice = await refusalOr(
    ports.executionHost.chooseBackend({ backend, image, unsafe: false }),
  );
  const sandbox = choice instanceof Refusal ? undefined : choice;
  const context: AgentToCheck = { request, settings, prompt: '', brief: undefined, sandbox };
  // The command that installs a missing program also logs in, so its first refusal is enough.
  return (await agentRefusals(agent, context, ports))[0];
}

/** What keeps a step from beginning, or what is wrong although it can begin. */
export type StepReadiness =
  | { readonly kind: 'ready' }
  | { readonly kind: 'limited'; readonly words: string; readonly hint: string | undefined }
  | { readonly kind: 'unable'; readonly refusal: Refusal };

/** Pure. A step is unable if one of its roles has no agent that can start. */
export function judgeStep(step: WorkflowStep, roles: readonly RoleReadiness[]): StepReadiness {
  const names = step.kind === 'role' ? [step.role] : step.kind === 'review' ? step.roles : [];
  const own = roles.filter(({ role, unready }) => names.includes(role) && unready.length > 0);
  const [first] = own.flatMap(({ unready }) => unready.map(({ refusal }) => refusal));
  if (first === undefined) return { kind: 'ready' };
  const { code, hint } = first.data;
  const isUnable = ({ agents, unready }: RoleReadiness): boolean => unready.length >= agents.length;
  const unable = own.filter(isUnable);
  if (unable.length === 0) return { kind: 'limited', words: describe(own), hint };
  const message = `it cannot begin. ${describe(unable)}`;
  return { kind: 'unable', refusal: new Refusal({ code, message, ...(hint && { hint }) }) };
}

function describe(roles: readonly RoleReadiness[]): string {
  const each = roles.map(({ role, unready }) => {
    const reasons = unready.map(({ id, refusal: { message } }) =>
      message.startsWith(id) ? message : `agent ${id}: ${message}`,
    );
    return `role ${role}: ${reasons.join(' ')}`;
  });
  return each.join(' ');
}

/** The verdict on all steps. Names each one that can't begin. */
export function stepsRefusal(unable: readonly (readonly [step: string, Refusal])[]): Refusal {
  const steps = unable.map(([step]) => step);
  const hints = [...new Set(unable.flatMap(([, { data }]) => data.hint ?? []))];
  const remedy = hints.length === 0 ? '' : `${hints.join(', or ')}. `;
  return new Refusal({
    code: unable[0]?.[1].data.code ?? 'agent.unavailable',
    message: `${steps.length === 1 ? 'The step' : 'The steps'} ${steps.join(', ')} cannot begin.`,
    hint: `${remedy}Or choose an agent that is ready with --agent: supervisor agents`,
  });
}
