import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../base/clock.ts';
import type { NewEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { DEFAULT_HEALTH } from '../monitors/health.ts';
import { DEFAULT_TRIGGERS } from '../monitors/triggers.ts';
import type { LifeSettings } from '../protocol/life.ts';
import { lifeProgram } from './life-program.ts';
import { standingOf } from './standing.ts';

const life: LifeSettings = {
  name: 'backend',
  kind: 'mortal',
  parent: null,
  supervisor: 'agents/pool',
  declared: false,
  commitments: [],
  onDone: 'dismiss',
  queue: null,
  flags: { background: false, perseverance: false, userPresent: false },
  grant: {
    writes: [],
    reads: [],
    hosts: [],
    capabilities: [],
    budget: { usd: null, tokens: null, calls: null, wallMs: null },
  },
  cut: DEFAULT_TRIGGERS,
  health: DEFAULT_HEALTH,
  violations: [],
  restart: { type: 'transient', restartsMax: 3, withinMs: 300_000, backoff: null },
};

test('nothing begins without a life, and a life that ended is told by its exit', () => {
  let state = lifeProgram.start({
    program: 'life',
    task: 't',
    project: '/app',
    settings: { agent: { id: 'a', cli: 'scripted' }, graceMs: 1, lostMax: 2, life },
  });
  const moves = (): readonly string[] => lifeProgram.next(state, at(0), 0).map(({ kind }) => kind);
  const write = (event: NewEvent): void => {
    state = lifeProgram.fold(state, {
      id: 1,
      stream: 'run/a',
      seq: 2,
      v: EVENT_VERSION,
      at: 0,
      ...event,
    });
  };
  assert.deepEqual(moves(), ['stand']);
  write({ type: 'signal.received', payload: { signal: { kind: 'live', life: 2 } } });
  assert.deepEqual(moves(), ['stand']);
  write({ type: 'signal.received', payload: { signal: { kind: 'live', life: 1 } } });
  assert.deepEqual(moves(), ['perform']);
  write({
    type: 'command.begun',
    payload: { key: 'attempt-1', command: 'attempt', input: {}, limits: [] },
  });
  const result = { kind: 'failed', reason: 'crashed', message: 'crashed' };
  write({ type: 'command.ended', payload: { key: 'attempt-1', end: { kind: 'done', result } } });
  assert.deepEqual(moves(), ['stand']);
  assert.deepEqual(standingOf(state).exit, { kind: 'failed', reason: 'crashed' });
});
