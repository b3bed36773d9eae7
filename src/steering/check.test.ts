import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn } from '../../test/support/turn-script.ts';
import {
  at,
  broken,
  edit,
  failed,
  read,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
  watchScript,
} from '../../test/support/turn-script.ts';
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../protocol/contracts/steering-contract.ts';
import { ALL_DETECTORS } from './detect.ts';
import { choosePolicy, isHeldOut } from './steering-policy.ts';
import { NEW_WATCH, watchTurn } from './watch.ts';

const STEER = { mode: 'steer', heldOut: 0 } as const;
const loop = (count: number) => turns(count, () => turn(failed('npm test')));

describe('a check', () => {
  const cases: [
    why: string,
    script: readonly ScriptedTurn[],
    steering: Partial<PinnedSteering>,
    found: readonly string[],
  ][] = [
    ['records in shadow, and sends nothing', loop(5), {}, ['6 loop shadow']],
    ['is due every third turn', loop(11), STEER, ['6 loop sent', '9 loop sent', '12 loop sent']],
    [
      'speaks once, by severity',
      turns(5, () => at(0.95, failed('x'))),
      STEER,
      ['3 context sent', '6 context sent', '6 loop outranked'],
    ],
    [
      'lets a detector speak although a more severe one only watches',
      turns(5, () => at(0.95, failed('x'))),
      { ...STEER, modes: { context: 'shadow' } },
      ['3 context shadow', '6 context shadow', '6 loop sent'],
    ],
    [
      'keeps a detector quiet that is off',
      loop(5),
      { ...STEER, modes: { loop: 'off' } },
      ['6 tool-advice sent'],
    ],
    [
      'never gives advice about a tool beside another anomaly',
      turns(5, () => turn(broken('Read', 'a', 'not found'))),
      STEER,
      ['6 loop sent'],
    ],
    ['holds some runs out', loop(5), { mode: 'steer', heldOut: 1 }, ['6 loop held-out']],
    [
      'waits for the cooldown of each detector',
      loop(9),
      { ...STEER, checkTurns: 1, cooldownTurns: 4 },
      ['4 loop sent', '8 loop sent'],
    ],
  ];
  for (const [why, script, steering, found] of cases)
    test(why, () => {
      const watched = watchScript(script, { steering });
      assert.deepEqual(watched.found, found);
      assert.equal(watched.messages.length, found.filter((one) => one.endsWith(' sent')).length);
    });

  test('pauses the agent after four messages about one emergency', () => {
    const script = turns(40, (nth) => turn(read(`${nth}`)));
    const { found, pausedAt } = watchScript(script, { steering: STEER, role: SPECIALIST });
    const emergencies = found.filter((one) => one.includes('emergency'));
    assert.deepEqual(emergencies, [
      '20 pace-emergency sent',
      '23 pace-emergency sent',
      '26 pace-emergency sent',
      '29 pace-emergency sent',
      '32 pace-emergency paused',
    ]);
    assert.deepEqual(pausedAt, [32]);
  });

  test('counts from the start when an emergency is over', () => {
    const idle = turns(26, (nth) => turn(read(`${nth}`)));
    const script = [...idle, ...turns(4, (nth) => turn(edit(`${nth}`))), ...idle];
    const { pausedAt, found } = watchScript(script, { steering: STEER, role: SPECIALIST });
    assert.deepEqual(pausedAt, []);
    assert.equal(found.filter((one) => one.includes('emergency sent')).length, 6);
  });

  test('is not more rare than the reports of the role', () => {
    const never = { ...SPECIALIST.plans.contingent, trigger: [] };
    const role = {
      ...SPECIALIST,
      plans: { ...SPECIALIST.plans, contingent: never },
      doctrine: { ...SPECIALIST.doctrine, saluteIntervalTurns: 2 },
    };
    const { found } = watchScript(loop(5), { steering: { ...STEER, checkTurns: 10 }, role });
    assert.deepEqual(found, ['4 loop sent']);
  });

  test('reports a detector that throws, and the others still count', () => {
    const detectors = {
      ...ALL_DETECTORS,
      cascade: () => {
        throw new TypeError('a bug');
      },
    };
    const policy = choosePolicy({ ...DEFAULT_STEERING, ...STEER }, { model: 'm', role: null });
    const terms = { run: 'r', policy, role: null, detectors };
    let watch = NEW_WATCH;
    const all = recordsOf(loop(5)).map((record) => {
      const next = watchTurn(watch, record, terms);
      watch = next.watch;
      return next.check;
    });
    const last = all.at(-1);
    assert.ok(last != null);
    assert.deepEqual(last.defects, [{ detector: 'cascade', message: 'TypeError: a bug' }]);
    assert.deepEqual(
      last.found.map(({ anomaly }) => anomaly.detector),
      ['loop'],
    );
  });

  test('counts a retried turn once', () => {
    const records = recordsOf(loop(3)).flatMap((record) => [record, record]);
    const { watched } = watchScript(records);
    assert.deepEqual([watched.history.turn, watched.history.failures.length], [4, 3]);
  });
});

describe('the policy of a conversation', () => {
  const overrides = [
    { model: 'claude-*', modes: { loop: 'steer' }, thresholds: { 'stall.turns': 30 } },
    { role: 'builder', mode: 'off', modes: {}, thresholds: { 'stall.turns': 40 } },
  ] as const;
  const cases: [
    why: string,
    model: string,
    role: string | null,
    expected: readonly [loop: string, stall: string, turns: number],
  ][] = [
    ['the default', 'gpt-5.5', null, ['shadow', 'shadow', 12]],
    ['of a model', 'claude-opus-4-8', null, ['steer', 'shadow', 30]],
    ['of a role', 'gpt-5.5', 'builder', ['off', 'off', 40]],
    ['of both: the later one counts', 'claude-opus-4-8', 'builder', ['steer', 'off', 40]],
  ];
  for (const [why, model, role, expected] of cases)
    test(why, () => {
      const { modes, thresholds } = choosePolicy(
        { ...DEFAULT_STEERING, overrides },
        { model, role },
      );
      assert.deepEqual([modes.loop, modes.stall, thresholds['stall.turns']], expected);
    });

  test('a share of runs is held out, the same ones each time', () => {
    const runs = Array.from({ length: 1000 }, (_, nth) => `run-${nth}`);
    const held = runs.filter((run) => isHeldOut(run, 'loop', 0.1));
    assert.ok(held.length > 50 && held.length < 150, `${held.length} of 1000`);
    assert.deepEqual(
      runs.filter((run) => isHeldOut(run, 'loop', 0.1)),
      held,
    );
    assert.deepEqual([isHeldOut('r', 'loop', 0), isHeldOut('r', 'loop', 1)], [false, true]);
  });
});

describe('a message', () => {
  test('names the step of its own turn', () => {
    const { messages } = watchScript(
      turns(20, (nth) => turn(read(`${nth}.ts`))),
      { steering: { ...STEER, modes: { 'pace-emergency': 'off' } }, role: SPECIALIST },
    );
    assert.deepEqual(
      messages.map((text) => /\d+\.ts/.exec(text)?.[0]),
      ['15.ts', '18.ts'],
    );
  });

  test('has three sentences at most, one line, and no inner workings', () => {
    const scripts = [
      loop(5),
      turns(5, () => at(0.95, failed('x'))),
      turns(20, () => turn(read('a'))),
    ];
    const all = scripts.flatMap((script) => watchScript(script, { steering: STEER }).messages);
    assert.ok(all.length >= 3);
    for (const message of all) {
      const text = message.replace(/^\d+ /, '');
      assert.match(text, /^(?:\[SUPERVISOR\]|Tool guidance:) /);
      assert.ok((text.match(/[.!?](?=\s|$)/g)?.length ?? 0) <= 3, text);
      assert.doesNotMatch(text, /\n|sinceProgress|nothingNew|signature|threshold/);
      assert.ok(text.length <= 500);
    }
  });
});
