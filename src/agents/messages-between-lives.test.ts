/** Messages and triggers between two lives: the next life receives them once. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_TRIGGERS } from '../monitors/triggers.ts';
import type { Signal } from '../protocol/signal.ts';
import type { Trigger } from '../protocol/agent-rules.ts';
import { failed } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const live = (life: number): Signal => ({ kind: 'start-life', life });
const cut = (trigger: Trigger): Signal => ({ kind: 'trigger', trigger });
const HALT: Signal = { kind: 'end-life', because: 'a sibling failed' };
const SPENT: Signal = { kind: 'restarts-exhausted', because: '4 failures in 300 s' };
const HELLO: Signal = { kind: 'message', from: null, text: 'hello there' };
const SPINS = cut({ kind: 'spinning', call: 'ls' });
const WRONG = cut({ kind: 'wrong-changeset', feedback: 'no tests' });
const GANG = cut({ kind: 'gang', failed: 0, decided: true });
const ladder = { ...DEFAULT_TRIGGERS, models: ['small', 'large', 'huge'] };
const wait = { onDone: 'wait' } as const;
const idle = { onDone: 'next', queue: { dir: '/q', onEmpty: 'idle' } } as const;
const ONE = { kind: 'claimed', name: '1', text: 'do one' } as const;

function heardIn(script: AgentScript): string {
  return driveAgent(script).prompts.join('\n===\n');
}

describe('a message between two lives', () => {
  const cases: [why: string, AgentScript][] = [
    [
      'wakes an agent that waits',
      { turns: ['{"status":"waiting"}', 'open'], later: [HALT, HELLO, live(2)] },
    ],
    [
      'wakes an agent that is done',
      { life: wait, turns: ['DONE', 'open'], later: [HALT, HELLO, live(2)] },
    ],
    [
      'reaches an agent that crashed',
      { turns: [failed('crashed'), 'open'], later: [HELLO, live(2)] },
    ],
    [
      'answers an agent that asked',
      {
        turns: [failed('needs_input'), failed('needs_input'), 'open'],
        says: { 'ask-1': [HALT] },
        later: [HELLO, live(2)],
      },
    ],
    [
      'comes before the next claim from the queue',
      {
        life: idle,
        turns: ['DONE', 'open'],
        says: { 'claim-item-1': [HALT] },
        later: [HELLO, live(2)],
      },
    ],
  ];
  for (const [why, script] of cases)
    test(why, () => {
      const { prompts, status, state } = driveAgent(script);
      assert.equal(status.life, 2);
      assert.equal(prompts.join('\n').split('hello there').length, 2, prompts.join('\n===\n'));
      assert.deepEqual([state.mailbox.inbox, state.phase.kind], [[], 'turn']);
    });
});

describe('a trigger between two lives', () => {
  const crash = { turns: [failed('crashed', { session: 's' }), 'open'] };

  test('changes the next one: another tree, a stronger model, and the reason', () => {
    const { trace, prompts } = driveAgent({
      ...crash,
      life: { triggers: ladder },
      model: 'small',
      later: [WRONG, live(2)],
    });
    assert.deepEqual(trace, [
      ...['turn with small', 'exit failed: crashed: crashed'],
      'turn on tree 2 with large',
    ]);
    assert.match(
      prompts[1] ?? '',
      /restarted due to: crashed: crashed\n.*\n.*work was rejected: no tests/,
    );
  });

  test('that is repeated is applied once, and each reason is delivered', () => {
    const worse = cut({ kind: 'wrong-changeset', feedback: 'and no docs' });
    const { trace, prompts } = driveAgent({
      ...crash,
      life: { triggers: ladder },
      model: 'small',
      later: [WRONG, WRONG, worse, SPINS, live(2)],
    });
    assert.equal(trace.at(-1), 'turn on tree 2 with large');
    for (const words of ['no tests', 'and no docs', 'the same call: ls'])
      assert.equal(prompts[1]?.split(words).length, 2, words);
  });

  test('is delivered to one life and not to the one after', () => {
    const script = { turns: [...crash.turns.slice(0, 1), 'a', failed('oom'), 'open'] };
    const { trace, prompts } = driveAgent({ ...script, later: [WRONG, live(2), live(3)] });
    assert.equal(trace.at(-1), 'turn in s on tree 2');
    assert.doesNotMatch(prompts.at(-1) ?? '', /no tests/);
  });

  test('keeps the work if the policy says so, and starts a new conversation', () => {
    const { trace } = driveAgent({ ...crash, later: [GANG, live(2)] });
    assert.deepEqual(trace, ['turn', 'exit failed: crashed: crashed', 'turn']);
  });

  test('that needs a person is asked at once, and not twice', () => {
    const gang = cut({ kind: 'gang', failed: 3 });
    const { trace } = driveAgent({ turns: [failed('crashed')], later: [gang, gang] });
    assert.deepEqual(trace, [
      ...['turn', 'exit failed: crashed: crashed'],
      'asks: ada: 3 agents of one supervisor failed together.',
    ]);
  });

  test('requests a restart of an exhausted agent', () => {
    for (const word of [WRONG, GANG]) {
      const script: AgentScript = {
        turns: [failed('crashed')],
        later: [SPENT],
        says: { 'issue-1': [word] },
      };
      assert.equal(driveAgent(script).status.restartRequested, true);
    }
  });

  test('ends the phase of a halted agent: no old check or question continues', () => {
    const promised = { description: 'a', assertion: ['a'], by: 'parent', timeoutMs: 1 } as const;
    const { trace } = driveAgent({
      life: { commitments: [promised] },
      turns: ['DONE', 'open'],
      says: { 'gate-1': [HALT, WRONG] },
      later: [live(2)],
    });
    assert.deepEqual(trace, [
      ...['turn', 'checks a', 'calls off gate-1', 'exit shutdown: a sibling failed'],
      'turn on tree 2',
    ]);
  });

  test('before the first life has no effect', () => {
    const { trace, prompts } = driveAgent({
      isNotStarted: true,
      turns: ['open'],
      later: [WRONG, live(1)],
    });
    assert.deepEqual(trace, ['turn']);
    assert.doesNotMatch(prompts[0] ?? '', /no tests/);
  });
});

describe('a rejection of the work', () => {
  test('reaches an agent whose life is ending for another reason', () => {
    for (const first of [SPINS, HALT]) {
      const heard = heardIn({
        turns: ['open', 'open'],
        says: { 'attempt-1': [first, WRONG] },
        later: [live(2)],
      });
      assert.match(heard, /work was rejected: no tests/);
    }
  });

  test('withdraws the question of the agent', () => {
    const { trace } = driveAgent({
      turns: [failed('auth'), 'open'],
      says: { 'ask-1': [WRONG] },
      later: [live(2)],
    });
    assert.deepEqual(trace.slice(2), [
      'calls off ask-1',
      'exit failed: You were restarted due to: your work was rejected: no tests',
      'turn on tree 2',
    ]);
  });

  test('is not lost while a file is put away', () => {
    const { trace } = driveAgent({
      life: idle,
      queue: [ONE],
      turns: ['DONE', 'DONE', 'open'],
      says: { 'release-item-1': [HALT, WRONG] },
      later: [live(2)],
    });
    assert.deepEqual(trace.slice(2), [
      ...['turn in s', 'marks 1 done', 'exit shutdown: a sibling failed', 'turn on tree 2'],
    ]);
  });
});
