/**
 * Applies a role to a request when it is submitted: the agent, the prompt with its context, the
 * form of the answer, and the gates. All of it is pinned here, so a later change of a file affects
 * only later runs.
 */
import { roleClis } from '../../attempts/choice/role-agents.ts';
import type { BriefStore } from '../../brief/brief-store.ts';
import { prepareBrief } from '../../brief/prepare-brief.ts';
import { ContextCache } from '../../context/context-cache.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { findSecretsIn } from '../../redaction/find-secrets.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { TrustedProject } from '../../trust/trusted-project.ts';
import type { PinnedBrief } from '../../protocol/pinned-settings.ts';
import { applyRole } from './apply-role.ts';

export type RoleBriefPorts = {
  readonly home: string;
  readonly project: TrustedProject;
  readonly store: Pick<BriefStore, 'save'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runCommand: (command: string) => Promise<string>;
};

export type RoleBrief = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly brief: PinnedBrief;
};

export async function briefRequest(
  request: RunRequest & { readonly role: string },
  settings: Settings,
  { home, project, store, env, runCommand }: RoleBriefPorts,
): Promise<RoleBrief> {
  const agentEnvs = settings.agents.map((agent) => agent.env);
  const redactor = new Redactor(findSecretsIn(env, ...agentEnvs));
  const { role, prompt, isOfProject } = await prepareBrief({
    home,
    project,
    role: request.role,
    task: request.task,
    targets: request.targets ?? [],
    clisOf: ({ cli }) => roleClis(cli, request, settings),
    redact: (text) => redactor.redact(text),
    cache: new ContextCache(), // a shared cache would hold the project's files in the owner's memory
    runCommand,
  });
  return {
    ...applyRole(role, isOfProject, request, settings),
    brief: {
      role: role.name,
      hash: await store.save(prompt),
      answer: role.answer,
      allowedTools: role.allowedTools.length === 0 ? null : role.allowedTools,
    },
  };
}
