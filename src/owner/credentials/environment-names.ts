/** Which variables a command should send: `PATH`, what its agents log in with, and what its setup may use. */
import { runAgents } from '../../attempts/choice/run-agents.ts';
import { PREFERRED_CLIS } from '../../doctor/supported-clis.ts';
import type { EnvironmentRequest } from '../../protocol/run-environment.ts';
import { SETUP_VARIABLES } from '../../protocol/run-environment.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { agentsOfRun } from './agents-of-run.ts';
import { namesFor } from './given-variables.ts';

const PATH = 'PATH';

/** For a command that creates a run or an agent. */
export function namesForRequest(request: EnvironmentRequest, settings: Settings): string[] {
  const agents = [...namedAgents(request, settings)];
  // A role may also name a CLI that is not configured.
  if (request.any === true) agents.push(...settings.agents, ...plainAgents(settings));
  const containment = { isContained: request.unsafe !== true };
  const login = agents.flatMap((one) => namesFor(one, containment));
  // Without a sandbox there is no setup.
  const setup = settings.setup === null || request.unsafe === true ? [] : SETUP_VARIABLES;
  return [...new Set([PATH, ...login, ...setup])];
}

/** If nothing is configured, the owner chooses a CLI, so it needs to know which of them has a key. */
function namedAgents(request: EnvironmentRequest, settings: Settings): readonly AgentSpec[] {
  const { agent, chain, model } = request;
  const isNamed = agent !== undefined || chain !== undefined;
  const isConfigured = settings.agents.length > 0 || settings.defaultAgent !== null;
  const named = { ...(agent && { agent }), ...(chain && { chain }), ...(model && { model }) };
  if (isNamed || isConfigured) return runAgents(named, settings, null).agents;
  return plainAgents(settings);
}

/** One agent of each CLI. */
function plainAgents(settings: Settings): readonly AgentSpec[] {
  return PREFERRED_CLIS.flatMap((cli) => runAgents({ agent: cli }, settings, null).agents);
}

/** For a command that continues a run: what its agents log in with, their secrets, and what its setup may use. */
export function namesInSubmission(submission: Pick<Submission, 'settings'>): string[] {
  const { setup, unsafe = false } = submission.settings;
  const containment = { isContained: !unsafe };
  const names = agentsOfRun(submission).flatMap((one) => [
    ...(one.given?.names ?? []),
    ...namesFor(one, containment),
    ...(one.secrets ?? []),
  ]);
  return [...new Set([...names, ...(setup ? SETUP_VARIABLES : [])])];
}
