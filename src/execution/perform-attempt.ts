/**
 * Carries out one attempt: one agent, once, in a place of its own, its output kept. It decides
 * nothing about what comes next; it says how this one ended.
 */
import type { AgentAdapter, Invocation } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapters.ts';
import { foldAnswer, NO_ANSWER } from '../adapters/final-answer.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../adapters/transcript.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import { hashText } from '../base/hash-text.ts';
import { LineReader } from '../host/output/line-reader.ts';
import type { Line } from '../host/output/line-reader.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import { redactValue } from '../redaction/redact-value.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { FollowedAttempt } from './attempt-outcome.ts';
import { attemptOutcome, SESSION_CHARS_MAX } from './attempt-outcome.ts';
import { endOfAttempt } from './attempt-end.ts';
import { commitRunWork } from './commit-run-work.ts';
import { OutputRecorder } from './output-recorder.ts';
import type { AttemptEnvironment, EnvironmentFor } from './environments/environment.ts';
import { describeRefusal, refusalOr } from './refusal-outcome.ts';
import { foldTurnNotes, readTurnNotes } from '../attempts/turn-notes.ts';
import type { OnActivity } from './report-activity.ts';
import { changedPaths, observedActivity } from './report-activity.ts';
import { isStackLine } from '../failures/rules/error-lines.ts';
import { attachAnswer } from '../attempts/attach-answer.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';
import type { AttemptInput, AttemptOutcome } from '../protocol/attempt-contract.ts';

export type AttemptPorts = {
  readonly clock: Clock;
  /** The Node that runs us. */
  readonly node: string;
  readonly environmentFor: EnvironmentFor;
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  /** The values that were not written down when the run was submitted. Refuses when one is gone. */
  readonly readSecrets: (agent: AgentSpec) => Promise<Readonly<Record<string, string>>>;
  /** The prompt of a brief by its hash. Refuses one that is not there. */
  readonly readBrief: (hash: string) => Promise<string>;
  readonly onActivity?: OnActivity;
};

const SUMMARY_CHARS_MAX = 500;
const TAIL_LINES_MAX = 50;

export function attemptPerformer(ports: AttemptPorts): Performer<'attempt'> {
  return {
    command: 'attempt',
    perform: (request, context) => performAttempt(request, context, ports),
  };
}

async function performAttempt(
  order: CommandRequest<'attempt'>,
  errand: CommandContext<'attempt'>,
  ports: AttemptPorts,
): Promise<AttemptOutcome> {
  const given = await refusalOr(withBrief(order.input, ports));
  if (given instanceof Refusal) return failed('start_refused', describeRefusal(given));
  const pinned = given;
  const adapter = adapterFor(pinned.agent);
  if (adapter === undefined)
    return failed('agent_missing', `nothing here can run ${pinned.agent.cli}`);
  const secrets = await refusalOr(ports.readSecrets(pinned.agent));
  if (secrets instanceof Refusal) return failed('start_refused', describeRefusal(secrets));
  const { agent } = pinned;
  const input = { ...pinned, agent: { ...agent, env: { ...agent.env, ...secrets } } };
  const made = await refusalOr(ports.environmentFor(order, input, (note) => errand.note(note)));
  if (made instanceof Refusal) return failed(reasonOf(made), describeRefusal(made));
  await using place = made;
  const told = await attemptIn(place, adapter, input, order, discreet(errand, place), ports);
  return clipped(place.redactor === null ? told : await redactValue(place.redactor, told));
}

/** A gateway that does not start says nothing about the agent or its settings. */
function reasonOf({ data: { code } }: Refusal): FailedOutcome['reason'] {
  return code === 'gateway.failed' ? 'gateway_failed' : 'start_refused';
}

function refused(why: string): Told {
  return { outcome: failed('start_refused', why), final: null, notes: [] };
}

/** How it ended and, if there is a recipient, its full last answer and its earlier notes. */
type Told = {
  readonly outcome: AttemptOutcome;
  readonly final: string | null;
  readonly notes: readonly string[];
};

/** Only now: what is cut before secrets are taken out may be cut in the middle of one. */
function clipped({ outcome, final, notes }: Told): AttemptOutcome {
  if (outcome.kind !== 'completed') return outcome;
  const summary = outcome.summary.slice(0, SUMMARY_CHARS_MAX);
  return { ...outcome, summary, ...(final === null ? {} : { said: readTurnNotes(final, notes) }) };
}

/** What is noted is kept, and an agent can bring about that a secret is noted. */
function discreet(
  errand: CommandContext<'attempt'>,
  { redactor }: { readonly redactor: Redactor | null },
): CommandContext<'attempt'> {
  if (redactor === null) return errand;
  const { cancelSignal, killSignal } = errand;
  return {
    cancelSignal,
    killSignal,
    note: async (fact) => errand.note(await redactValue(redactor, fact)),
  };
}

async function attemptIn(
  place: AttemptEnvironment,
  adapter: AgentAdapter,
  input: AttemptInput,
  order: CommandRequest<'attempt'>,
  errand: CommandContext<'attempt'>,
  ports: AttemptPorts,
): Promise<Told> {
  const chosen = adapter.namesSessionLate === true ? newSession(order) : null;
  const { invocation, session } = invocationOf(adapter, place, input, ports.node, chosen);
  if (invocation.kind === 'refused') return refused(`${input.agent.cli} ${invocation.why}`);
  if (errand.cancelSignal.aborted) return { outcome: { kind: 'stopped' }, final: null, notes: [] };
  const run = await runIn(place, invocation, session, adapter, input, order, errand, ports);
  if (run instanceof Refusal) return refused(describeRefusal(run));
  const kept = await commitRunWork(place, errand, ports.clock);
  if (kept !== null) ports.onActivity?.(order.run, changedPaths(kept.paths, place));
  const changed = kept?.changed ?? null;
  const calls = await place.calls();
  const seen = {
    calls,
    seesEveryCall: place.seesEveryCall,
    gatewayFailure: place.gatewayFailure(),
    isReadOnly: place.isReadOnly(),
  };
  const outcome = attemptOutcome(adapter, input, run, changed, seen, ports.clock);
  const { notes } = run;
  const final = input.speaks === true ? run.final : null;
  if (outcome.kind !== 'completed' || input.brief === undefined) return { outcome, final, notes };
  return { outcome: attachAnswer(outcome, run.final, input.brief.answer), final, notes };
}

/** The whole prompt: what is said to this attempt alone, and what its role gives it. */
async function withBrief(input: AttemptInput, ports: AttemptPorts): Promise<AttemptInput> {
  if (input.brief === undefined) return input;
  const text = await ports.readBrief(input.brief.hash);
  return { ...input, prompt: `${input.prompt}${text}` };
}

/** A CLI that can't continue a conversation gets everything in a new one. */
function invocationOf(
  adapter: AgentAdapter,
  place: AttemptEnvironment,
  { prompt, resume, resumePrompt, brief: role }: AttemptInput,
  node: string,
  session: string | null,
): { readonly invocation: ReturnType<AgentAdapter['command']>; readonly session: string | null } {
  const brief = {
    ...place.agentBrief,
    node,
    session,
    allowedTools: role?.allowedTools ?? null,
    answerSchema: role === undefined ? null : answerJsonSchema(role.answer),
    orchestrates: false,
  };
  const afresh = { ...brief, prompt, resume: null };
  if (resume === null) return { invocation: adapter.command(afresh), session };
  const goingOn = adapter.command({ ...brief, prompt: resumePrompt ?? prompt, resume });
  return goingOn.kind === 'refused'
    ? { invocation: adapter.command(afresh), session }
    : { invocation: goingOn, session: session === null ? null : resume };
}

/** A UUID of its own for each attempt. */
function newSession({ run, key }: CommandRequest): string {
  const hash = hashText(`${run}/${key}`);
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => hash.slice(from, to));
  return `${a}-${b}-4${c}-a${d}-${e}`;
}

type Run = FollowedAttempt & { readonly final: string; readonly notes: readonly string[] };

/** Starts the agent, follows what it says, and waits for its end. */
async function runIn(
  place: AttemptEnvironment,
  invocation: Invocation,
  session: string | null,
  adapter: AgentAdapter,
  input: AttemptInput,
  order: CommandRequest<'attempt'>,
  errand: CommandContext<'attempt'>,
  ports: AttemptPorts,
): Promise<Run | Refusal> {
  const dir = await ports.outputDir(order.run);
  let story = EMPTY_TRANSCRIPT;
  let answer = NO_ANSWER;
  let notes: readonly string[] = [];
  const isListenedTo = input.brief !== undefined || input.speaks === true;
  const tail: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const readers = { stdout: new LineReader(), stderr: new LineReader() };
  const read = (stream: 'stdout' | 'stderr', lines: readonly Line[]): void => {
    for (const { text } of lines) {
      const events = adapter.read(text, stream);
      const before = story.session;
      story = events.reduce(foldTranscript, story);
      // Its first word of its own is the sign that it has taken the name that was chosen for it.
      if (story.session === null && story.events > 0) story = { ...story, session };
      for (const event of isListenedTo ? events : []) {
        notes = foldTurnNotes(notes, answer, event);
        answer = foldAnswer(answer, event);
      }
      for (const event of events)
        for (const sighting of observedActivity(event, place.tree, place.agentBrief.workspace))
          ports.onActivity?.(order.run, sighting);
      // Recorded at once: after the death of the owner the attempt can continue in its own
      // conversation.
      if (story.session !== null && story.session !== before)
        void errand.note({ kind: 'session', session: story.session.slice(0, SESSION_CHARS_MAX) });
      if (!events.every(({ kind }) => kind === 'noise') || isStackLine(text)) continue;
      tail[stream].push(text);
      if (tail[stream].length > TAIL_LINES_MAX) tail[stream].shift();
    }
  };
  await using kept = await OutputRecorder.open(
    dir,
    order.key,
    input.outputBytesMax,
    place.redactor,
    (stream, bytes) => read(stream, readers[stream].push(bytes)),
  );
  const started = await refusalOr(
    place.start(
      invocation,
      {
        onStdout: (chunk) => kept.write('stdout', chunk),
        onStderr: (chunk) => kept.write('stderr', chunk),
      },
      errand.cancelSignal,
    ),
  );
  if (started instanceof Refusal) return started;
  ports.onActivity?.(order.run, { kind: 'turn-begun', folder: place.tree.folder });
  const { askSignal } = invocation;
  const [ended] = await Promise.all([
    endOfAttempt(
      started,
      { ...input, askSignal, giveUpSignal: place.giveUpSignal },
      errand,
      ports.clock,
    ),
    errand
      .note({ kind: 'started', pid: started.pid, ...started.sandboxNote })
      .catch(async (error: unknown) => {
        await started.kill(); // an agent that could not be recorded must not continue
        throw error;
      }),
  ]);
  await kept.end();
  for (const stream of ['stdout', 'stderr'] as const) read(stream, readers[stream].end());
  ports.onActivity?.(order.run, { kind: 'turn-ended' });
  return { ...ended, story, tail, final: answer.text, notes };
}

type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>;

function failed(reason: FailedOutcome['reason'], message: string): FailedOutcome {
  return { kind: 'failed', reason, message };
}
