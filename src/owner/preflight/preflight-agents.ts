/** Whether each agent of a run could begin: its program is there and new enough, it can be asked, it is paid for. */
import type { AgentSpec } from '../../adapters/adapter.ts';
import { adapterFor } from '../../adapters/adapters.ts';
import type { PinnedBrief } from '../../attempts/attempt.ts';
import type { ChainSettings } from '../../attempts/chain.ts';
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import { agentIdentity } from '../../attempts/identity.ts';
import { findProgram, isInsideProject } from '../../execution/environments/installation.ts';
import { unwrapNpx } from '../../execution/environments/npx.ts';
import { missingKeyRefusal } from '../../execution/model-gateway/model-gateway.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import { at, isoTime } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { installCli } from '../../doctor/install-commands.ts';
import { judgeVersion } from '../../doctor/judge-answer.ts';
import { isOver, probeLogins } from '../../doctor/probe-logins.ts';
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
import { projectSecrets } from '../project-settings.ts';

export type AgentsToCheck = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly chain: ChainSettings;
  /** What its first attempt would be told. */
  readonly prompt: string;
  readonly brief: PinnedBrief | undefined;
  /** The sandbox that holds here; undefined: none is needed, or none does. */
  readonly place: { readonly backend: Backend } | undefined;
};

/** As long as one of them can begin, the others are only worth knowing about. */
export async function checkAgents(
  wish: AgentsToCheck,
  ports: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const { agents, order } = wish.chain;
  const used = wish.request.once === true && order === 'as-listed' ? agents.slice(0, 1) : agents;
  const looked = await Promise.all(
    used.map(async (agent) => {
      const result = await tryLook(() => lookAtAgent(withoutSecrets(agent), wish, ports));
      return { agent, result };
    }),
  );
  const isSomebodyAble = looked.some(({ result }) => !(result instanceof Refusal));
  for (const { agent, result } of looked) {
    const [id, title] = [`agent:${agent.id}`, titleOf(agent)];
    const twin = used.find((other) => agentIdentity(other) === agentIdentity(agent));
    if (result instanceof Refusal) list.failed(id, title, result, { isBearable: isSomebodyAble });
    else if (twin !== undefined && twin.id !== agent.id)
      await list.look(id, title, () => asTwin(twin, result));
    else await list.look(id, title, () => result);
  }
  if (wish.request.ignoreCooldown !== true) await lookAtCooldowns(used, wish, ports, list);
}

/** A chain has each identity once, so this agent would never have its turn. */
function asTwin({ id }: AgentSpec, looked: CheckResult<null>): CheckResult<null> {
  const words = `the same agent to its provider as ${id}: a run tries only that one`;
  const hint = 'Give it a key, an address, a model or arguments of its own, or take it out.';
  return { ...looked, words, warning: { words, hint } };
}

/** What is needed to look at one of them. */
export type AgentToCheck = Pick<AgentsToCheck, 'prompt' | 'brief' | 'place'> & {
  readonly request: Pick<RunRequest, 'project' | 'unsafe'>;
};

/** All that keeps one agent from beginning: that its program is missing says nothing of its login. */
export async function agentRefusals(
  agent: AgentSpec,
  wish: AgentToCheck,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<readonly Refusal[]> {
  const looked = await tryLook(() => lookAtAgent(agent, wish, ports));
  if (!(looked instanceof Refusal)) return [];
  const isUnpaid = looked.data.code !== 'agent.unavailable' || wish.request.unsafe === true;
  const paid = isUnpaid ? undefined : await tryLook(() => paidBy(agent, ports));
  return paid instanceof Refusal ? [looked, paid] : [looked];
}

function titleOf({ id, cli }: AgentSpec): string {
  return id === cli ? `agent ${id}` : `agent ${id} (${cli})`;
}

async function tryLook<Value>(
  work: () => Promise<CheckResult<Value>>,
): Promise<CheckResult<Value> | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error; // anything else is a defect
  }
}

async function lookAtAgent(
  agent: AgentSpec,
  wish: AgentToCheck,
  ports: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const { options, executionHost } = ports;
  const secrets = await projectSecrets(options, agent);
  const whole = { ...agent, env: { ...agent.env, ...secrets } };
  const program = programOf(whole, wish, options.node, executionHost.env);
  if (agent.cli === 'scripted') return { value: null, words: 'built in' };
  const found = await lookForProgram(agent.cli, program, wish, ports);
  const pays =
    wish.request.unsafe === true
      ? await ownLogin(agent.cli, executionHost, { ...options.env, ...whole.env })
      : await paidBy(whole, ports);
  const words = `${found.words}, ${pays.words}`;
  const warning = found.warning ?? pays.warning;
  return { value: null, words, ...(warning === undefined ? {} : { warning }) };
}

/** What would be started. Refuses what the CLI can't be asked. */
function programOf(
  agent: AgentSpec,
  { request, prompt, brief, place }: AgentToCheck,
  node: string,
  env: PreflightPorts['executionHost']['env'],
): string {
  const adapter = adapterFor(agent);
  if (adapter === undefined)
    throw new Refusal({ code: 'agent.unknown', message: `Nothing here can run ${agent.cli}.` });
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
  if (request.unsafe === true || hasImage(place)) return argv[0];
  const unwrapped = unwrapNpx(argv, request.project, env);
  if (unwrapped.kind === 'missing')
    throw new Refusal({ code: 'agent.unavailable', message: `${unwrapped.words}.` });
  return unwrapped.argv[0];
}

/** An image may have what this machine has not. */
function hasImage(place: AgentToCheck['place']): boolean {
  return place?.backend === 'docker' || place?.backend === 'podman';
}

async function lookForProgram(
  cli: string,
  program: string,
  { place, request }: AgentToCheck,
  { options, executionHost }: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const known = AGENT_CLI_FACTS.find((facts) => facts.cli === cli);
  const isOwn = isInsideProject(program);
  const installed = findProgram(program, request.project, executionHost.env);
  if (installed === undefined) {
    const words = isOwn
      ? `${program} is nothing in the project that can be run`
      : `${program} is not installed, or not in the owner's PATH`;
    if (!isOwn && hasImage(place) && request.unsafe !== true)
      return { value: null, words, warning: { words: `${words}; the image has to have it` } };
    const hint = known === undefined ? undefined : `${installCli(known.npm)} && ${known.login}`;
    throw new Refusal({
      code: 'agent.unavailable',
      message: `${words}.`,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  if (known === undefined) return { value: null, words: installed };
  const asked = { clock: options.clock, luck: options.luck, env: executionHost.env };
  const because = `what it says may not be understood (${known.tried} is)`;
  const version = await probeProgram([program, '--version'], asked);
  const { state, found, note } = judgeVersion(version, { least: known.least, because });
  const words = found ?? installed;
  if (state === 'ok') return { value: null, words };
  const hint = installCli(known.npm);
  if (state === 'limited')
    return { value: null, words, warning: { words: `${words}: ${note ?? ''}`, hint } };
  throw new Refusal({
    code: 'agent.unavailable',
    message: `${program} does not start: ${note ?? 'it is gone'}.`,
    hint,
  });
}

/** By whom its model calls would be paid, as an attempt finds it out. */
async function paidBy(
  agent: AgentSpec,
  { options, executionHost }: Pick<PreflightPorts, 'options' | 'executionHost'>,
): Promise<CheckResult<null>> {
  const { clock, userDir, ownerEnv } = executionHost;
  const { upstreams } = await findCredentials(agent, { clock, userDir, ownerEnv });
  const missing = missingKeys(agent.cli, upstreams);
  if (missing.length > 0) throw missingKeyRefusal(agent.cli, missing);
  const isNobody = Object.keys(upstreams).length === 0;
  if (isNobody) return { value: null, words: 'needs no key' };
  const keys = missingKeys(agent.cli, {});
  const named = keys.find((key) => (agent.env[key] ?? options.env[key] ?? '') !== '');
  if (named !== undefined) return { value: null, words: `by ${named}` };
  return { value: null, words: isLogin(upstreams) ? 'by its subscription' : 'by its login' };
}

/** Without walls it uses its own login, of which we see no more than that it is there. */
async function ownLogin(
  cli: string,
  { userDir, clock }: ExecutionHost,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckResult<null>> {
  const now = clock.now();
  const known = AGENT_CLI_FACTS.find((facts) => facts.cli === cli);
  if (known === undefined) return { value: null, words: 'not contained' };
  const logins = await probeLogins(known, userDir, env);
  if (logins.some((login) => login.kind !== 'unreadable' && !isOver(login, now)))
    return { value: null, words: 'logged in, not contained' };
  const words = 'no login was found in files or variables';
  return { value: null, words, warning: { words, hint: known.login } };
}

async function lookAtCooldowns(
  agents: readonly AgentSpec[],
  { settings }: AgentsToCheck,
  { cooling }: PreflightPorts,
  list: Checklist,
): Promise<void> {
  const resting = cooling().filter(({ identity }) =>
    agents.some((agent) => agentIdentity(agent) === identity),
  );
  if (resting.length === 0) return;
  await list.look('cooldowns', 'cooldowns', () => {
    const words = resting
      .map(({ agent, until }) => `${agent} rests until ${isoTime(at(until))}`)
      .join(', ');
    const hint = 'Let it be tried with: supervisor cooldowns clear ID, or --ignore-cooldown';
    const identities = new Set(agents.map((agent) => agentIdentity(agent)));
    const isAnybodyFree = identities.size > new Set(resting.map((one) => one.identity)).size;
    if (isAnybodyFree || settings.recovery.waitForReset)
      return { value: null, words, warning: { words, hint } };
    throw new Refusal({
      code: 'agent.unavailable',
      message: `${words}: nobody is left, and the run is not to wait.`,
      hint,
    });
  });
}
