/** Carries out one gate: a command of the user's, on the work that an attempt left, its output kept. */
import { Refusal } from '../base/errors.ts';
import type { CommandContext, CommandRequest, Performer } from '../engine/performer.ts';
import { redactValue } from '../redaction/redact-value.ts';
import type { SandboxIo } from '../sandbox/run-sandboxed.ts';
import { endOfCommand } from '../execution/command-end.ts';
import { combineBaseAndWork, judgeGate, GATE_TAIL_CHARS_MAX } from '../attempts/gate-outcome.ts';
import type { CommittedAttempt } from '../execution/committed-attempt.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import type { GateEnvironment } from './gate-environment.ts';
import { describeRefusal } from '../execution/refusal-outcome.ts';
import { gateEnvironment } from './gate-environment.ts';
import { OutputRecorder } from '../execution/output-recorder.ts';
import { agentRedactor } from '../execution/environments/agent-secrets.ts';
import type { ReportVerdict } from '../test-reports/test-report.ts';
import { judgeReports } from '../test-reports/test-report.ts';
import { relativePathsIn } from '../workspace/work-paths.ts';
import type { GateBasis, GateInput, GateOutcome } from '../protocol/gate-contract.ts';

export type GatePorts = ExecutionHost & {
  /** Where the output of a run's commands is kept. */
  readonly outputDir: (run: string) => Promise<string>;
  readonly findCommit: (run: CommandRequest['run'], attempt: number) => Promise<CommittedAttempt>;
};

/** Of both streams together; the middle of more than that is dropped and counted. */
const OUTPUT_BYTES_MAX = 2_000_000;
/** How long a gate may take to end once it is told to. A check has nothing to save. */
const GRACE_MS = 2000;
/** As many bytes as so many characters can have. */
const TAIL_BYTES_MAX = GATE_TAIL_CHARS_MAX * 4;

export function gatePerformer(ports: GatePorts): Performer<'gate'> {
  return {
    command: 'gate',
    perform: async (request, context) => {
      const { known, warns } = request.input;
      // The same files give the same result, so the time of another run is saved.
      if (known !== undefined) return { ...known.outcome, knownSince: known.since };
      const outcome = await performGate(request, context, ports);
      return { ...outcome, ...(warns === true ? { warns: true } : {}) };
    },
  };
}

async function performGate(
  request: CommandRequest<'gate'>,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const { input } = request;
  const unable = (why: string): GateOutcome => ({ kind: 'unable', name: input.name, why });
  const committed = await ports.findCommit(request.run, input.attempt);
  if (committed.kind === 'not-committed')
    return unable(`what attempt ${input.attempt} did could not be kept: ${committed.message}`);
  if (context.cancelSignal.aborted) return unable('it was cancelled');
  const run = async (
    definition: 'of-base' | 'of-work',
  ): Promise<{ readonly outcome: GateOutcome; readonly differs: boolean }> => {
    await using environment = await gateEnvironment(request, input, committed, definition, ports);
    const { commit, restored, differs } = environment.note;
    const basis = basisFor(input, environment.note);
    await context.note({ kind: 'judges', definition, commit, ...basis, restored: [...restored] });
    return { outcome: await runGate(request, input, environment, basis, context, ports), differs };
  };
  try {
    const { outcome, differs } = await run('of-base');
    if (outcome.kind !== 'passed' || !differs) return outcome;
    // The judged tree is not the tree that would be applied, so the work has to pass unchanged, too.
    return combineBaseAndWork(outcome, (await run('of-work')).outcome);
  } catch (error) {
    // What can't be done here makes the gate red; anything else thrown is a defect.
    if (error instanceof Refusal) return unable(describeRefusal(error));
    throw error;
  }
}

/** The part of the result that says what the gate judged by. */
function basisFor(
  { acceptsUnprotected = false }: GateInput,
  { restored, tests, unprotected }: GateEnvironment['note'],
): GateBasis {
  return {
    ...(restored.length === 0 ? {} : { restored }),
    ...(tests.length === 0 ? {} : { tests }),
    ...(unprotected.length === 0 ? {} : { unprotected }),
    ...(unprotected.length > 0 && acceptsUnprotected ? { accepted: true } : {}),
  };
}

async function runGate(
  request: CommandRequest<'gate'>,
  input: GateInput,
  environment: GateEnvironment,
  basis: GateBasis,
  context: CommandContext<'gate'>,
  ports: GatePorts,
): Promise<GateOutcome> {
  const dir = await ports.outputDir(request.run);
  const tail = new Tail();
  // It is given no secret; but the work, or a file that the user grants, may hold one.
  const redactor = agentRedactor([]);
  await using recorder = await OutputRecorder.open(
    { dir, key: request.key, bytesMax: OUTPUT_BYTES_MAX, redactor },
    (_stream, bytes) => tail.push(bytes),
  );
  const io: SandboxIo = {
    tag: ports.tagOf(request.run, request.key),
    onStdout: (chunk) => recorder.write('stdout', chunk),
    onStderr: (chunk) => recorder.write('stderr', chunk),
    graceMs: GRACE_MS,
  };
  const command = await environment.start(io, context.cancelSignal);
  const { exit, endedBy, oom } = await endOfCommand(command, context, GRACE_MS);
  await recorder.end();
  const end = { exit, endedBy, oom: oom === true };
  const { counted, reds } = await countTests(environment);
  const counting = counted === undefined ? whyNotCounted(input, environment) : { counted };
  // The copy is gone when a person or the next agent reads this, so its paths would lead nowhere.
  const { work } = environment;
  const text = work === undefined ? tail.text() : relativePathsIn(tail.text(), work);
  return redactValue(redactor, judgeGate(input, end, text, { ...basis, ...counting }, reds));
}

async function countTests({ reports, runners }: GateEnvironment): Promise<ReportVerdict> {
  return reports === undefined ? { reds: [] } : judgeReports(await reports.sessions(), runners);
}

/** A command that starts no test runner, such as a linter, has nothing to count. */
function whyNotCounted({ count = true }: GateInput, { silent }: GateEnvironment): GateBasis {
  if (!count) return { notCounted: 'the gate says count: false' };
  return silent.length === 0 ? {} : { notCounted: silent.join('; ') };
}

/** The end of what was printed, on both streams as it came. */
class Tail {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let [first] = this.#chunks; first !== undefined; [first] = this.#chunks) {
      if (this.#bytes - first.length < TAIL_BYTES_MAX) return;
      this.#chunks.shift();
      this.#bytes -= first.length;
    }
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
