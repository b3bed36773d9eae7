import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  notes,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import { readLeft } from './collect-step.ts';

const RUN = 'a000000000' as RunId;

async function* back(
  events: readonly NewRunEvent[],
): AsyncGenerator<readonly [RunId, RunEvent], void> {
  const stored = events.map((event, index) => ({
    ...event,
    id: index + 1,
    stream: runStream(RUN),
    seq: index + 1,
    v: 1,
    at: index,
  }));
  for (const event of stored.toReversed()) yield [RUN, event];
  await Promise.resolve();
}

const SIZE = { files: 1, added: 2, deleted: 0, names: ['a.ts'] };

function kept(key: string, commit: string): NewRunEvent {
  const place = { root: '/p', tree: 1, base: 'b0' };
  const note = { kind: 'committed', ...place, commit, content: `t-${commit}`, ...SIZE };
  return notes(key, note);
}

/** The fixture leaves out the command, which a stored end always has. */
function ending(key: string, end: Parameters<typeof ends>[1]): NewRunEvent {
  const event = ends(key, end);
  return { ...event, payload: { ...event.payload, command: 'attempt' } } as NewRunEvent;
}

/** A person accepts a red gate. */
function accepts(key: string, gate: string): readonly NewRunEvent[] {
  const input = { question: 'gate is red', redGate: gate };
  const begun = { type: 'command.begun', payload: { key, command: 'ask', input, limits: [] } };
  const end = { kind: 'done', result: { answer: 'accept', by: 'ada' } };
  const over = { type: 'command.ended', payload: { key, command: 'ask', end } };
  return [begun, over] as unknown as readonly NewRunEvent[];
}

const WORK = { run: RUN, tree: 1, ...SIZE };
const PLAN = { status: 'SUCCESS' };

describe('what the run of a step has left', () => {
  const cases: [why: string, events: readonly NewRunEvent[], expected: unknown][] = [
    [
      'is the answer and the work of the attempt that completed',
      [
        attempt(1, 'claude'),
        kept('attempt-1', 'c1'),
        ending('attempt-1', { kind: 'completed', summary: 'done', answer: PLAN }),
        begins('finalize-1', 'finalize'),
        ended('unverified', 'done'),
      ],
      {
        answer: PLAN,
        summary: 'done',
        failure: null,
        work: { ...WORK, commit: 'c1', content: 't-c1' },
        root: '/p',
        baseCommit: 'b0',
      },
    ],
    [
      'is also what a person accepted of the last attempt although a gate was red',
      [
        ...[attempt(1, 'claude'), kept('attempt-1', 'c1')],
        ending('attempt-1', { kind: 'completed', summary: 'done', answer: PLAN }),
        ...accepts('ask-1', 'lint'),
        attempt(2, 'claude'),
        ending('attempt-2', { kind: 'completed', summary: 'done', answer: PLAN }),
        ...accepts('ask-2', 'test'),
        ...[
          begins('finalize-1', 'finalize'),
          kept('finalize-1', 'c2'),
          ended('unverified', 'done'),
        ],
      ],
      {
        answer: PLAN,
        summary: 'done',
        failure: null,
        work: { ...WORK, commit: 'c2', content: 't-c2' },
        root: '/p',
        baseCommit: 'b0',
        accepted: [{ gate: 'test', by: 'ada' }],
      },
    ],
    [
      'is the work that was stored last, even if the attempt after it stored none',
      [
        attempt(1, 'claude'),
        kept('attempt-1', 'c1'),
        ending('attempt-1', { kind: 'failed', reason: 'network', message: 'no route' }),
        attempt(2, 'codex'),
        ending('attempt-2', { kind: 'failed', reason: 'auth', message: 'logged out' }),
        ended('failed', 'codex: logged out'),
      ],
      {
        answer: null,
        summary: 'logged out',
        failure: {
          type: 'fatal',
          category: 'cli_error',
          recovery: 'terminal',
          concerns: 'identity',
          coolsDown: false,
          reason: 'auth',
          message: 'logged out',
          resetAt: null,
          evidence: [],
        },
        work: { ...WORK, commit: 'c1', content: 't-c1' },
        root: '/p',
        baseCommit: 'b0',
      },
    ],
    [
      'is nothing if no attempt began',
      [ended('failed', 'the setup failed')],
      { answer: null, summary: '', failure: null, work: null, root: null, baseCommit: null },
    ],
    [
      'is no failure if it was stopped',
      [
        attempt(1, 'claude'),
        ending('attempt-1', { kind: 'stopped' }),
        ended('cancelled', 'stopped'),
      ],
      { answer: null, summary: '', failure: null, work: null, root: null, baseCommit: null },
    ],
  ];
  for (const [why, events, expected] of cases)
    test(why, async () =>
      assert.deepEqual(await readLeft(back([submitted(), ...events])), expected),
    );

  test('is an interruption if the owner died in its last attempt', async () => {
    const left = await readLeft(
      back([attempt(1, 'claude'), ending('attempt-1', { kind: 'interrupted' })]),
    );
    assert.equal(left.failure?.reason, 'interrupted');
  });

  test('is searched in a bounded number of facts', async () => {
    const many = Array.from({ length: 50 }, (_, n) =>
      notes(`attempt-${n + 2}`, { kind: 'session', session: 's' }),
    );
    const left = await readLeft(back([kept('attempt-1', 'c1'), ...many]), { factsMax: 50 });
    assert.equal(left.work, null);
  });
});

describe('the conversation that a later step continues', () => {
  const DONE = { kind: 'completed', summary: 'done', session: 's1' } as const;
  const cases: [why: string, events: readonly NewRunEvent[], expected: string | undefined][] = [
    [
      'is that of the attempt that completed last',
      [
        ...[attempt(1, 'codex'), ending('attempt-1', { ...DONE, session: 's0' })],
        ...[attempt(2, 'claude'), kept('attempt-2', 'c1'), ending('attempt-2', DONE)],
        ...[begins('finalize-1', 'finalize'), ended('unverified', 'done')],
      ],
      'claude s1',
    ],
    [
      'is named by a note if the end does not name it',
      [
        attempt(1, 'claude'),
        notes('attempt-1', { kind: 'session', session: 's2' }),
        ending('attempt-1', { kind: 'completed', summary: 'done' }),
      ],
      'claude s2',
    ],
    [
      'is missing if the attempt failed, even if an earlier one completed',
      [
        ...[attempt(1, 'claude'), ending('attempt-1', DONE)],
        attempt(2, 'claude'),
        ending('attempt-2', { kind: 'failed', reason: 'auth', message: 'logged out' }),
      ],
      undefined,
    ],
    [
      'is missing if the agent names none',
      [attempt(1, 'claude'), ending('attempt-1', { kind: 'completed', summary: 'done' })],
      undefined,
    ],
  ];
  for (const [why, events, expected] of cases)
    test(why, async () => {
      const facts = back([submitted(), ...events]);
      const { conversation: found } = await readLeft(facts, { conversation: true });
      assert.equal(found && `${found.agent} ${found.session}`, expected);
    });

  test('is not looked for unless it is asked for', async () => {
    const left = await readLeft(back([attempt(1, 'claude'), ending('attempt-1', DONE)]));
    assert.equal('conversation' in left, false);
  });
});
