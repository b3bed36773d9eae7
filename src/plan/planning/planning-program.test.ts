/** A run that plans a feature, driven without an engine: a script gives the answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import type { Move } from '../../engine/program.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { PLANNING_PROGRAM } from '../../protocol/planning.ts';
import type { PlanningSubmission } from '../../protocol/run-submission.ts';
import { begunCommand } from '../../../test/support/begun-command.ts';
import type { LooseEnd } from '../../../test/support/run-event.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { definition, role, workflowSubmission } from '../../../test/support/workflow-fixture.ts';
import { planningProgram } from './planning-program.ts';
import type { PlanningState } from './planning-state.ts';

function submission(lead: string | null): PlanningSubmission {
  const plain = workflowSubmission(definition({ plan: role('planner', null) }), 'Pay by invoice');
  return {
    ...plain,
    program: PLANNING_PROGRAM,
    settings: { ...plain.settings, planning: { id: 'P1T5', planner: 'planner', lead } },
  };
}

const done = (result: object): LooseEnd => ({ kind: 'done', result });
const component = (id: string, files = [`${id}.ts`]): object => ({
  ...{ id, title: id, files, depends_on: [] },
});
const phase = (id: string, ...components: readonly object[]): object => ({
  ...{ id, title: id, components, interfaces: [] },
});
const plan = (...phases: readonly { components?: readonly object[] }[]): object => ({
  ...{ status: 'COMPLETE', phases, dependencies: [], risks: [] },
  estimated_components: phases.reduce((sum, one) => sum + (one.components?.length ?? 0), 0),
});

type Driven = {
  readonly trace: readonly string[];
  readonly state: PlanningState;
  /** The inputs of `prepare-step`, in order. */
  readonly prepared: readonly Json[];
};

/** `answers`: one for each question. `ends`: by key, other ends of commands. */
function drive(
  answers: readonly object[],
  lead: string | null = 'tech_lead',
  ends: Readonly<Record<string, LooseEnd>> = {},
): Driven {
  const given = submission(lead);
  let state: PlanningState = planningProgram.start(given);
  const [trace, prepared, facts]: [string[], Json[], RunEvent[]] = [[], [], []];
  const begun = new Set<string>();
  const left = [...answers];
  const write = (event: object): void => {
    const seq = facts.length + 2;
    const fact = { id: seq, stream: 'run/a', seq, v: EVENT_VERSION, at: seq * 1000, ...event };
    facts.push(fact as RunEvent);
    state = planningProgram.fold(state, fact as RunEvent);
  };
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 100, 'it decides without end');
    const [move] = planningProgram.next(state, at(0), 0.5) as readonly [Move];
    if (move.kind === 'finish') {
      trace.push(`${move.outcome.kind}: ${move.outcome.reason}`);
      // The next owner folds the same facts.
      let again: PlanningState = planningProgram.start(given);
      for (const fact of facts) again = planningProgram.fold(again, fact);
      assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(state)));
      return { trace, state, prepared };
    }
    assert.ok(move.kind === 'perform' || move.kind === 'run');
    const { key } = move;
    assert.ok(!begun.has(key), `${key} is used twice`);
    begun.add(key);
    trace.push(key);
    const { command, input } = begunCommand(move);
    if (command === 'prepare-step') prepared.push(input);
    write(runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } }));
    const usual: Readonly<Record<string, () => LooseEnd>> = {
      'prepare-step': () => done({ kind: 'prepared', submission: { program: 'attempts' } }),
      run: () => done({ run: 'c', outcome: { kind: 'unverified', reason: 'x' } }),
      'collect-step': () => done({ answer: left.shift() ?? null, work: null, base: null }),
    };
    const end = ends[key] ?? usual[command]?.() ?? assert.fail(command);
    write(runEvent({ type: 'command.ended', payload: { key, command, end } }));
  }
}

const asks = (number: number): readonly string[] => [
  ...[`prepare-${number}`, `run-${number}`, `collect-${number}`],
];
const GOOD = plan(phase('back', component('model')), phase('front', component('form')));
const CLASH = plan(phase('back', component('a', ['x']), component('b', ['x'])));

describe('a run that plans a feature', () => {
  test('asks the planner, and then the tech lead about each phase', () => {
    const detailed = plan(
      phase('back', component('model'), component('mail')),
      phase('other', component('ignored')),
    );
    const { trace, state, prepared } = drive([GOOD, detailed, GOOD]);
    assert.deepEqual(trace, [
      ...[...asks(1), ...asks(2), ...asks(3)],
      'succeeded: P1T5: 2 phases, 3 components',
    ]);
    assert.match(state.text, /- id: mail\n/);
    assert.doesNotMatch(state.text, /ignored/);
    const roles = prepared.map((input) => (input as { role: string }).role);
    assert.deepEqual(roles, ['planner', 'tech_lead', 'tech_lead']);
    assert.match((prepared[2] as { task: string }).task, /Your part is the phase front: front\./);
  });

  test('keeps the components of the planner without a tech lead', () =>
    assert.deepEqual(drive([GOOD], null).trace, [
      ...asks(1),
      'succeeded: P1T5: 2 phases, 2 components',
    ]));

  test('feeds a plan that cannot be built back, with file and reason', () => {
    const { trace, prepared } = drive([CLASH, GOOD], null);
    assert.deepEqual(trace, [
      ...[...asks(1), ...asks(2)],
      'succeeded: P1T5: 2 phases, 2 components',
    ]);
    const { feedback } = prepared[1] as { feedback: { text: string; visit: number } };
    assert.equal(feedback.visit, 2);
    assert.match(feedback.text, /^- P1T5\.yaml:\d+:\d+: back\.b and back\.a can run at the same/m);
  });

  test('gives up after three wrong plans', () => {
    const { trace, state } = drive([CLASH, {}, CLASH], null);
    assert.equal(trace.length, 10);
    assert.match(trace.at(-1) ?? '', /^failed: its plan was wrong 3 times: P1T5\.yaml:\d+:\d+: /);
    assert.equal(state.text, '');
    const again = planningProgram.fork?.(state, {} as never) ?? assert.fail();
    assert.deepEqual([again.ended, again.asked.number, again.asked.wrong], [null, 4, 0]);
  });

  test('asks the tech lead again if its answer lacks the phase', () => {
    const { trace, prepared } = drive([GOOD, plan(phase('x', component('y'))), GOOD, GOOD]);
    assert.equal(trace.at(-1), 'succeeded: P1T5: 2 phases, 2 components');
    const { feedback } = prepared[2] as { feedback: { text: string } };
    assert.match(feedback.text, /- The plan has no phase back\./);
  });

  type Row = readonly [why: string, ends: Readonly<Record<string, LooseEnd>>, last: RegExp];
  const rows: readonly Row[] = [
    [
      'ends with the run of a role that failed',
      { 'run-1': done({ run: 'c', outcome: { kind: 'failed', reason: 'no' } }) },
      /^failed: run c ended: failed: no$/,
    ],
    [
      'ends if a question cannot be prepared',
      { 'prepare-1': done({ kind: 'refused', why: 'too large' }) },
      /^refused: too large$/,
    ],
    [
      'repeats an interrupted command under a new key',
      { 'collect-1': { kind: 'interrupted' }, 'prepare-1': { kind: 'interrupted' } },
      /^succeeded/,
    ],
  ];
  for (const [why, ends, last] of rows)
    test(why, () => assert.match(drive([GOOD], null, ends).trace.at(-1) ?? '', last));

  test('ends if the planner needs to know more', () =>
    assert.match(
      drive([{ ...GOOD, status: 'BLOCKED', risks: ['which bank?'] }]).trace.at(-1) ?? '',
      /^failed: the planner answers BLOCKED: which bank\?$/,
    ));
});
