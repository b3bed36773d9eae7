/**
 * Checks whether each agent of a run could start: its program is installed and recent enough, it
 * accepts the request, and it has credentials.
 */
import { adapterFor } from '../../adapters/adapters.ts';
import type { ChainSettings } from '../../attempts/choice/chain.ts';
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import { agentIdentity } from '../../attempts/choice/identity.ts';
import { findProgram, isInsideProject } from '../../execution/environments/installation.ts';
import { unwrapNpx } from '../../execution/environments/npx.ts';
import { missingKeyRefusal } from '../../execution/model-gateway/model-gateway.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import { at, isoTime } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { installCli } from '../../doctor/install-commands.ts';
import { judgeVersion } from '../../doctor/judge-answer.ts';
import { isExpired, probeLogins } from '../../doctor/probe-logins.ts';
import { probeProgram } from '../../doctor/probe-program.ts';
import { isLogin, missingKeys } from '../../gateway/network/upstreams.ts';
import { answerJsonSchema } from '../../protocol/answer.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Backend } from '../../sandbox/policy.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../../sandbox/policy.ts';
import type { Checklist, CheckResult } from './checklist.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { PreflightPorts } from './run-preflight.ts';
import { agentRefusal } from '../runs/require-visible.ts';
import { projectSecrets } from '../project-settings.ts';
import type { AgentSpec, PinnedBrief, PinnedSandbox } from '../../protocol/pinned-settings.ts';

export type AgentsToCheck = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly chain: ChainSettings;
  /** The prompt of the first attempt. */
  readonly prompt: string;
  readonly brief: PinnedBrief | undefined;
  /** The sandbox of the run. Undefined if none is needed or none is available. */
  readonly sandbox: { readonly backend: Backend } | undefined;
};

/** If at least one agent can start, problems of the others are only warnings. */
export async function checkAgents(
  context: AgentsToCheck,
  ports: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const { agents, order } = context.chain;
  const candidates =
    context.request.once === true && order === 'as-listed' ? agents.slice(0, 1) : agents;
  const results = await Promise.all(
    candidates.map(async (agent) => {
      const result = await tryCheck(() => checkAgent(withoutSecrets(agent), context, ports));
      return { agent, result };
    }),
  );
  const canAnyStart = results.some(({ result }) => !(result instanceof Refusal));
  for (const { agent, result } of results) {
    const [id, title] = [`agent:${agent.id}`, agentTitle(agent)];
    const twin = candidates.find((other) => agentIdentity(other) === agentIdentity(agent));
    if (result instanceof Refusal) list.failed(id, title, result, { isTolerable: canAnyStart });
    else if (twin !== undefined && twin.id !== agent.id)
      await list.check(id, title, () => duplicateResult(twin, result));
    else await list.check(id, title, () => result);
  }
  if (context.request.ignoreCooldown !== true)
    await checkCooldowns(candidates, context, ports, list);
}

/** A chain has each identity once, so this agent would never be tried. */
function duplicateResult({ id }: AgentSpec, results: CheckResult<null>): CheckResult<null> {
  const words = `the same agent to its provider as ${id}: a run tries only that one`;
  const hint = 'Give it its own key, address, model or arguments, or remove it.';
  return { ...results, words, warning: { words, hint } };
}

/** The input for the check of one agent. */
export type AgentToCheck = Pick<AgentsToCheck, 'prompt' | 'brief' | 'sandbox'> & {
  readonly request: Pick<RunRequest, 'project' | 'unsafe'>;
  readonly settings: { readonly sandbox: Pick<PinnedSandbox, 'mounts' | 'grants'> };
};

/** All refusals of one agent. If its program is missing, its credentials are checked too. */
export async function agentRefusals(
  agent: AgentSpec,
  context: AgentToCheck,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<readonly Refusal[]> {
  const results = await tryCheck(() => checkAgent(agent, context, ports));
  if (!(results instanceof Refusal)) return [];
  const skipCredentials =
    results.data.code !== 'agent.unavailable' || context.request.unsafe === true;
  const credentials = skipCredentials
    ? undefined
    : await tryCheck(() => checkCredentials(agent, ports));
  return credentials instanceof Refusal ? [results, credentials] : [results];
}

function agentTitle({ id, cli }: AgentSpec): string {
  return id === cli ? `agent ${id}` : `agent ${id} (${cli})`;
}

async function tryCheck<Value>(
  work: () => Promise<CheckResult<Value>>,
): Promise<CheckResult<Value> | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error; // anything else is a defect
  }
}

async function checkAgent(
  agent: AgentSpec,
  context: AgentToCheck,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const { options, executionHost } = ports;
  const secrets = await projectSecrets(options, agent);
  const withSecrets = { ...agent, env: { ...agent.env, ...secrets } };
  const program = resolveProgram(withSecrets, context, options.node, executionHost.env);
  if (agent.cli === 'scripted') return { value: null, words: 'built in' };
  const hidden =
    context.request.unsafe === true
      ? undefined
      : agentRefusal(agent, { ...context.request, ...context.settings }, executionHost);
  if (hidden !== undefined) throw hidden;
  const found = await checkProgram(agent.cli, program, context, ports);
  const credentials =
    context.request.unsafe === true
      ? await checkOwnLogin(agent.cli, executionHost, { ...options.env, ...withSecrets.env })
      : await checkCredentials(withSecrets, ports);
  const words = `${found.words}, ${credentials.words}`;
  const warning = found.warning ?? credentials.warning;
  return { value: null, words, ...(warning === undefined ? {} : { warning }) };
}

/** The program that would be started. Refuses a request that the CLI does not support. */
function resolveProgram(
  agent: AgentSpec,
  { request, prompt, brief, sandbox }: AgentToCheck,
  node: string,
  env: PreflightPorts['executionHost']['env'],
): string {
  const adapter = adapterFor(agent);
  if (adapter === undefined)
    throw new Refusal({ code: 'agent.unknown', message: `No adapter can run ${agent.cli}.` });
  const invocation = adapter.command({
    agent,
    prompt,
    node,
    workspace: request.project,
    home: HOME_INSIDE,
    promptFile: `${HOME_INSIDE}/prompt.md`,
    resume: null,
    session: null,
    gateway: { baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`, token: 'sv-' },
    limits: null,
    contained: true,
    allowedTools: brief?.allowedTools ?? null,
    answerSchema: brief === undefined ? null : answerJsonSchema(brief.answer),
    orchestrates: false,
  });
  if (invocation.kind === 'refused')
    throw new Refusal({ code: 'usage.invalid', message: `${agent.cli} ${invocation.why}.` });
  const { argv } = invocation;
  if (request.unsafe === true || hasImage(sandbox)) return argv[0];
  const unwrapped = unwrapNpx(argv, request.project, env);
  if (unwrapped.kind === 'missing')
    throw new Refusal({ code: 'agent.unavailable', message: `${unwrapped.message}.` });
  return unwrapped.argv[0];
}

/** The image may contain programs that this machine lacks. */
function hasImage(sandbox: AgentToCheck['sandbox']): boolean {
  return sandbox?.backend === 'docker' || sandbox?.backend === 'podman';
}

async function checkProgram(
  cli: string,
  program: string,
  { sandbox, request }: AgentToCheck,
  { options, executionHost }: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const known = AGENT_CLI_FACTS.find((facts) => facts.cli === cli);
  const isOwn = isInsideProject(program);
  const installed = findProgram(program, request.project, executionHost.env);
  if (installed === undefined) {
    const words = isOwn
      ? `${program} is not an executable file of the project`
      : `${program} is not installed, or not in your PATH`;
    if (!isOwn && hasImage(sandbox) && request.unsafe !== true)
      return { value: null, words, warning: { words: `${words}; the image must contain it` } };
    const hint = known === undefined ? undefined : `${installCli(known.npm)} && ${known.login}`;
    throw new Refusal({
      code: 'agent.unavailable',
      message: `${words}.`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (known === undefined) return { value: null, words: installed };
  const ports = { clock: options.clock, random: options.random, env: executionHost.env };
  const because = `its output may not be understood (${known.tried} is tested)`;
  const version = await probeProgram([program, '--version'], ports);
  const { state, found, note } = judgeVersion(version, { least: known.least, because });
  const words = found ?? installed;
  if (state === 'ok') return { value: null, words };
  const hint = installCli(known.npm);
  if (state === 'limited')
    return { value: null, words, warning: { words: `${words}: ${note ?? ''}`, hint } };
  throw new Refusal({
    code: 'agent.unavailable',
    message: `${program} does not start: ${note ?? 'it does not exist'}.`,
    hint,
  });
}

/** The credentials of its model calls, found in the same way as by an attempt. */
async function checkCredentials(
  agent: AgentSpec,
  { options, executionHost }: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const { clock, userDir, ownerEnv } = executionHost;
  const { upstreams } = await findCredentials(agent, { clock, userDir, ownerEnv });
  const missing = missingKeys(agent.cli, upstreams);
  if (missing.length > 0) throw missingKeyRefusal(agent.cli, missing);
  const needsNoKey = Object.keys(upstreams).length === 0;
  if (needsNoKey) return { value: null, words: 'needs no key' };
  const keys = missingKeys(agent.cli, {});
  const keyName = keys.find((key) => (agent.env[key] ?? options.env[key] ?? '') !== '');
  if (keyName !== undefined) return { value: null, words: `by ${keyName}` };
  return { value: null, words: isLogin(upstreams) ? 'by its subscription' : 'by its login' };
}

/** Without a sandbox, the CLI uses its own login. Supervisor only sees whether there is one. */
async function checkOwnLogin(
  cli: string,
  { userDir, clock }: ExecutionHost,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult<null>> {
  const now = clock.now();
  const known = AGENT_CLI_FACTS.find((facts) => facts.cli === cli);
  if (known === undefined) return { value: null, words: 'not contained' };
  const logins = await probeLogins(known, userDir, env);
  if (logins.some((login) => login.kind !== 'unreadable' && !isExpired(login, now)))
    return { value: null, words: 'logged in, not contained' };
  const words = 'no login was found in files or variables';
  return { value: null, words, warning: { words, hint: known.login } };
}

async function checkCooldowns(
  agents: readonly AgentSpec[],
  { settings }: AgentsToCheck,
  { cooling }: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const coolingAgents = cooling().filter(({ identity }) =>
    agents.some((agent) => agentIdentity(agent) === identity),
  );
  if (coolingAgents.length === 0) return;
  await list.check('cooldowns', 'cooldowns', () => {
    const words = coolingAgents
      .map(({ agent, until }) => `${agent} is cooling down until ${isoTime(at(until))}`)
      .join(', ');
    const hint = 'Clear the cooldown with: supervisor cooldowns clear ID, or use --ignore-cooldown';
    const identities = new Set(agents.map((agent) => agentIdentity(agent)));
    const isAnyFree = identities.size > new Set(coolingAgents.map((one) => one.identity)).size;
    if (isAnyFree || settings.recovery.waitForReset)
      return { value: null, words, warning: { words, hint } };
    throw new Refusal({
      code: 'agent.unavailable',
      message: `${words}: no other agent is left, and the run does not wait.`,
      hint,
    });
  });
}
