/** One fact of a run as one line for a person: when, and what it means. */
import type { Signal, StoredEvent } from '../../protocol/event.ts';
import { isAgentSignal } from '../../protocol/event.ts';
import { describeAgentSignal } from '../../reports/describe-signal.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { gateTail, describeGate } from './gate-lines.ts';

type Style = Parameters<typeof paint>[1];

export function formatEvent(context: CliContext, event: StoredEvent, sinceMs: number): string {
  const [style, words] = describeGate(event) ?? wordsOf(event);
  const when = `${((event.at - sinceMs) / 1000).toFixed(1)}s`.padStart(8);
  return `${paint(context, 'dim', when)}  ${paint(context, style, printable(words).replaceAll('\n', ' '))}\n${gateTail(context, event)}`;
}

/** Steps in between that say nothing to whoever waits for the end, as long as they go well. */
export function isQuietEvent(event: StoredEvent): boolean {
  if (event.type === 'command.noted') return event.payload.note['kind'] === 'reserved';
  if (event.type === 'command.begun')
    return event.payload.command === 'survey' || event.payload.command === 'finalize';
  if (event.type !== 'command.ended' || !/^(?:survey|cool|finalize)-/.test(event.payload.key))
    return false;
  const { end } = event.payload;
  return end.kind === 'done' && end.result['kind'] !== 'unfinished';
}

function wordsOf(event: StoredEvent): readonly [Style, string] {
  switch (event.type) {
    case 'run.submitted':
      return ['dim', `submitted for ${event.payload.project}`];
    case 'run.forked':
      return ['dim', `goes on from run ${event.payload.from}, fact ${event.payload.seq}`];
    case 'command.begun':
      return ['cyan', begun(event.payload.key, event.payload.command, event.payload.input)];
    case 'command.noted':
      return ['dim', noted(event.payload.key, event.payload.note)];
    case 'command.cancelled':
      return [
        'yellow',
        `${event.payload.key} is ${event.payload.how === 'ask' ? 'asked to end' : 'killed'}`,
      ];
    case 'command.ended':
      return ended(event.payload.key, event.payload.end);
    case 'signal.received':
      return ['yellow', signalled(event.payload.signal)];
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
      const also = included.length === 0 ? '' : `, by your leave ${included.join(', ')}`;
      return ['cyan', `run ${run}: ${files} files are being applied to ${where}${also}`];
    }
    case 'apply.ended':
      return ['cyan', `run ${event.payload.run}: ${event.payload.how}`];
    case 'prune.begun': {
      const { runs, agents = 0 } = event.payload;
      return ['dim', `what ${runs} old runs and ${agents} agents have left is being removed`];
    }
    case 'prune.ended': {
      const { runs, agents = 0, bytes, stays } = event.payload;
      const whose = `${runs} runs and ${agents} agents`;
      return ['dim', `removed ${bytes} bytes of ${whose}; ${stays} things stay`];
    }
    case 'cooldown.set': {
      const { agent, until, reason } = event.payload;
      return ['yellow', `${agent} rests until ${new Date(until).toISOString()}: ${reason}`];
    }
    case 'cooldown.cleared':
      return ['dim', `may be tried again: ${event.payload.identities.join(', ')}`];
    case 'notice.begun': {
      const { run, about } = event.payload;
      return [
        'dim',
        `run ${run}: somebody is told that it ${about === 'asks' ? about : 'has ended'}`,
      ];
    }
    case 'notice.ended':
      return ['dim', `run ${event.payload.run}: ${event.payload.how}`];
    case 'tree.kept':
      return ['dim', 'the tree of agents is as follows from here'];
    case 'watch.noted':
      return [
        'dim',
        `the ${event.payload.monitor} monitor remembers ${event.payload.who} as it is`,
      ];
    case 'watch.kept':
      return ['dim', 'what the monitors remember is as follows from here'];
    case 'tree.restarting': {
      const { supervisor, child, streak } = event.payload;
      return ['yellow', `${supervisor} restarts ${child} (${streak} in a row)`];
    }
  }
}

function signalled(signal: Signal): string {
  if (isAgentSignal(signal)) return describeAgentSignal(signal);
  if (signal.kind !== 'answer') return `signal: ${signal.kind}`;
  const { answer, budgetUsd } = signal;
  return `answer: ${answer}${budgetUsd === undefined ? '' : ` (with $${budgetUsd} more)`}`;
}

type Fields = Readonly<Record<string, unknown>>;

function begun(key: string, command: string, input: Fields): string {
  if (command === 'wait')
    return `${key}: waits until ${new Date(Number(input['until'])).toISOString()} (${String(input['why'])})`;
  if (command === 'ask') return `${key}: asks ${String(input['question'])}`;
  if (command === 'survey') return `${key} looks at who is free`;
  if (command === 'cool')
    return `${key}: ${String(input['agent'])} rests until ${String(input['until'])} (${String(input['reason'])})`;
  if (command === 'spread') return `${key}: tells all the others ${String(input['answer'])}`;
  if (command === 'tell') return `${key}: tells ${String(input['to'])} ${String(input['text'])}`;
  if (command === 'take') return `${key} looks into its queue ${String(input['dir'])}`;
  if (command === 'put') return `${key}: ${String(input['name'])} is put ${String(input['to'])}`;
  const agent = input['agent'] as Fields | undefined;
  return agent === undefined ? `${key} begins` : `${key} begins with ${String(agent['id'])}`;
}

function money(note: Fields): string {
  return `${String(note['tokens'])} tokens for $${Number(note['usd']).toFixed(4)}`;
}

function noted(key: string, note: Fields): string {
  if (note['kind'] === 'judges') return judges(key, note);
  if (note['kind'] === 'kept') return `${key}: ${String(note['files'])} changed files are kept`;
  if (note['kind'] === 'reserved') return `${key}: a model call may take ${money(note)}`;
  if (note['kind'] === 'spent') return `${key}: ${money(note)}`;
  if (note['kind'] === 'over-budget')
    return note['because'] === 'price-unknown'
      ? `${key}: the model has no price, and this ${String(note['scope'])} has a budget in usd`
      : `${key}: the ${String(note['limit'])} budget of this ${String(note['scope'])} is spent`;
  if (note['kind'] === 'removed')
    return `${key}: taken out of its model calls: ${listed(note['names']) ?? 'nothing'}`;
  if (note['kind'] === 'gateway-failed')
    return `${key}: its gateway failed: ${String(note['message'])}`;
  if (note['kind'] === 'recorded')
    return `${key}: ${String(note['calls'])} model calls are recorded`;
  if (note['kind'] === 'quota')
    return `${key}: the plan of ${String(note['wire'])} is ${String(note['status'])}`;
  if (note['kind'] === 'planned') return `${key} depends on ${listed(note['inputs']) ?? 'no file'}`;
  if (note['kind'] === 'asked') return asked(key, note);
  if (note['kind'] === 'damaged') return `${key}: what was made before is not as it was`;
  if (note['kind'] !== 'started') return `${key}: ${JSON.stringify(note)}`;
  const contained = note['sandbox'] === 'none' ? 'not contained' : `in ${String(note['sandbox'])}`;
  const granted = listed(note['granted']);
  const given = granted === undefined ? '' : `, given ${granted}`;
  return `${key} runs as pid ${String(note['pid'])}, ${contained}${given}`;
}

function asked(key: string, { reached, refused }: Fields): string {
  const not = listed(refused);
  return `${key} reached ${listed(reached) ?? 'nobody'}${not === undefined ? '' : `, and not ${not}`}`;
}

function listed(names: unknown): string | undefined {
  return Array.isArray(names) && names.length > 0 ? names.join(', ') : undefined;
}

function judges(key: string, { commit, restored, definition }: Fields): string {
  const what =
    typeof commit === 'string' ? `what is kept as ${commit.slice(0, 12)}` : 'the project';
  const changed = listed(restored);
  const how =
    definition === 'of-work'
      ? ', as it is itself'
      : changed === undefined
        ? ''
        : `, with ${changed} as before the work`;
  return `${key} judges ${what}${how}`;
}

function ended(
  key: string,
  end: Extract<StoredEvent, { type: 'command.ended' }>['payload']['end'],
): readonly [Style, string] {
  switch (end.kind) {
    case 'lost':
      return ['yellow', `${key} was lost with its owner`];
    case 'defect':
      return ['red', `${key} hit a fault of ours: ${end.message}`];
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
