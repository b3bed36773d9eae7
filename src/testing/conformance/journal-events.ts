/** Events for tests of journals, with as little in them as their schemas allow. A journal reads no payload. */
import type { NewRunEvent } from '../../protocol/event.ts';

export function submitted(project = '/project', task = 'do it'): NewRunEvent {
  return event('run.submitted', { program: 'test', task, project, settings: {} });
}

export function begun(key: string, command = 'work'): NewRunEvent {
  return event('command.begun', { key, command, input: {}, limits: [] });
}

export function noted(key: string, text: string): NewRunEvent {
  return event('command.noted', { key, command: 'work', note: { text } });
}

export function ended(key: string, end: object = { kind: 'done', result: {} }): NewRunEvent {
  return event('command.ended', { key, command: 'work', end });
}

export function finished(): NewRunEvent {
  return { type: 'run.ended', payload: { outcome: { kind: 'succeeded', reason: 'done' } } };
}

export function event(type: NewRunEvent['type'], payload: object): NewRunEvent {
  return { type, payload } as NewRunEvent;
}
