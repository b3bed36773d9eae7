/**
 * Events of a run for tests. A test writes only the fields that it is about, so these are cast. A note or an end
 * without its command gets the command that its key names.
 */
import type { CommandContext, CommandRequest, Performer } from '../../src/engine/performer.ts';
import type { Command, CommandEnd } from '../../src/protocol/commands.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import type { Submission } from '../../src/protocol/run-submission.ts';
import { COMMANDS } from '../../src/public-json/public-event.ts';
import { AGENT_PROGRAM } from '../../src/protocol/agent-program-name.ts';

/** A key that names no command is one of an attempt. A question about an issue is called after the issue. */
function commandOf(key: string): Command {
  if (key.startsWith('issue-')) return 'ask';
  return COMMANDS.find((command) => key.startsWith(`${command}-`)) ?? 'attempt';
}

export function runEvent<Type extends NewRunEvent['type']>(event: {
  readonly type: Type;
  readonly payload: object;
}): Extract<NewRunEvent, { type: Type }> {
  const { type, payload } = event;
  if (type === 'run.submitted')
    return { type, payload: submission(payload) } as Extract<NewRunEvent, { type: Type }>;
  if (type === 'command.begun' && 'command' in payload && payload.command === 'attempt')
    return withAttemptInput(payload) as Extract<NewRunEvent, { type: Type }>;
  const isOfCommand = type === 'command.noted' || type === 'command.ended';
  if (!isOfCommand || 'command' in payload || !('key' in payload))
    return event as Extract<NewRunEvent, { type: Type }>;
  const { key, ...rest } = payload as { readonly key: string };
  const whole = { type, payload: { key, command: commandOf(key), ...rest } };
  return whole as unknown as Extract<NewRunEvent, { type: Type }>;
}

/** An attempt has at least an agent, a reason and the number in its key, and continues no conversation. */
function withAttemptInput(payload: object): NewRunEvent {
  const { input, key = '' } = payload as { readonly input?: object; readonly key?: string };
  const number = Number(/\d+$/.exec(key)?.[0] ?? 1);
  const agent = { id: 'a', cli: 'a', args: [], env: {} };
  const least = { agent, number, why: { kind: 'first' }, resume: null, resumePrompt: null };
  const whole = { ...payload, input: { ...least, ...input } };
  return { type: 'command.begun', payload: whole } as unknown as NewRunEvent;
}

/** A long-lived agent has at least a parent, or none. */
export function submission(written: object): Submission {
  const { program, settings } = written as {
    readonly program?: string;
    readonly settings?: object;
  };
  if (program !== AGENT_PROGRAM || (settings !== undefined && 'longLived' in settings))
    return written as Submission;
  return {
    ...written,
    settings: { ...settings, longLived: { parent: null } },
  } as unknown as Submission;
}

type LooseRequest = Omit<CommandRequest, 'input'> & {
  readonly input: Readonly<Record<string, unknown>>;
};
export type LooseContext = Omit<CommandContext, 'note'> & {
  readonly note: (fact: object) => Promise<void>;
};

/** A performer whose input, notes and result have only the fields that a test is about. */
export function loosePerformer(
  command: string,
  perform: (request: LooseRequest, context: LooseContext) => Promise<object>,
): Performer {
  return { command, perform } as unknown as Performer;
}

/** The end of a command whose result has only the fields that a test is about. */
export type LooseEnd =
  | Exclude<CommandEnd, { kind: 'done' }>
  | { readonly kind: 'done'; readonly result: object };
