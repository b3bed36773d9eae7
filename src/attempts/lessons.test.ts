/** Bugs of an earlier system of this kind, each with a test. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agent,
  done,
  failed,
  driveAttempts,
  settingsFor,
} from '../../test/support/drive-attempts.ts';
import type { AttemptScript } from '../../test/support/drive-attempts.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

function trace(script: AttemptScript): readonly string[] {
  return driveAttempts(script).trace;
}

function firstAgent(script: AttemptScript): string | undefined {
  return trace(script).find((line) => line !== 'looks');
}

const three = settingsFor(['a', 'b', 'c']);
const HOUR = 3_600_000;

describe('lessons', () => {
  test('the very first cooldown is stored before another agent begins', () => {
    assert.deepEqual(trace({ settings: three, attempts: [failed('rate_limited'), 'open'] }), [
      ...['looks', 'a', 'cools a until 3601 s', 'looks', 'b at 1 s'],
    ]);
  });

  test('the chosen agent makes the first attempt, in every order', () => {
    const turn: AttemptScript = {
      settings: { ...three, order: 'round-robin' },
      lastFirst: 'a',
      attempts: ['open'],
    };
    const least: AttemptScript = {
      settings: { ...three, order: 'least-used' },
      uses: { 'a::::::': 3, 'b::::::': 2, 'c::::::': 1 },
      attempts: ['open'],
    };
    assert.deepEqual([firstAgent(turn), firstAgent(least)], ['b', 'c']);
  });

  test('the other agents follow the chosen one in their order, once each', () => {
    const crash = failed('crashed');
    const script: AttemptScript = {
      settings: { ...three, order: 'round-robin' },
      lastFirst: 'a',
      attempts: [crash, crash, crash],
    };
    const agents = trace(script).filter((line) => /^[abc]( at|$)/.test(line));
    assert.deepEqual(agents, ['b', 'c at 1 s', 'a at 2 s']);
  });

  test('a fallback does not change the default agent', () => {
    const { inputs, events } = driveAttempts({
      settings: three,
      attempts: [failed('auth'), done],
    });
    assert.deepEqual(
      inputs.map(({ agent }) => agent.id),
      ['a', 'b'],
    );
    assert.ok(events.every(({ type }) => type !== 'run.submitted'));
  });

  test('a stop ends the run in every state, and only finalizing begins after it', () => {
    const limited = failed('rate_limited', { resetMs: HOUR });
    const states: [key: string, script: AttemptScript][] = [
      ['check-availability-1', { attempts: [] }],
      ['attempt-1', { attempts: [] }],
      ['set-cooldown-1', { attempts: [limited] }],
      ['wait-1', { attempts: [limited] }],
      ['ask-1', { attempts: [failed('budget')] }],
      [
        'wait-1',
        {
          settings: settingsFor(['a'], { preset: 'retry-then-fallback' }),
          attempts: [failed('crashed')],
        },
      ],
      ['check-availability-2', { settings: three, attempts: [failed('crashed')] }],
    ];
    for (const [key, script] of states) {
      const { trace: lines, events } = driveAttempts({ ...script, says: { [key]: 'kill' } });
      assert.match(lines.at(-1) ?? '', /^killed: stopped/, key);
      const place = events.findIndex(({ type }) => type === 'signal.received');
      const later = events
        .slice(place)
        .flatMap((event) => (event.type === 'command.begun' ? [event.payload.command] : []));
      assert.deepEqual(
        later.filter((command) => command !== 'finalize'),
        [],
        key,
      );
    }
  });

  test('interrupted finalizing runs again until it is done', () => {
    const { trace: lines, events } = driveAttempts({ attempts: [done], finalizeInterruptions: 2 });
    assert.equal(lines.at(-1), 'unverified: done');
    const keys = events.flatMap((event) =>
      event.type === 'command.begun' && event.payload.command === 'finalize'
        ? [event.payload.key]
        : [],
    );
    assert.deepEqual(keys, ['finalize-1', 'finalize-2', 'finalize-3']);
  });

  test('case 42: "not done" is not done: the claim of an agent does not outrank a gate', () => {
    const gates = [{ name: 'test', command: ['npm', 'test'], timeoutMs: 1000 }];
    const lines = trace({
      settings: settingsFor(['a'], {}, { gates, once: true }),
      attempts: [{ kind: 'completed', summary: 'All tests pass, 100 % done!' }],
      gates: [{ kind: 'failed', name: 'test', exit: 1, tail: 'red' }],
    });
    assert.equal(lines.at(-1), 'failed: gate test failed: red');
  });

  test('every setting of recovery has an effect', () => {
    const limited = failed('rate_limited', { resetMs: HOUR });
    const unnamed = failed('rate_limited');
    const crash = failed('crashed');
    const base = settingsFor(['a', 'b']).recovery;
    const changes: [
      change: Partial<NonNullable<typeof base>>,
      attempts: AttemptScript['attempts'],
    ][] = [
      [{ preset: 'retry-then-fallback' }, [crash, crash]],
      [{ retriesPerAgent: 2 }, [crash, crash]],
      [{ attemptsMax: 1 }, [crash, crash]],
      [{ cooldownMs: 1000 }, [unnamed, unnamed]],
      [{ waitForReset: false }, [limited, limited]],
      [{ waitMaxMs: 1000 }, [limited, limited]],
      [{ ask: false }, [failed('budget')]],
    ];
    for (const [change, attempts] of changes) {
      const before = trace({ settings: settingsFor(['a', 'b']), attempts });
      const after = trace({ settings: settingsFor(['a', 'b'], change), attempts });
      assert.notDeepEqual(after, before, JSON.stringify(change));
    }
    assert.deepEqual(
      changes.flatMap(([change]) => Object.keys(change)).toSorted(),
      Object.keys(base).toSorted(),
    );
  });

  test('a limit of one account does not affect another account of the same CLI', () => {
    const account = (id: string): AgentSpec => agent(id, { cli: 'claude', configDir: `/${id}` });
    const chain = [account('mine'), account('ours')];
    const settings = { ...settingsFor([]), agent: account('mine'), chain };
    assert.deepEqual(trace({ settings, attempts: [failed('rate_limited'), 'open'] }), [
      ...['looks', 'mine', 'cools mine until 3601 s', 'looks', 'ours at 1 s'],
    ]);
  });

  test('the prompt of an attempt has the right number, and describes the attempt before it correctly', () => {
    const crash = failed('crashed');
    const { prompts } = driveAttempts({ settings: three, attempts: [crash, crash, done] });
    assert.deepEqual(
      prompts.map((prompt) =>
        /^This is attempt (\d) .*Attempt (\d), by (\w)/.exec(prompt)?.slice(1),
      ),
      [undefined, ['2', '1', 'a'], ['3', '2', 'b']],
    );
  });

  test('a question without an answer never counts as a yes', () => {
    const script: AttemptScript = { settings: three, attempts: [failed('budget'), done] };
    assert.deepEqual(trace(script).slice(-1), ['asks: budget. Answer continue or stop.']);
    const vague = trace({ ...script, answers: ['', 'later'] });
    assert.deepEqual(vague.slice(-1), ['asks: budget. Answer continue or stop.']);
  });

  test('each line is logged once, even if an attempt is interrupted several times', () => {
    const { log } = driveAttempts({
      settings: settingsFor(['a', 'b']),
      attempts: ['interrupted', 'interrupted', failed('crashed'), done],
      finalizeInterruptions: 1,
    });
    assert.deepEqual(log, [...new Set(log)]);
    assert.ok(log.includes('[supervisor] switching from a to b (fallback, this run only)'));
  });
});
