/** Prepares an attempt: completes its input, finds its adapter and creates its environment. */
import type { AgentAdapter } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapters.ts';
import type { Clock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { RefusalCode } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { CommandContext, CommandRequest } from '../engine/performer.ts';
import { treeFingerprint } from '../host/files/tree/tree-fingerprint.ts';
import type { AgentActivity } from '../protocol/activity.ts';
import type {
  AttemptInput,
  AttemptOutcome,
  FailedAttempt,
} from '../protocol/contracts/attempt-contract.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';
import { redactValue } from '../redaction/redact-value.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { AttemptEnvironment, EnvironmentFor } from './environments/environment.ts';
import type { LiveAttempts } from './messages/message-channel.ts';
import { describeRefusal, refusalOr, startRefused } from './refusal-outcome.ts';
import type { PersonTerminals } from './takeover/person-terminals.ts';
import type { OnActivity } from './report-activity.ts';
import type { SteeringPorts } from './turns/attempt-turns.ts';
import { watchTurns } from './turns/attempt-turns.ts';

export type AttemptPorts = {
  readonly clock: Clock;
  /** The Node that runs the owner. */
  readonly node: string;
  readonly environmentFor: EnvironmentFor;
  /** The folder for the output of a run's commands. */
  readonly outputDir: (run: string) => Promise<string>;
  /** The values that the journal does not store. Refuses if one is missing. */
  readonly readSecrets: (agent: AgentSpec, run: RunId) => Promise<Readonly<Record<string, string>>>;
  /** The prompt of a brief by its hash. Refuses if it is missing. */
  readonly readBrief: (hash: string) => Promise<string>;
  readonly onActivity?: OnActivity;
  /** The attempts that get messages while they run. */
  readonly liveAttempts?: LiveAttempts;
  /** The terminals of people who take an agent over. Absent: none can. */
  readonly terminals?: PersonTerminals;
  /** Absent: what is found in the turns of an agent is only recorded. */
  readonly steering?: SteeringPorts;
};

/** An attempt that can start. Every later stage reads it. */
export type PreparedAttempt = {
  readonly kind: 'prepared';
  readonly request: CommandRequest<'attempt'>;
  /** With the text of its brief and the values of its secrets. */
  readonly input: AttemptInput;
  readonly adapter: AgentAdapter;
  readonly environment: AttemptEnvironment;
  /** Its notes are stored without secrets. */
  readonly context: CommandContext<'attempt'>;
  readonly ports: AttemptPorts;
  readonly reportActivity: (activity: AgentActivity) => void;
  /** Tells the organization of the project how it ended. Never rejects. */
  readonly reportEnd: (outcome: AttemptOutcome) => Promise<void>;
};

/** A person stopped it while its workspace was prepared. */
type StoppedAttempt = Extract<AttemptOutcome, { kind: 'stopped' }>;

/** The caller disposes of the environment. */
export async function prepareAttempt(
  request: CommandRequest<'attempt'>,
  given: CommandContext<'attempt'>,
  ports: AttemptPorts,
): Promise<PreparedAttempt | FailedAttempt | StoppedAttempt> {
  const { clock } = ports;
  // A person who types needs no advice.
  const steering = request.input.why.kind === 'takeover' ? undefined : ports.steering;
  const { endsLoops } = adapterFor(request.input.agent) ?? {};
  const watched = watchTurns(request, given, {
    ...{ clock, treeFingerprint },
    ...defined({ steering, endsLoops }),
  });
  const { context, watchFolder, end } = watched;
  const briefed = await refusalOr(withBrief(request.input, ports));
  if (briefed instanceof Refusal) return startRefused(briefed);
  const adapter = adapterFor(briefed.agent);
  if (adapter === undefined) {
    const message = `nothing here can run ${briefed.agent.cli}`;
    return { kind: 'failed', reason: 'agent_missing', message };
  }
  const secrets = await refusalOr(ports.readSecrets(briefed.agent, request.run));
  if (secrets instanceof Refusal) return environmentRefused(secrets, request.run);
  const { agent } = briefed;
  const input = { ...briefed, agent: { ...agent, env: { ...agent.env, ...secrets } } };
  const stopped = AbortSignal.any([context.cancelSignal, context.killSignal]);
  const environment = await refusalOr(
    ports.environmentFor(request, input, (note) => context.note(note), stopped),
  );
  if (stopped.aborted && isRefusal(environment, 'workspace.interrupted'))
    return { kind: 'stopped' };
  if (environment instanceof Refusal) return environmentRefused(environment, request.run);
  watchFolder(environment.tree.folder, environment.redactor, environment.messages?.name);
  return {
    kind: 'prepared',
    ...{ request, input, adapter, environment, ports },
    context: withoutSecrets(context, environment.redactor),
    reportActivity: (activity) => ports.onActivity?.(request.run, activity),
    reportEnd: end,
  };
}

/** The whole prompt: the text for this attempt alone, then the brief of its role. */
async function withBrief(input: AttemptInput, ports: AttemptPorts): Promise<AttemptInput> {
  if (input.brief === undefined) return input;
  const text = await ports.readBrief(input.brief.hash);
  return { ...input, prompt: `${input.prompt}${text}` };
}

/** A key that the agent never had, or one that the owner lacks since a restart, is for a person to give. */
function isOutside(code: RefusalCode): boolean {
  return code === 'gateway.failed' || code === 'agent.keys-missing' || code === 'agent.no-key';
}

/** If the gateway does not start, or a person has to give a key, the agent and its settings are not the cause. */
function environmentRefused(refusal: Refusal, run: RunId): FailedAttempt {
  const { code } = refusal.data;
  if (!isOutside(code)) return startRefused(refusal);
  const message = describeRefusal(refusal);
  if (code === 'gateway.failed')
    return { kind: 'failed', reason: 'gateway_failed', message, refusal: code };
  const resume = `supervisor resume ${run}`;
  const isNamed = message.includes(resume);
  const what = isNamed ? message : `${message} Then run: ${resume}`;
  return { kind: 'failed', reason: 'keys_missing', message: what, refusal: code };
}

/** An agent can cause a note that contains a secret, such as the name of a file. */
function withoutSecrets(
  context: CommandContext<'attempt'>,
  redactor: Redactor | null,
): CommandContext<'attempt'> {
  if (redactor === null) return context;
  const { cancelSignal, killSignal } = context;
  const note: typeof context.note = async (fact) => context.note(await redactValue(redactor, fact));
  return { cancelSignal, killSignal, note };
}
