/** How each event changes the state of a run that plans a feature. */
import type { Json } from '../../base/json.ts';
import { oneLine, plural, shortList, truncate } from '../../base/text.ts';
import type { OpenPart, ParentFold } from '../../engine/parent-run.ts';
import { foldParent } from '../../engine/parent-run.ts';
import { PlanAnswer } from '../../protocol/answer.ts';
import type { CommandEnded } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { REASON_MAX } from '../../protocol/outcome.ts';
import { writeFeature } from './plan-to-feature.ts';
import type { PlanningState, PlanningQuestion } from './planning-state.ts';
import { newQuestion, planOf, planningOf } from './planning-state.ts';

/** A role that has answered wrong so often is not asked again. */
const WRONG_MAX = 3;
const FAULTS_MAX = 20;

const FOLD: ParentFold<PlanningState, OpenPart> = {
  opens: (key, command) => ({ key, command }),
  begun: (state, { command, input }) =>
    command === 'run' ? change(state, { run: input.run }) : state,
  runsAs: (state, _, run) => change(state, { run }),
  ended: (state, _, payload) => ended(state, payload),
};

export function foldPlanning(state: PlanningState, event: RunEvent): PlanningState {
  return foldParent(state, event, FOLD);
}

function change(state: PlanningState, more: Partial<PlanningQuestion>): PlanningState {
  return { ...state, asked: { ...state.asked, ...more } };
}

function ended(state: PlanningState, { command, end }: CommandEnded): PlanningState {
  if (end.kind === 'defect') return finish(state, 'failed', `internal error: ${end.message}`);
  if (end.kind === 'interrupted') return afterInterruption(state);
  const settled = change(state, { interruptions: 0 });
  if (command === 'prepare-step') {
    const { result } = end;
    return result.kind === 'prepared'
      ? change(settled, { step: 'run', submission: result.submission as unknown as Json })
      : finish(state, 'refused', result.why);
  }
  if (command === 'run') {
    const { run, outcome } = end.result;
    const isDone = outcome.kind === 'succeeded' || outcome.kind === 'unverified';
    if (isDone && run !== null) return change(settled, { step: 'collect', run });
    return finish(state, 'failed', `run ${run ?? ''} ended: ${outcome.kind}: ${outcome.reason}`);
  }
  return command === 'collect-step' ? answered(settled, end.result.answer) : state;
}

function afterInterruption(state: PlanningState): PlanningState {
  const interruptions = state.asked.interruptions + 1;
  if (interruptions <= state.settings.interruptionsMax) return change(state, { interruptions });
  return finish(state, 'failed', 'it was interrupted too often');
}

function answered(state: PlanningState, answer: unknown): PlanningState {
  const read = PlanAnswer.safeParse(answer);
  if (!read.success) return wrong(state, ['The answer has no plan in the required form.']);
  const { status, risks } = read.data;
  if (status !== 'COMPLETE') {
    const why = risks.length === 0 ? '' : `: ${shortList(risks.map(oneLine), 5)}`;
    return finish(state, 'failed', `the planner answers ${status}${why}`);
  }
  const merged = mergedPlan(state, read.data);
  if (merged === undefined) return wrong(state, [`The plan has no phase ${phaseId(state)}.`]);
  const { id } = planningOf(state);
  const { text, faults } = writeFeature(merged, { id, task: state.task }, `${id}.yaml`);
  return faults.length > 0
    ? wrong(state, faults)
    : accepted({
        ...{ ...state, plan: merged as unknown as Json, text },
      });
}

function phaseId(state: PlanningState): string {
  const { stage } = state;
  return stage.kind === 'detail' ? (planOf(state)?.phases[stage.phase]?.id ?? '') : '';
}

/** Of the tech lead's answer only its own phase counts, and what that phase depends on. */
function mergedPlan(state: PlanningState, answer: PlanAnswer): PlanAnswer | undefined {
  const { stage } = state;
  const plan = planOf(state);
  if (stage.kind === 'plan' || plan === null) return answer;
  const own = phaseId(state);
  const phase = answer.phases.find(({ id }) => id === own);
  if (phase === undefined) return undefined;
  const before = plan.phases.find(({ id }) => id === own);
  const parts = [...phase.components, ...(before?.components ?? [])].map(({ id }) => id);
  const isOwn = (from: string): boolean => from === own || parts.includes(from);
  const phases = plan.phases.map((one) => (one.id === own ? phase : one));
  return {
    ...plan,
    phases,
    dependencies: [
      ...plan.dependencies.filter(({ from }) => !isOwn(from)),
      ...answer.dependencies.filter(({ from }) => isOwn(from)),
    ],
    estimated_components: phases.reduce((sum, { components }) => sum + components.length, 0),
    risks: [...new Set([...plan.risks, ...answer.risks])],
  };
}

/** The next phase, or the end. */
function accepted(state: PlanningState): PlanningState {
  const { stage, asked } = state;
  const phases = planOf(state)?.phases ?? [];
  const next = stage.kind === 'plan' ? 0 : stage.phase + 1;
  const { id, lead } = planningOf(state);
  if (lead !== null && next < phases.length)
    return {
      ...state,
      stage: { kind: 'detail', phase: next },
      asked: newQuestion(asked.number + 1),
    };
  const count = phases.flatMap(({ components }) => components).length;
  const reason = `${id}: ${plural(phases.length, 'phase')}, ${plural(count, 'component')}`;
  return finish(state, 'succeeded', reason);
}

function wrong(state: PlanningState, faults: readonly string[]): PlanningState {
  const { asked } = state;
  const times = asked.wrong + 1;
  if (times >= WRONG_MAX) {
    const what = `its plan was wrong ${plural(times, 'time')}: ${faults.join('; ')}`;
    return finish(state, 'failed', what);
  }
  const shown = faults.slice(0, FAULTS_MAX);
  return { ...state, asked: { ...newQuestion(asked.number + 1), wrong: times, faults: shown } };
}

function finish(state: PlanningState, kind: RunOutcome['kind'], reason: string): PlanningState {
  return { ...state, ended: { kind, reason: truncate(oneLine(reason), REASON_MAX) } };
}
