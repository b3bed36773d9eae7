/** Formats one event as one line: the time, and what happened. */
import { plural } from '../../base/text.ts';
import type {
  Command,
  CommandBegun,
  CommandEnded,
  CommandNoted,
  Note,
  Result,
} from '../../protocol/commands.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/signal.ts';
import { isAgentSignal } from '../../protocol/signal.ts';
import { describeAgentSignal } from '../../reports/describe-signal.ts';
import { costWords } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { gateTail, describeGate } from './gate-lines.ts';

type Style = Parameters<typeof paint>[1];

export function formatEvent(context: CliContext, event: StoredEvent, sinceMs: number): string {
  const [style, text] = describeGate(event) ?? describeEvent(event);
  const when = `${((event.at - sinceMs) / 1000).toFixed(1)}s`.padStart(8);
  return `${paint(context, 'dim', when)}  ${paint(context, style, printable(text).replaceAll('\n', ' '))}\n${gateTail(context, event)}`;
}

/** Whether the event is an internal step that succeeded, which does not matter to a person who waits for the end. */
export function isQuietEvent(event: StoredEvent): boolean {
  if (event.type === 'command.noted') return isBookkeeping(event.payload.note);
  if (event.type === 'command.begun')
    return event.payload.command === 'check-availability' || event.payload.command === 'finalize';
  if (event.type !== 'command.ended') return false;
  const { command, end } = event.payload;
  if (command === 'finalize') return end.kind === 'done' && end.result.kind !== 'unfinished';
  return (command === 'check-availability' || command === 'set-cooldown') && end.kind === 'done';
}

/** The status line and the summary have the sum of these. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['reserved', 'spent', 'session', 'recorded']);

function isBookkeeping(note: CommandNoted['note']): boolean {
  return BOOKKEEPING.has(note.kind) || (note.kind === 'quota' && note.status === 'ok');
}

function describeEvent(event: StoredEvent): readonly [Style, string] {
  switch (event.type) {
    case 'run.submitted':
      return ['dim', `submitted for ${event.payload.project}`];
    case 'run.forked':
      return ['dim', `continues run ${event.payload.from} from fact ${event.payload.seq}`];
    case 'command.begun':
      return ['cyan', begun(event.payload)];
    case 'command.noted':
      return ['dim', noted(event.payload)];
    case 'command.cancelled':
      return [
        'yellow',
        `${event.payload.key} is ${event.payload.how === 'ask' ? 'asked to exit' : 'killed'}`,
      ];
    case 'command.ended':
      return ended(event.payload);
    case 'signal.received':
      return ['yellow', describeSignal(event.payload.signal)];
    case 'run.ended': {
      const { kind, reason } = event.payload.outcome;
      const good = kind === 'succeeded' || kind === 'unverified';
      return [good ? 'green' : 'red', `${kind}: ${reason}`];
    }
    case 'owner.started':
      return [
        'dim',
        `an owner started (pid ${event.payload.pid}, version ${event.payload.version})`,
      ];
    case 'owner.stopped':
      return ['dim', `the owner stopped: ${event.payload.reason}`];
    case 'apply.begun': {
      const { run, files, branch, included = [] } = event.payload;
      const where = branch === null ? 'the project' : `the branch ${branch}`;
      const also =
        included.length === 0 ? '' : `, including ${included.join(', ')} as you approved`;
      return ['cyan', `run ${run}: applying ${plural(files, 'file')} to ${where}${also}`];
    }
    case 'apply.ended':
      return ['cyan', `run ${event.payload.run}: ${event.payload.how}`];
    case 'apply.committed': {
      const { run, made, branch } = event.payload;
      const where = branch === null ? '' : ` on ${branch}`;
      return ['cyan', `run ${run}: committed as ${made.slice(0, 12)}${where}`];
    }
    case 'undo.begun': {
      const { run, files } = event.payload;
      return ['cyan', `run ${run}: undoing its apply of ${plural(files, 'file')}`];
    }
    case 'undo.ended':
      return ['cyan', `run ${event.payload.run}: ${event.payload.how}`];
    case 'prune.begun': {
      const { runs, agents = 0 } = event.payload;
      return [
        'dim',
        `deleting the files of ${plural(runs, 'old run')} and ${plural(agents, 'agent')}`,
      ];
    }
    case 'prune.ended': {
      const { runs, agents = 0, bytes, remaining } = event.payload;
      const whose = `${plural(runs, 'run')} and ${plural(agents, 'agent')}`;
      return [
        'dim',
        `deleted ${plural(bytes, 'byte')} of ${whose}; ${plural(remaining, 'item')} could not be deleted`,
      ];
    }
    case 'cooldown.set': {
      const { agent, until, reason } = event.payload;
      return [
        'yellow',
        `${agent} is cooling down until ${new Date(until).toISOString()}: ${reason}`,
      ];
    }
    case 'cooldown.cleared':
      return ['dim', `cooldown ended: ${event.payload.identities.join(', ')}`];
    case 'notification.begun': {
      const { run, about } = event.payload;
      return [
        'dim',
        `run ${run}: sending a notification that it ${about === 'asks' ? 'has a question' : 'has ended'}`,
      ];
    }
    case 'notification.ended':
      return ['dim', `run ${event.payload.run}: ${event.payload.how}`];
    case 'tree.snapshot':
      return ['dim', 'agent tree snapshot'];
    case 'monitor.noted':
      return [
        'dim',
        `the ${event.payload.monitor} monitor saved its state of ${event.payload.subject}`,
      ];
    case 'monitor.snapshot':
      return ['dim', 'monitor snapshot'];
    case 'tree.restarting': {
      const { supervisor, child, streak } = event.payload;
      return ['yellow', `${supervisor} restarts ${child} (${streak} in a row)`];
    }
  }
}

function describeSignal(signal: Signal): string {
  if (isAgentSignal(signal)) return describeAgentSignal(signal);
  if (signal.kind !== 'answer') return `signal: ${signal.kind}`;
  const { answer, budgetUsd, budgetTokens } = signal;
  const more = budgetUsd === undefined ? '' : ` (with $${budgetUsd} more)`;
  const cap = budgetTokens === undefined ? '' : ` (up to ${budgetTokens} tokens)`;
  return `answer: ${answer}${more}${cap}`;
}

function begun({ key, command, input }: CommandBegun): string {
  switch (command) {
    case 'wait':
      return `${key}: waiting until ${new Date(input.until).toISOString()} (${input.why})`;
    case 'ask':
      return `${key}: question: ${input.question}`;
    case 'check-availability':
      return `${key} checks which agents are available`;
    case 'set-cooldown':
      return `${key}: ${input.agent} is cooling down until ${input.until} (${input.reason})`;
    case 'broadcast':
      return `${key}: sends ${input.answer} to all the others`;
    case 'send-message':
      return `${key}: message to ${input.to}: ${input.text}`;
    case 'claim-item':
      return `${key} reads the queue ${input.dir}`;
    case 'release-item':
      return input.to === 'done'
        ? `${key}: marks ${String(input.name)} as done`
        : `${key}: returns ${input.name ?? 'the claimed file'} to the queue`;
    case 'attempt':
      return `${key} begins with ${input.agent.id}`;
    case 'gate':
    case 'setup':
    case 'finalize':
      return `${key} begins`;
  }
}

type Amount = { readonly tokens: number; readonly usd: number };

function money({ tokens, usd }: Amount, isPartial: boolean): string {
  if (isPartial && usd === 0) return `${plural(tokens, 'token')} at an unknown price`;
  return `${plural(tokens, 'token')} for ${costWords({ usd, isPartial }, 4)}`;
}

function noted({ key, note }: CommandNoted): string {
  switch (note.kind) {
    case 'judges':
      return judges(key, note);
    case 'committed':
      return `${key}: ${plural(note.files, 'changed file')} committed`;
    case 'not-committed':
      return `${key}: the work could not be committed: ${note.message}`;
    case 'session':
      return `${key}: the conversation is ${note.session}`;
    case 'reserved':
      return `${key}: a model call may use up to ${money(note, note.unpriced === true)}`;
    case 'spent':
      return `${key}: ${money(note, (note.unpriced ?? 0) > 0)}`;
    case 'over-budget':
      return note.because === 'price-unknown'
        ? `${key}: the price of ${note.model ?? 'the model'} is unknown, and this ${note.scope} has a budget in US dollars`
        : `${key}: the ${note.limit} budget of this ${note.scope} is spent`;
    case 'removed':
      return `${key}: removed from its model calls: ${listed(note.names) ?? 'nothing'}`;
    case 'gateway-failed':
      return `${key}: its gateway failed: ${note.message}`;
    case 'recorded':
      return `${key}: ${plural(note.calls, 'model call')} recorded`;
    case 'quota':
      return `${key}: the plan of ${note.wire} is ${note.status}`;
    case 'planned':
      return `${key} depends on ${listed(note.inputs) ?? 'no file'}`;
    case 'network-use': {
      const not = listed(note.refused);
      return `${key} reached ${listed(note.reached) ?? 'no host'}${not === undefined ? '' : `; blocked: ${not}`}`;
    }
    case 'damaged':
      return `${key}: the stored setup was changed and is made again`;
    case 'started': {
      const { pid, sandbox } = note;
      const contained = sandbox === 'none' ? 'not contained' : `in ${sandbox}`;
      const granted = listed(note.granted ?? []);
      const given = granted === undefined ? '' : `, with access to ${granted}`;
      return `${key} runs as pid ${String(pid)}, ${contained}${given}`;
    }
  }
}

function listed(names: readonly string[]): string | undefined {
  return names.length > 0 ? names.join(', ') : undefined;
}

function judges(
  key: string,
  { commit, restored, definition }: Extract<Note<'gate'>, { kind: 'judges' }>,
): string {
  const what = commit === null ? 'the project' : `commit ${commit.slice(0, 12)}`;
  const changed = listed(restored);
  const how =
    definition === 'of-work'
      ? ', with its own definition'
      : changed === undefined
        ? ''
        : `, with ${changed} from before the work`;
  return `${key} checks ${what}${how}`;
}

function ended({ key, end }: CommandEnded): readonly [Style, string] {
  switch (end.kind) {
    case 'interrupted':
      return ['yellow', `${key} was interrupted: the owner process died`];
    case 'defect':
      return ['red', `${key} failed with an internal error: ${end.message}`];
    case 'done':
      return done(key, end.result);
  }
}

function done(key: string, result: Result<Command>): readonly [Style, string] {
  const kind = 'kind' in result ? result.kind : 'ended';
  const more = describeResult(result);
  return [
    kind === 'failed' ? 'red' : 'cyan',
    [`${key} ${kind}`, ...(more === undefined ? [] : [more])].join(': '),
  ];
}

function describeResult(result: Result<Command>): string | undefined {
  if ('summary' in result) return result.summary;
  if ('message' in result) return result.message;
  if ('name' in result) return result.name;
  return 'why' in result ? result.why : undefined;
}
