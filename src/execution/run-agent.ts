/** Runs the agent of an attempt: starts it, records its output, and waits for its end. */
import { defined } from '../base/defined.ts';
import { Refusal } from '../base/errors.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { agentInvocation } from './agent-invocation.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import type { AttemptRun } from './attempt-run.ts';
import type { RunningAgent } from './environments/environment.ts';
import { OutputRecorder } from './output-recorder.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import { refusalOr, startRefused } from './refusal-outcome.ts';
import { noTimeLeft, spentTimeBudget, timeSpentNote } from './time-budget-end.ts';
import { waitForEnd } from './wait-for-end.ts';

/** Returns an outcome only if the agent did not start. */
export async function runAgent(
  attempt: PreparedAttempt,
): Promise<AttemptRun | Exclude<AttemptOutcome, { kind: 'completed' }>> {
  const { request, input, environment, context, ports } = attempt;
  const { invocation, session, prompt } = agentInvocation(attempt);
  if (invocation.kind === 'refused') return startRefused(`${input.agent.cli} ${invocation.why}`);
  if (context.cancelSignal.aborted) return { kind: 'stopped' };
  const { redactor, giveUpSignal, timeBudget } = environment;
  const spent = timeBudget && spentTimeBudget(timeBudget, ports.clock.now());
  if (spent !== undefined) {
    await context.note(timeSpentNote(spent));
    return noTimeLeft(spent);
  }
  const recorder = new AttemptRecorder(attempt, session);
  const dir = await ports.outputDir(request.run);
  await using output = await OutputRecorder.open(
    { dir, key: request.key, bytesMax: input.outputBytesMax, redactor },
    (stream, bytes) => recorder.read(stream, bytes),
  );
  const streams = {
    onStdout: (chunk: Uint8Array) => output.write('stdout', chunk),
    onStderr: (chunk: Uint8Array) => output.write('stderr', chunk),
  };
  const started = await refusalOr(
    environment.start({ ...invocation, prompt }, streams, context.cancelSignal),
  );
  if (started instanceof Refusal) return startRefused(started);
  attempt.reportActivity({ kind: 'turn-begun', folder: environment.tree.folder });
  const { askSignal } = invocation;
  const conditions = { ...input, askSignal, giveUpSignal, ...defined({ timeBudget }) };
  const [ended] = await Promise.all([
    waitForEnd(started, conditions, context, ports.clock),
    noteStart(started, attempt, { takesMessages: true }),
  ]);
  await output.end();
  const recorded = recorder.end();
  attempt.reportActivity({ kind: 'turn-ended' });
  return { kind: 'ran', ...ended, ...recorded };
}

/** An agent whose start could not be recorded must not continue. */
export async function noteStart(
  agent: RunningAgent,
  { context, environment }: Pick<PreparedAttempt, 'context' | 'environment'>,
  { takesMessages }: { readonly takesMessages: boolean },
): Promise<void> {
  try {
    const { messages } = environment;
    const way = messages === null || !takesMessages ? {} : { messages: messages.name };
    await context.note({ kind: 'started', pid: agent.pid, ...agent.sandboxNote, ...way });
  } catch (error) {
    await agent.kill();
    throw error;
  }
}
