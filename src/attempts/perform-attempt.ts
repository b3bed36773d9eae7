/**
 * Carries out one attempt: one agent, once, in a place of its own, its output kept. It decides
 * nothing about what comes next; it says how this one ended.
 */
import type { AgentAdapter, AgentSpec, Invocation } from '../agents/adapter.ts';
import { adapterFor } from '../agents/adapters.ts';
import type { Story } from '../agents/story.ts';
import { followAnswer, NO_ANSWER } from '../agents/final-answer.ts';
import { EMPTY_STORY, follow } from '../agents/story.ts';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Errand, Order, Performer } from '../engine/performer.ts';
import { LineReader } from '../host/line-reader.ts';
import type { Line } from '../host/line-reader.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import { keepValue } from '../redaction/keep-value.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { AttemptFacts, AttemptInput, AttemptOutcome } from './attempt.ts';
import { classify } from './classify.ts';
import { exitNumber } from './exit-number.ts';
import type { Tail } from './evidence.ts';
import { KeptOutput } from './kept-output.ts';
import type { AttemptPlace, Ended, PlaceOf, Running } from './place.ts';
import { userRules } from './rules/user-rules.ts';
import { stateAnswer } from './state-answer.ts';

export type AttemptPorts = {
  readonly clock: Clock;
  /** The Node that runs us. */
  readonly node: string;
  readonly placeOf: PlaceOf;
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  /** The values that were not written down when the run was submitted. Refuses when one is gone. */
  readonly secretsOf: (
    agent: AgentSpec,
    project: string,
  ) => Promise<Readonly<Record<string, string>>>;
  /** The prompt of a brief by its hash. Refuses one that is not there. */
  readonly readBrief: (hash: string) => Promise<string>;
};

const SUMMARY_CHARS_MAX = 500;
const TAIL_LINES_MAX = 50;
const SESSION_CHARS_MAX = 500;

export function attemptPerformer(ports: AttemptPorts): Performer {
  return {
    command: 'attempt',
    perform: (order, errand): Promise<Record<string, Json>> => performAttempt(order, errand, ports),
  };
}

async function performAttempt(
  order: Order,
  errand: Errand,
  ports: AttemptPorts,
): Promise<AttemptOutcome> {
  const given = await unlessRefused(withBrief(order.input as unknown as AttemptInput, ports));
  if (given instanceof Refusal) return failed('start_refused', inWords(given));
  const pinned = given;
  const adapter = adapterFor(pinned.agent);
  if (adapter === undefined)
    return failed('agent_missing', `nothing here can run ${pinned.agent.cli}`);
  const secrets = await unlessRefused(ports.secretsOf(pinned.agent, pinned.project));
  if (secrets instanceof Refusal) return failed('start_refused', inWords(secrets));
  const { agent } = pinned;
  const input = { ...pinned, agent: { ...agent, env: { ...agent.env, ...secrets } } };
  const made = await unlessRefused(ports.placeOf(order, input, (note) => errand.note(note)));
  if (made instanceof Refusal) return failed('start_refused', inWords(made));
  await using place = made;
  const outcome = await attemptIn(place, adapter, input, order, discreet(errand, place), ports);
  return clipped(place.redactor === null ? outcome : await keepValue(place.redactor, outcome));
}

/** Only now: what is cut before secrets are taken out may be cut in the middle of one. */
function clipped(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'completed') return outcome;
  return { ...outcome, summary: outcome.summary.slice(0, SUMMARY_CHARS_MAX) };
}

/** What is noted is kept, and an agent can bring about that a secret is noted. */
function discreet(errand: Errand, { redactor }: { readonly redactor: Redactor | null }): Errand {
  if (redactor === null) return errand;
  const { asked, killed } = errand;
  return {
    asked,
    killed,
    note: async (fact) => errand.note(await keepValue(redactor, fact)),
  };
}

async function attemptIn(
  place: AttemptPlace,
  adapter: AgentAdapter,
  input: AttemptInput,
  order: Order,
  errand: Errand,
  ports: AttemptPorts,
): Promise<AttemptOutcome> {
  const invocation = invocationOf(adapter, place, input, ports.node);
  if (invocation.kind === 'refused')
    return failed('start_refused', `${input.agent.cli} ${invocation.why}`);
  if (errand.asked.aborted) return { kind: 'stopped' };
  const run = await runIn(place, invocation, adapter, input, order, errand, ports);
  if (run instanceof Refusal) return failed('start_refused', inWords(run));
  const kept = await unlessRefused(place.keep());
  if (kept instanceof Refusal) await errand.note({ kind: 'not-kept', message: inWords(kept) });
  else if (kept !== null) await errand.note(kept.note);
  const changed = kept === null || kept instanceof Refusal ? null : kept.changed;
  const outcome = outcomeOf(adapter, input, run, changed, place, ports.clock);
  if (outcome.kind !== 'completed' || input.brief === undefined) return outcome;
  return stateAnswer(outcome, run.final, input.brief.answer);
}

/** The whole prompt: what is said to this attempt alone, and what its role gives it. */
async function withBrief(input: AttemptInput, ports: AttemptPorts): Promise<AttemptInput> {
  if (input.brief === undefined) return input;
  const text = await ports.readBrief(input.brief.hash);
  return { ...input, prompt: `${input.prompt}${text}` };
}

/** A CLI that can't go on with a conversation is told everything in a new one. */
function invocationOf(
  adapter: AgentAdapter,
  place: AttemptPlace,
  { prompt, resume = null, resumePrompt = null, brief: role }: AttemptInput,
  node: string,
): ReturnType<AgentAdapter['command']> {
  const brief = {
    ...place.seen,
    node,
    session: null,
    allowedTools: role?.allowedTools ?? null,
    answerSchema: role === undefined ? null : answerJsonSchema(role.answer),
    orchestrates: false,
  };
  const afresh = { ...brief, prompt, resume: null };
  if (resume === null) return adapter.command(afresh);
  const goingOn = adapter.command({ ...brief, prompt: resumePrompt ?? prompt, resume });
  return goingOn.kind === 'refused' ? adapter.command(afresh) : goingOn;
}

type Run = Stopped & { readonly story: Story; readonly tail: Tail; readonly final: string };

/** Starts the agent, follows what it says, and waits for its end. */
async function runIn(
  place: AttemptPlace,
  invocation: Invocation,
  adapter: AgentAdapter,
  input: AttemptInput,
  order: Order,
  errand: Errand,
  ports: AttemptPorts,
): Promise<Run | Refusal> {
  const dir = await ports.outputDir(order.run);
  let story = EMPTY_STORY;
  let answer = NO_ANSWER;
  const tail: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const readers = { stdout: new LineReader(), stderr: new LineReader() };
  const read = (stream: 'stdout' | 'stderr', lines: readonly Line[]): void => {
    for (const { text } of lines) {
      const events = adapter.read(text, stream);
      const before = story.session;
      story = events.reduce(follow, story);
      if (input.brief !== undefined) answer = events.reduce(followAnswer, answer);
      // On record at once: an attempt that is lost with us can go on in its own conversation.
      if (story.session !== null && story.session !== before)
        void errand.note({ kind: 'session', session: story.session.slice(0, SESSION_CHARS_MAX) });
      if (!events.every(({ kind }) => kind === 'noise')) continue;
      tail[stream].push(text);
      if (tail[stream].length > TAIL_LINES_MAX) tail[stream].shift();
    }
  };
  await using kept = await KeptOutput.open(
    dir,
    order.key,
    input.outputBytesMax,
    place.redactor,
    (stream, bytes) => read(stream, readers[stream].push(bytes)),
  );
  const started = await unlessRefused(
    place.start(
      invocation,
      {
        onStdout: (chunk) => kept.write('stdout', chunk),
        onStderr: (chunk) => kept.write('stderr', chunk),
      },
      errand.asked,
    ),
  );
  if (started instanceof Refusal) return started;
  const { askSignal } = invocation;
  const [ended] = await Promise.all([
    endOf(started, { ...input, askSignal, hopeless: place.hopeless }, errand, ports.clock),
    errand
      .note({ kind: 'started', pid: started.pid, ...started.held })
      .catch(async (error: unknown) => {
        await started.kill(); // an agent that nobody could write down must not go on
        throw error;
      }),
  ]);
  await kept.end();
  for (const stream of ['stdout', 'stderr'] as const) read(stream, readers[stream].end());
  return { ...ended, story, tail, final: answer.text };
}

type Stopped = Ended & { readonly by: 'itself' | 'user' | 'deadline' };

type Patience = Pick<AttemptInput, 'graceMs' | 'deadlineMs'> &
  Pick<Invocation, 'askSignal'> &
  Pick<AttemptPlace, 'hopeless'>;

/** Waits for the end, and brings it about when somebody asks, the time is up, or no model will answer. */
async function endOf(
  running: Running,
  { graceMs, deadlineMs, askSignal, hopeless }: Patience,
  errand: Errand,
  clock: Clock,
): Promise<Stopped> {
  let by: Stopped['by'] = 'itself';
  const over = new AbortController();
  const stop = (who: Stopped['by']): void => {
    if (over.signal.aborted) return;
    if (by === 'itself') by = who;
    running.stop(graceMs, askSignal).catch(kill);
  };
  // What goes wrong in it goes wrong in `ended` as well, which is awaited below.
  const kill = (): void => void running.kill().catch(() => undefined);
  const once = { once: true, signal: over.signal };
  errand.asked.addEventListener('abort', () => stop('user'), once);
  errand.killed.addEventListener('abort', kill, once);
  // It would only try again what can't go well; that it was us is no part of why it failed.
  hopeless.addEventListener('abort', () => stop('itself'), once);
  if (errand.asked.aborted) stop('user'); // called off while it was being started
  if (errand.killed.aborted) kill();
  if (deadlineMs !== null) {
    void clock.sleep(deadlineMs, over.signal).then((slept) => slept && stop('deadline'));
  }
  try {
    return { ...(await running.ended), by };
  } finally {
    over.abort();
  }
}

function outcomeOf(
  adapter: AgentAdapter,
  input: AttemptInput,
  { exit, container, by, story, tail }: Run,
  changed: boolean | null,
  place: AttemptPlace,
  clock: Clock,
): AttemptOutcome {
  const verdict = adapter.conclude(exit, story);
  // Work that was finished before the stop could reach it is still finished work.
  const isFinished = verdict.kind === 'done' && story.concluded !== null;
  const stoppedBy = by === 'itself' || isFinished ? null : by;
  const { cli } = input.agent;
  const found = classify({
    cli,
    exit,
    stoppedBy,
    container,
    calls: place.calls(),
    structured: adapter.structured,
    story,
    verdict:
      stoppedBy === 'deadline'
        ? { kind: 'interrupted', message: 'ran past its deadline' }
        : verdict,
    tail,
    changed,
    now: clock.now(),
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    rules: userRules(input.rules ?? [], cli),
  });
  const facts: AttemptFacts = {
    session: story.session?.slice(0, SESSION_CHARS_MAX) ?? null,
    changed,
    usage: usageOf(story),
    exit: exitNumber(exit),
  };
  switch (found.outcome) {
    case 'completed':
      return { kind: 'completed', summary: found.summary, ...facts };
    case 'failed': {
      const { failure } = found;
      return {
        kind: 'failed',
        reason: failure.reason,
        message: failure.message,
        failure,
        ...facts,
      };
    }
    case 'stopped':
      return { kind: 'stopped' };
  }
}

function usageOf({ usage }: Story): NonNullable<AttemptFacts['usage']> | null {
  if (usage === null) return null;
  const { inputTokens, outputTokens, costUsd } = usage;
  return { inputTokens, outputTokens, costUsd };
}

type FailedOutcome = Extract<AttemptOutcome, { kind: 'failed' }>;

function failed(reason: FailedOutcome['reason'], message: string): FailedOutcome {
  return { kind: 'failed', reason, message };
}

/** What can't be done here is an outcome of the attempt; anything else thrown is a defect. */
async function unlessRefused<Value>(work: Promise<Value>): Promise<Value | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function inWords({ data: { message, hint } }: Refusal): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
