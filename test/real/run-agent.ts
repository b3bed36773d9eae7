/**
 * Runs a real CLI as the product does: through its adapter, as a process group, its events folded
 * to a transcript.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentAdapter, AgentBrief, OutputStream } from '../../src/adapters/adapter.ts';
import { adapterFor } from '../../src/adapters/adapters.ts';
import type { AgentEvent } from '../../src/adapters/agent-event.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../../src/adapters/transcript.ts';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';
import { classifyTranscript } from '../../src/failures/classify-transcript.ts';
import type { AttemptEvidence } from '../../src/failures/evidence.ts';
import { LineReader } from '../../src/host/output/line-reader.ts';
import type { HostExit } from '../../src/host/process/process-group.ts';
import { ProcessGroup } from '../../src/host/process/process-group.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { CliName, Place } from './clis.ts';
import { basicEnv, commandOf, KEY } from './clis.ts';

const MODELS: Readonly<Record<CliName, string | null>> = {
  claude: null,
  codex: 'gpt-5.5', // newer ones take their tools in another form
  gemini: 'gemini-2.5-flash',
  copilot: 'gpt-4.1',
  opencode: 'test-model',
};

const BOUND_MS = 120_000;
let runs = 0;

export type AgentRun = {
  readonly adapter: AgentAdapter;
  readonly group: ProcessGroup;
  readonly events: readonly AgentEvent[];
  readonly stop: () => Promise<'ended' | 'killed'>;
  /** Waits for the end, for two minutes by default. */
  readonly classified: (
    stoppedBy?: AttemptEvidence['stoppedBy'],
  ) => Promise<{ readonly exit: HostExit; readonly end: AttemptOutcome }>;
};

export async function startAgent(
  cli: CliName,
  place: Place,
  url: string,
  rest: Partial<AgentBrief> = {},
  boundMs = BOUND_MS,
): Promise<AgentRun> {
  const adapter = adapterFor({ cli });
  const program = commandOf(cli);
  if (adapter === undefined || program === undefined) throw new Error(`${cli} is not installed`);
  const command = adapter.command({
    agent: { id: cli, cli, args: [], env: {}, model: MODELS[cli] },
    prompt: 'Do the task.',
    node: process.execPath,
    workspace: place.cwd,
    home: place.home,
    promptFile: join(place.home, 'prompt'),
    resume: null,
    session: null,
    gateway: { baseUrl: url, token: KEY },
    limits: null,
    contained: true,
    allowedTools: null,
    answerSchema: null,
    orchestrates: false,
    ...rest,
  });
  if (command.kind === 'refused') throw new Error(`${cli} ${command.why}`);
  for (const [name, text] of Object.entries(command.files)) {
    await mkdir(dirname(join(place.home, name)), { recursive: true });
    await writeFile(join(place.home, name), text);
  }
  const events: AgentEvent[] = [];
  const output = { stdout: '', stderr: '' };
  const readers = { stdout: new LineReader(), stderr: new LineReader() };
  const take = (stream: OutputStream) => (chunk: Uint8Array) => {
    output[stream] += Buffer.from(chunk).toString();
    for (const { text } of readers[stream].push(chunk)) events.push(...adapter.read(text, stream));
  };
  runs += 1;
  const [, ...args] = command.argv;
  const group = new ProcessGroup(
    {
      argv: [program, ...args],
      cwd: place.cwd,
      env: { ...basicEnv(place.home), ...command.env },
      stdin: command.stdin,
    },
    {
      tag: `adapters-test-${process.pid}/${runs}`,
      clock: systemClock,
      onStdout: take('stdout'),
      onStderr: take('stderr'),
    },
  );
  return {
    adapter,
    group,
    events,
    stop: () => group.stop(20_000, command.askSignal),
    async classified(stoppedBy = null) {
      const bound = setTimeout(() => void group.kill(), boundMs);
      const exit = await group.ended;
      clearTimeout(bound);
      const rest = { now: Date.now(), zone: 'UTC', rules: [], container: null };
      const end = classifyTranscript({ cli, exit, stoppedBy, ...output, ...rest });
      if (end === undefined) throw new Error('no adapter');
      return { exit, end };
    },
  };
}

export function storyOf({ events }: AgentRun): typeof EMPTY_TRANSCRIPT {
  return events.reduce(foldTranscript, EMPTY_TRANSCRIPT);
}
