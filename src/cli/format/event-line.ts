/** Formats one event as one line: the time, and what happened. */
import type { Signal, StoredEvent } from '../../protocol/event.ts';
import { isAgentSignal } from '../../protocol/event.ts';
import { describeAgentSignal } from '../../reports/describe-signal.ts';
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
  if (event.type === 'command.noted') return event.payload.note['kind'] === 'reserved';
  if (event.type === 'command.begun')
    return event.payload.command === 'survey' || event.payload.command === 'finalize';
  if (event.type !== 'command.ended' || !/^(?:survey|cool|finalize)-/.test(event.payload.key))
    return false;
  const { end } = event.payload;
  return end.kind === 'done' && end.result['kind'] !== 'unfinished';
}

function describeEvent(event: StoredEvent): readonly [Style, string] {
  switch (event.type) {
    case 'run.submitted':
      return ['dim', `submitted for ${event.payload.project}`];
    case 'run.forked':
      return ['dim', `continues run ${event.payload.from} from fact ${event.payload.seq}`];
    case 'command.begun':
      return ['cyan', begun(event.payload.key, event.payload.command, event.payload.input)];
    case 'command.noted':
      return ['dim', noted(event.payload.key, event.payload.note)];
    case 'command.cancelled':
      return [
        'yellow',
        `${event.payload.key} is ${event.payload.how === 'ask' ? 'asked to exit' : 'killed'}`,
      ];
    case 'command.ended':
      return ended(event.payload.key, event.payload.end);
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
      return ['cyan', `run ${run}: applying ${files} files to ${where}${also}`];
    }
    case 'apply.ended':
      return ['cyan', `run ${event.payload.run}: ${event.payload.how}`];
    case 'prune.begun': {
      const { runs, agents = 0 } = event.payload;
      return ['dim', `deleting the files of ${runs} old runs and ${agents} agents`];
    }
    case 'prune.ended': {
      const { runs, agents = 0, bytes, stays } = event.payload;
      const whose = `${runs} runs and ${agents} agents`;
      return ['dim', `deleted ${bytes} bytes of ${whose}; ${stays} items could not be deleted`];
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
    case 'notice.begun': {
      const { run, about } = event.payload;
      return [
        'dim',
        `run ${run}: sending a notification that it ${about === 'asks' ? 'has a question' : 'has ended'}`,
      ];
    }
    case 'notice.ended':
      return ['dim', `run ${event.payload.run}: ${event.payload.how}`];
    case 'tree.kept':
      return ['dim', 'agent tree snapshot'];
    case 'watch.noted':
      return [
        'dim',
        `the ${event.payload.monitor} monitor saved its state of ${event.payload.who}`,
      ];
    case 'watch.kept':
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
  const { answer, budgetUsd } = signal;
  return `answer: ${answer}${budgetUsd === undefined ? '' : ` (with $${budgetUsd} more)`}`;
}

type Fields = Readonly<Record<string, unknown>>;

function begun(key: string, command: string, input: Fields): string {
  if (command === 'wait')
    return `${key}: waiting until ${new Date(Number(input['until'])).toISOString()} (${String(input['why'])})`;
  if (command === 'ask') return `${key}: question: ${String(input['question'])}`;
  if (command === 'survey') return `${key} checks which agents are available`;
  if (command === 'cool')
    return `${key}: ${String(input['agent'])} is cooling down until ${String(input['until'])} (${String(input['reason'])})`;
  if (command === 'spread') return `${key}: sends ${String(input['answer'])} to all the others`;
  if (command === 'tell')
    return `${key}: message to ${String(input['to'])}: ${String(input['text'])}`;
  if (command === 'take') return `${key} reads the queue ${String(input['dir'])}`;
  if (command === 'put') return `${key}: moves ${String(input['name'])} ${String(input['to'])}`;
  const agent = input['agent'] as Fields | undefined;
  return agent === undefined ? `${key} begins` : `${key} begins with ${String(agent['id'])}`;
}

function money(note: Fields): string {
  return `${String(note['tokens'])} tokens for $${Number(note['usd']).toFixed(4)}`;
}

function noted(key: string, note: Fields): string {
  if (note['kind'] === 'judges') return judges(key, note);
  if (note['kind'] === 'kept') return `${key}: ${String(note['files'])} changed files committed`;
  if (note['kind'] === 'reserved') return `${key}: a model call may use up to ${money(note)}`;
  if (note['kind'] === 'spent') return `${key}: ${money(note)}`;
  if (note['kind'] === 'over-budget')
    return note['because'] === 'price-unknown'
      ? `${key}: the price of the model is unknown, and this ${String(note['scope'])} has a budget in USD`
      : `${key}: the ${String(note['limit'])} budget of this ${String(note['scope'])} is spent`;
  if (note['kind'] === 'removed')
    return `${key}: removed from its model calls: ${listed(note['names']) ?? 'nothing'}`;
  if (note['kind'] === 'gateway-failed')
    return `${key}: its gateway failed: ${String(note['message'])}`;
  if (note['kind'] === 'recorded') return `${key}: ${String(note['calls'])} model calls recorded`;
  if (note['kind'] === 'quota')
    return `${key}: the plan of ${String(note['wire'])} is ${String(note['status'])}`;
  if (note['kind'] === 'planned') return `${key} depends on ${listed(note['inputs']) ?? 'no file'}`;
  if (note['kind'] === 'asked') return asked(key, note);
  if (note['kind'] === 'damaged') return `${key}: the stored setup was changed and is made again`;
  if (note['kind'] !== 'started') return `${key}: ${JSON.stringify(note)}`;
  const contained = note['sandbox'] === 'none' ? 'not contained' : `in ${String(note['sandbox'])}`;
  const granted = listed(note['granted']);
  const given = granted === undefined ? '' : `, with access to ${granted}`;
  return `${key} runs as pid ${String(note['pid'])}, ${contained}${given}`;
}

function asked(key: string, { reached, refused }: Fields): string {
  const not = listed(refused);
  return `${key} reached ${listed(reached) ?? 'no host'}${not === undefined ? '' : `; blocked: ${not}`}`;
}

function listed(names: unknown): string | undefined {
  return Array.isArray(names) && names.length > 0 ? names.join(', ') : undefined;
}

function judges(key: string, { commit, restored, definition }: Fields): string {
  const what = typeof commit === 'string' ? `commit ${commit.slice(0, 12)}` : 'the project';
  const changed = listed(restored);
  const how =
    definition === 'of-work'
      ? ', with its own definition'
      : changed === undefined
        ? ''
        : `, with ${changed} from before the work`;
  return `${key} checks ${what}${how}`;
}

function ended(
  key: string,
  end: Extract<StoredEvent, { type: 'command.ended' }>['payload']['end'],
): readonly [Style, string] {
  switch (end.kind) {
    case 'lost':
      return ['yellow', `${key} was interrupted: the owner process died`];
    case 'defect':
      return ['red', `${key} failed with an internal error: ${end.message}`];
    case 'done':
      return done(key, end.result);
  }
}

function done(key: string, result: Fields): readonly [Style, string] {
  const { summary, message, name, why } = result;
  const [kind = 'ended', more] = [result['kind'], summary ?? message ?? name ?? why].map((word) =>
    typeof word === 'string' ? word : undefined,
  );
  return [
    kind === 'failed' ? 'red' : 'cyan',
    [`${key} ${kind}`, ...(more === undefined ? [] : [more])].join(': '),
  ];
}
