/** The texts of the demo: one line per event, and at the end the result and the attempts. */
import { plural, truncate } from '../../base/text.ts';
import type { CommandBegun, CommandEnded } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { describeOutcome } from '../../protocol/words/outcome-words.ts';
import { describeRedGate } from '../../protocol/words/red-gate-words.ts';
import { paint } from '../cli-context.ts';
import type { DemoEnvironment } from './demo-environment.ts';

export type Narration = readonly [style: Parameters<typeof paint>[1], text: string];
type Attempt = { readonly number: number; readonly agent: string; end: string };

/** The lines of the demo fit into 80 columns, with their time and who speaks. */
const MESSAGE_MAX = 54;
const STEPS_PER_LINE = 6;

/** Undefined if the event does not matter to a viewer. */
export function narrateEvent(event: RunEvent): Narration | undefined {
  if (event.type === 'command.begun') return begun(event.payload);
  if (event.type === 'command.ended') return ended(event.payload);
  if (event.type !== 'run.ended') return undefined;
  const { kind, reason } = event.payload.outcome;
  return [kind === 'succeeded' ? 'green' : 'red', describeOutcome({ kind, reason })];
}

function ended({ key, command, end }: CommandEnded): Narration | undefined {
  if (end.kind === 'interrupted')
    return ['yellow', `${key} was interrupted: the owner process died`];
  if (end.kind === 'defect') return undefined;
  if (command === 'attempt') {
    if (end.result.kind === 'failed')
      return ['yellow', `${key}: ${truncate(end.result.message, MESSAGE_MAX)}`];
    return end.result.kind === 'completed'
      ? ['cyan', `${key} reports: ${end.result.summary}`]
      : undefined;
  }
  if (command === 'baseline') {
    const { outcome } = end.result;
    return outcome.kind === 'failed'
      ? ['yellow', `! gate ${outcome.name}: red on the base, before any work`]
      : undefined;
  }
  if (command !== 'gate') return undefined;
  if (end.result.kind === 'passed') {
    const { counted } = end.result;
    const tests = counted === undefined ? '' : `: ${plural(counted.passed, 'test')} passed`;
    return ['green', `✔ gate ${end.result.name}${tests}`];
  }
  const { name, kind } = end.result;
  const output = end.result.kind === 'failed' ? end.result.tail : end.result.why;
  return ['red', `✖ ${describeRedGate({ name, kind, output })}`];
}

function begun({ key, command, input }: CommandBegun): Narration | undefined {
  if (command === 'attempt') return ['dim', `${key} begins with ${input.agent.id}`];
  if (command === 'set-cooldown')
    return ['yellow', `${input.agent} is rate-limited; the next agent continues`];
  if (command === 'wait') return ['yellow', `all agents are cooling down: ${input.why}`];
  return undefined;
}

/** Prints the work, the attempts and the verdict. Returns true if everything is as expected. */
export function narrateEnd(
  environment: DemoEnvironment,
  history: readonly RunEvent[],
  { kills, troubles }: { readonly kills: number; readonly troubles: number },
): boolean {
  const { context, steps: wanted } = environment;
  const steps = environment.work();
  const twice = steps.length - new Set(steps).size;
  context.out(`\n${paint(context, 'bold', 'The work on disk')}  WORK.md\n`);
  for (let first = 0; first < steps.length; first += STEPS_PER_LINE) {
    const row = steps.slice(first, first + STEPS_PER_LINE).map((step) => `+ ${step.padEnd(9)}`);
    context.out(`  ${paint(context, 'green', row.join('').trimEnd())}\n`);
  }
  context.out(`\n${paint(context, 'bold', 'Attempts')}\n`);
  for (const { number, agent, end } of listAttempts(history))
    context.out(`  ${String(number).padStart(2)}  ${agent.padEnd(6)} ${end}\n`);
  const last = history.at(-1);
  const succeeded = last?.type === 'run.ended' && last.payload.outcome.kind === 'succeeded';
  const good = steps.length === wanted && twice === 0 && succeeded;
  const wrongs = kills + troubles === 1 ? 'One thing' : plural(kills + troubles, 'thing');
  const verdict = good
    ? `${plural(steps.length, 'step')}, none lost, none done twice, verified by a gate.\n${wrongs} went wrong on the way.`
    : `This is not the expected end: ${steps.length} of ${wanted} steps, ${twice} done twice.`;
  context.out(`\n${paint(context, good ? 'green' : 'red', verdict)}\n`);
  return good;
}

function listAttempts(history: readonly RunEvent[]): readonly Attempt[] {
  const attempts = new Map<string, Attempt>();
  let lastKey = '';
  for (const event of history) {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') {
      lastKey = event.payload.key;
      const agent = event.payload.input.agent.id;
      attempts.set(lastKey, { number: attempts.size + 1, agent, end: 'is running' });
    }
    if (event.type !== 'command.ended') continue;
    const { key, command, end } = event.payload;
    const attempt = attempts.get(command === 'gate' ? lastKey : key);
    if (attempt === undefined) continue;
    if (end.kind === 'interrupted') attempt.end = 'interrupted: the owner process died';
    if (end.kind !== 'done') continue;
    if (command === 'attempt' && end.result.kind === 'failed') attempt.end = end.result.reason;
    if (command === 'attempt' && end.result.kind === 'completed') attempt.end = 'says it is done';
    if (command === 'gate')
      attempt.end += end.result.kind === 'passed' ? ' ✔' : ', and it is not ✖';
  }
  return [...attempts.values()];
}
