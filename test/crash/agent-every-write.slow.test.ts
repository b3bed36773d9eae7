/**
 * A long-lived agent whose owner dies at its k-th write, for every k, reaches the same end state.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentProgramState } from '../../src/agents/agent-state.ts';
import type { Performer } from '../../src/engine/performer.ts';
import { broadcastPerformer } from '../../src/execution/agent-commands/perform-broadcast.ts';
import type { Submission } from '../../src/protocol/run-submission.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import type { LongLivedSettings } from '../../src/protocol/long-lived-agent.ts';
import { failed } from '../support/drive-attempts.ts';
import { agentTestSubmission } from '../support/drive-agent.ts';
import type { AgentScenario } from './play-agent.ts';
import { agentSays } from './agent-crash-world.ts';
import { dieEverywhere, playAgent } from './play-agent.ts';

/** A test may die more often than a real owner would. */
const LOST_MAX = 10;

function submission(life: Partial<LongLivedSettings>): Submission {
  const { settings, ...rest } = agentTestSubmission(life);
  return { ...rest, settings: { ...settings, interruptionsMax: LOST_MAX } };
}

/**
 * Its first turn ends in the middle, the second crashes, the third reports done too early, the
 * fourth fixes that; then comes its queue.
 */
const WHOLE: AgentScenario = {
  submissions: [
    submission({
      parent: 'p',
      onDone: 'next',
      queue: { dir: '/q', onEmpty: 'terminate' },
      commitments: ['a', 'b'].map((description) => ({
        ...{ description, assertion: [description], by: 'parent', timeoutMs: 1000 },
      })),
    }),
  ],
  labelOf: (prompt, isResumed) => {
    if (prompt.includes('Current queue item')) return 'the item';
    if (prompt.includes('these checks failed')) return 'fixes';
    if (prompt.includes('You were restarted due to')) return 'says done';
    return isResumed ? 'crashes' : 'begins';
  },
  ends: {
    begins: agentSays('so far'),
    crashes: failed('crashed', { session: 's' }),
    'says done': agentSays('NOTE: it was hard\nDONE'),
    fixes: agentSays('DONE'),
    'the item': agentSays('DONE'),
  },
  isRed: (check) => check === 'checks b of who says done',
  lives: 2,
  queued: true,
};

const WAITING = '{"status":"waiting"}';
const HELLO: Signal = { kind: 'message', from: null, text: 'hello there' };
const HELLO_AGAIN: Signal = { kind: 'message', from: null, text: 'are you up' };
const WRONG: Signal = {
  kind: 'trigger',
  trigger: { kind: 'wrong-changeset', feedback: 'no tests' },
};
const HALT: Signal = { kind: 'end-life', because: 'a sibling failed' };

/** The name of each turn shows which messages it received. */
const WORDS = ['hello there', 'no tests', 'are you up'];

/**
 * It crashes, gets a message and a rejection while it is down, waits, is halted, gets a message
 * while it is down, and is dismissed.
 */
const BETWEEN: AgentScenario = {
  submissions: [submission({})],
  labelOf: (prompt) =>
    `hears ${WORDS.filter((words) => prompt.includes(words)).join(' and ') || 'nothing'}`,
  ends: {
    'hears nothing': failed('crashed', { session: 's' }),
    'hears hello there and no tests': agentSays(WAITING),
    'hears are you up': agentSays('DONE'),
  },
  messages: ({ lives, exit, phase }: AgentProgramState) => {
    if (lives === 1) return exit === null ? [] : [HELLO, WRONG];
    if (lives !== 2) return [];
    return exit === null ? (phase.kind === 'wakeup' ? [HALT] : []) : [HELLO_AGAIN];
  },
  lives: 3,
  queued: false,
};

const NAMES = ['ada', 'bob', 'cleo'];
const ENOUGH: Signal = { kind: 'dismiss', because: 'enough' };
const GANG: Signal = { kind: 'trigger', trigger: { kind: 'gang', failed: 3 } };

/**
 * Three agents of one gang: the first is asked about all of them, a person answers, and each
 * restarts once.
 */
const TOGETHER: AgentScenario = {
  submissions: NAMES.map((name) => ({ ...submission({ name }), task: name })),
  labelOf: (prompt) => (prompt.includes('You were restarted') ? 'begins again' : 'begins'),
  ends: { begins: agentSays(WAITING), 'begins again': agentSays(WAITING) },
  messages: ({ pinned, open, lives }, all) => {
    const asked = open.find(({ command }) => command === 'ask');
    if (asked !== undefined) return [{ kind: 'answer', key: asked.key, answer: 'restart-all' }];
    const living = all.filter(({ ending }) => ending.outcome === null);
    if (!living.every(({ phase, exit }) => phase.kind === 'wakeup' && exit === null)) return [];
    if (lives === 1) return pinned.agent.name === 'ada' ? [GANG] : [];
    return living.every(({ issues }) => issues.broadcasts.length === 0) ? [ENOUGH] : [];
  },
  performers: ({ clock, engine, runs }) => {
    const spread = broadcastPerformer({
      clock,
      signal: (run, signal) => engine().signal(run, signal),
      siblingsOf: (run) => runs().filter((one) => one !== run),
    });
    // An agent that received the answer restarts before all of them have received it.
    const slowly: Performer<'broadcast'>['perform'] = async (order, context) => {
      const result = await spread.perform(order, context);
      await clock.sleep(100, context.cancelSignal);
      return result;
    };
    return [{ command: 'broadcast', perform: slowly } satisfies Performer<'broadcast'>];
  },
  lives: 5,
  queued: false,
};

describe('a long-lived agent whose owner dies at any write', () => {
  test('ends as if it had not died, in as many lives, its commitments checked each time', async (t) => {
    const { state: expected } = await playAgent(WHOLE, []);
    assert.deepEqual(expected, [
      'the assignment: succeeded, having done begins, checks a of who fixes, checks a of who says done, checks a of who the item, checks b of who fixes, checks b of who says done, checks b of who the item, crashes, finalizes, finds nothing, fixes, puts it away, says done, takes the item, tells parent NOTE from ada: it was hard, the item',
      'done in life 2: passed, passed; 1 notes',
    ]);
    const count = await dieEverywhere(WHOLE, expected);
    t.diagnostic(`${count} deaths, each also followed by a second one`);
    assert.ok(count > 60);
  });

  test('receives a message that was sent between two lives once, in its next life', async (t) => {
    const { state: expected } = await playAgent(BETWEEN, []);
    assert.deepEqual(expected, [
      'the assignment: unverified, having done finalizes, hears are you up, hears hello there and no tests, hears nothing',
      'done in life 3: ; 0 notes',
    ]);
    const count = await dieEverywhere(BETWEEN, expected);
    t.diagnostic(`${count} deaths, each also followed by a second one`);
    assert.ok(count > 30);
  });

  test('of a gang restarts once with the others after a person answered one of them', async (t) => {
    const { state: expected } = await playAgent(TOGETHER, []);
    const each = 'cancelled, having done begins, begins again, finalizes';
    assert.deepEqual(expected, [
      ...NAMES.map((name) => `${name}: ${each}`),
      ...NAMES.map(() => 'dismissed-reaped in life 2: ; 0 notes'),
    ]);
    const count = await dieEverywhere(TOGETHER, expected);
    t.diagnostic(`${count} deaths, each also followed by a second one`);
    assert.ok(count > 40);
  });
});
