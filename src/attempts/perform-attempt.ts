/**
 * Carries out one attempt: one agent, once, as a process group of its own, its output kept. It
 * decides nothing about what comes next; it says how this one ended.
 */
import type { AgentAdapter } from '../agents/adapter.ts';
import type { Story } from '../agents/story.ts';
import { EMPTY_STORY, follow } from '../agents/story.ts';
import type { Clock } from '../base/clock.ts';
import type { Json } from '../base/json.ts';
import type { Errand, Order, Performer } from '../engine/performer.ts';
import { LineReader } from '../host/line-reader.ts';
import type { Line } from '../host/line-reader.ts';
import { OutputFile } from '../host/output-file.ts';
import { ProcessGroup } from '../host/process-group.ts';
import type { Exit } from '../host/process-group.ts';
import { outputName } from './attempt.ts';
import type { AttemptInput, AttemptOutcome } from './attempt.ts';

export type AttemptPorts = {
  readonly clock: Clock;
  readonly adapters: readonly AgentAdapter[];
  /** The Node that runs us. */
  readonly node: string;
  /** What an agent sees of our environment: enough to find programs, nothing secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Names every process of one command, so that it can be found whoever its parent is. */
  readonly tagOf: (run: string, key: string) => string;
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
};

const SUMMARY_CHARS_MAX = 500;

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
  const input = order.input as unknown as AttemptInput;
  const adapter = ports.adapters.find(({ cli }) => cli === input.agent.cli);
  if (adapter === undefined) {
    return {
      kind: 'failed',
      reason: 'agent-missing',
      message: `nothing here can run ${input.agent.cli}`,
    };
  }
  const command = adapter.command({
    agent: input.agent,
    prompt: input.prompt,
    node: ports.node,
    workspace: input.project,
    home: null,
    promptFile: '',
    resume: null,
    session: null,
    gateway: null,
    contained: false,
    allowedTools: null,
    orchestrates: false,
  });
  if (command.kind === 'refused') {
    const message = `${input.agent.cli} ${command.why}`;
    return { kind: 'failed', reason: 'agent-missing', message };
  }
  const { argv, env, stdin } = command;
  const dir = await ports.outputDir(order.run);
  const halfBytes = Math.ceil(input.outputBytesMax / 2);
  await using outputs = new AsyncDisposableStack();
  const stdout = await OutputFile.open(dir, outputName(order.key, 'stdout'), halfBytes);
  outputs.defer(async () => void (await stdout.close()));
  const stderr = await OutputFile.open(dir, outputName(order.key, 'stderr'), halfBytes);
  outputs.defer(async () => void (await stderr.close()));

  let story = EMPTY_STORY;
  const reader = new LineReader();
  const read = (lines: readonly Line[]): void => {
    for (const { text } of lines) story = adapter.read(text, 'stdout').reduce(follow, story);
  };
  const group = new ProcessGroup(
    { argv, cwd: input.project, env: { ...ports.env, ...env, ...input.agent.env }, stdin },
    {
      tag: ports.tagOf(order.run, order.key),
      clock: ports.clock,
      onStdout: (chunk) => {
        read(reader.push(chunk));
        return stdout.write(chunk);
      },
      onStderr: (chunk) => stderr.write(chunk),
    },
  );
  const started = { kind: 'started', pid: group.leader?.pid ?? null, sandbox: 'none' };
  const [ended] = await Promise.all([
    endOf(group, input, errand, ports.clock),
    errand.note(started).catch(async (error: unknown) => {
      await group.kill(); // an agent that nobody could write down must not go on
      throw error;
    }),
  ]);
  read(reader.end());
  return outcomeOf(adapter, ended, story);
}

type Ended = { readonly exit: Exit; readonly by: 'itself' | 'user' | 'deadline' };

/** Waits for the end, and brings it about when somebody asks or the time is up. */
async function endOf(
  group: ProcessGroup,
  input: AttemptInput,
  errand: Errand,
  clock: Clock,
): Promise<Ended> {
  let by: Ended['by'] = 'itself';
  const over = new AbortController();
  const stop = (who: 'user' | 'deadline'): void => {
    if (over.signal.aborted) return;
    if (by === 'itself') by = who;
    group.stop(input.graceMs).catch(kill);
  };
  // What goes wrong in it goes wrong in `ended` as well, which is awaited below.
  const kill = (): void => void group.kill().catch(() => undefined);
  errand.asked.addEventListener('abort', () => stop('user'), { once: true, signal: over.signal });
  errand.killed.addEventListener('abort', kill, { once: true, signal: over.signal });
  if (errand.asked.aborted) stop('user'); // called off while it was being started
  if (errand.killed.aborted) kill();
  if (input.deadlineMs !== null) {
    void clock.sleep(input.deadlineMs, over.signal).then((slept) => slept && stop('deadline'));
  }
  try {
    const exit = await group.ended;
    return { exit, by };
  } finally {
    over.abort();
  }
}

function outcomeOf(adapter: AgentAdapter, { exit, by }: Ended, story: Story): AttemptOutcome {
  if (exit.kind === 'not-started') {
    return { kind: 'failed', reason: 'agent-missing', message: exit.message };
  }
  const verdict = adapter.conclude(exit, story);
  if (by === 'deadline')
    return { kind: 'failed', reason: 'deadline', message: 'ran past its deadline' };
  if (by === 'user' && verdict.kind !== 'done') return { kind: 'stopped' };
  if (by === 'user' && story.concluded === null) return { kind: 'stopped' };
  switch (verdict.kind) {
    case 'done':
      return { kind: 'completed', summary: verdict.summary.slice(0, SUMMARY_CHARS_MAX) };
    case 'failed':
    case 'cut-off':
    case 'interrupted':
    case 'died':
      return {
        kind: 'failed',
        reason: 'crashed',
        message: verdict.message.slice(0, SUMMARY_CHARS_MAX),
      };
  }
}
