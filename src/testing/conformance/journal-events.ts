/** Facts for tests of journals, with as little in them as their schemas allow. */
import type { CommandEnd, NewRunEvent } from '../../protocol/event.ts';

export function submitted(project = '/project', task = 'do it'): NewRunEvent {
  return { type: 'run.submitted', payload: { program: 'test', task, project, settings: {} } };
}

export function begun(key: string, command = 'work'): NewRunEvent {
  return { type: 'command.begun', payload: { key, command, input: {}, limits: [] } };
}

export function noted(key: string, text: string): NewRunEvent {
  return { type: 'command.noted', payload: { key, note: { text } } };
}

export function ended(key: string, end: CommandEnd = { kind: 'done', result: {} }): NewRunEvent {
  return { type: 'command.ended', payload: { key, end } };
}

export function finished(): NewRunEvent {
  return { type: 'run.ended', payload: { outcome: { kind: 'succeeded', reason: 'done' } } };
}
