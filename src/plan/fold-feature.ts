/** How each event changes the state of a feature. */
import { oneLine, plural, shortList, truncate } from '../base/text.ts';
import type { ParentFold } from '../engine/parent-run.ts';
import { foldParent } from '../engine/parent-run.ts';
import type { CommandEnded } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { WorkPoint } from '../protocol/contracts/workflow-contract.ts';
import { NO_CHANGE_FEEDBACK } from './component-task.ts';
import type { ComponentProgress, FeatureState } from './feature-state.ts';
import { nodeOf, progressOf } from './feature-state.ts';
import { nodeBegun, nodeEnded } from './graph/fold-node.ts';
import { endedTogether, failedNode, settleNodes } from './graph/settle-nodes.ts';
import { askOrFail, change, giveBack } from './component-changes.ts';
import { landedMeanwhile, mergeEnded, stays } from './fold-merge.ts';
import { changeLane, changeLaneOf, laneNamed, laneOf, laneOfKey } from './lanes.ts';
import {
  askForChange,
  changeAnswered,
  interfacesFailed,
  interfacesWritten,
  settleRestart,
} from './interface-changes.ts';
import { queueSignalled, settleHold } from './merge-holds.ts';

const COMPONENT_KEY = /^[a-z]+-(p\d+t\d+-ph\d+-c\d+)-/;

/** The component that a command is about. Null: about the feature as a whole. */
export function componentOfKey(key: string): string | null {
  return COMPONENT_KEY.exec(key)?.[1]?.toUpperCase() ?? null;
}

const FOLD: ParentFold<FeatureState, FeatureState['open'][number]> = {
  opens: (key, command) => ({ key, command, component: componentOfKey(key) }),
  begun: (state, { key, command, input }, at) => {
    const component = componentOfKey(key);
    if (command === 'write-interfaces' && component !== null) {
      const { tries } = progressOf(state, component);
      const begun = { state: 'working', from: input.tip, work: null, tries: tries + 1 } as const;
      return change(interfacesWritten(state, component, input.files), component, begun);
    }
    if (command === 'gate' && component !== null && nodeOf(state, component) !== undefined)
      return nodeBegun(state, component);
    if (command !== 'run' || component === null) return state;
    const { run, submission } = input;
    const from = 'workflow' in submission.settings ? submission.settings.workflow.startsFrom : null;
    const { tries, begunAt } = progressOf(state, component);
    return change(state, component, {
      ...{ state: 'working', run, from: from ?? null, work: null, tries: tries + 1 },
      begunAt: begunAt ?? at,
    });
  },
  runsAs: (state, key, run) => {
    const component = componentOfKey(key);
    return component === null ? state : change(state, component, { run });
  },
  ended: (state, { component }, payload, at) => ended(state, component, payload, at),
};

export function foldFeature(state: FeatureState, event: RunEvent): FeatureState {
  const folded = foldParent(state, event, FOLD);
  if (event.type === 'command.ended') {
    const id = componentOfKey(event.payload.key);
    return settleNodes(id === null ? folded : settleHold(folded, id));
  }
  if (event.type !== 'signal.received' || event.payload.signal.kind !== 'merge-queue')
    return folded;
  return queueSignalled(folded, event.payload.signal);
}

function ended(
  state: FeatureState,
  id: string | null,
  payload: CommandEnded,
  at: number,
): FeatureState {
  if (id === null) return baseEnded(state, payload);
  const node = nodeOf(state, id);
  if (node !== undefined) return nodeEnded(state, id, node, payload);
  if (failedNode(state) !== undefined && payload.command === 'run') return endedTogether(state, id);
  if (progressOf(state, id).restarts)
    return settleRestart(endedMeanwhile(state, id, payload, at), id);
  const { command, end } = payload;
  if (end.kind !== 'done') return afterInterruption(state, id, payload);
  const settled = change(state, id, { interruptions: 0 });
  switch (command) {
    case 'run': {
      const { run, outcome } = end.result;
      if (run === null) return askOrFail(settled, id, outcome.reason, 'run');
      const isDone = outcome.kind === 'succeeded' || outcome.kind === 'unverified';
      if (isDone) return change(settled, id, { state: 'collecting', run });
      return askOrFail(
        settled,
        id,
        `its run ${run} ended: ${outcome.kind}: ${outcome.reason}`,
        'run',
      );
    }
    case 'collect-step': {
      const { work, notes, changedSince, interfaceChanges = [] } = end.result;
      if (interfaceChanges.length > 0) return askForChange(settled, id, interfaceChanges);
      if (work === null && progressOf(settled, id).before !== null) return stays(settled, id);
      if (work === null) return giveBack(settled, id, 'it changed no file', NO_CHANGE_FEEDBACK);
      const left = { touched: changedSince ?? work.names, notes: (notes ?? []).map(oneLine) };
      return enqueue(change(settled, id, left), id, toPoint(work));
    }
    case 'ask': {
      if (!('answer' in end.result)) return settled;
      return answered(settled, id, end.result.answer);
    }
    case 'write-interfaces': {
      const { result } = end;
      if (result.kind === 'refused') return askOrFail(settled, id, result.why, 'run');
      if (result.kind === 'invalid')
        return interfacesFailed(settled, id, shortList(result.faults, 3));
      return enqueue(change(settled, id, { touched: result.names }), id, toPoint(result.work));
    }
    case 'merge-work':
    case 'gate':
    case 'commit-work':
      return mergeEnded(settled, id, payload, at);
    case 'assess-change':
    case 'attempt':
    case 'baseline':
    case 'broadcast':
    case 'check-availability':
    case 'claim-item':
    case 'deliver-message':
    case 'finalize':
    case 'open-base':
    case 'prepare-step':
    case 'release-item':
    case 'send-message':
    case 'set-cooldown':
    case 'setup':
    case 'update-breaker':
    case 'wait':
      return settled;
  }
}

/** What a command says about the version before does not count, but what is on the branch is there. */
function endedMeanwhile(
  state: FeatureState,
  id: string,
  payload: CommandEnded,
  at: number,
): FeatureState {
  if (payload.command !== 'commit-work') return state;
  if (payload.end.kind !== 'done') return afterInterruption(state, id, payload);
  return landedMeanwhile(change(state, id, { interruptions: 0 }), id, payload, at);
}

function toPoint({ run, tree, commit, content }: WorkPoint): WorkPoint {
  return { run, tree, commit, content };
}

function enqueue(state: FeatureState, id: string, work: WorkPoint): FeatureState {
  const queued = change(state, id, { state: 'queued', work, why: '' });
  return changeLaneOf(queued, id, { queue: [...laneOf(state, id).queue, id] });
}

/** The owner died, or has a defect. That is never the fault of a component, so the command is repeated. */
function afterInterruption(
  state: FeatureState,
  id: string,
  { command, end }: CommandEnded,
): FeatureState {
  const { questions } = progressOf(state, id);
  if (command === 'ask') return change(state, id, { questions: questions + 1 });
  const interruptions = progressOf(state, id).interruptions + 1;
  const counted = change(state, id, { interruptions });
  if (interruptions <= state.settings.interruptionsMax)
    return command === 'run' || command === 'write-interfaces'
      ? change(counted, id, { state: 'pending' })
      : counted;
  const why =
    end.kind === 'defect' ? `an internal error: ${oneLine(end.message)}` : 'the owner died';
  const times = `${plural(interruptions, 'time')} in a row`;
  const isRun = command === 'run' || command === 'collect-step' || command === 'write-interfaces';
  const again = isRun ? 'run' : 'merge';
  return askOrFail(
    counted,
    id,
    truncate(`${command} was interrupted ${times}: ${why}`, 300),
    again,
  );
}

function baseEnded(state: FeatureState, { key, command, end }: CommandEnded): FeatureState {
  if (command !== 'open-base' && command !== 'setup') return state;
  const name = laneOfKey(key);
  const baseTries = laneNamed(state, name).baseTries + 1;
  const isOver = baseTries > state.settings.interruptionsMax;
  // Without a setup the gate of the interfaces cannot run, and says why.
  if (command === 'setup')
    return end.kind === 'interrupted'
      ? changeLane(state, name, { baseTries, isSetUp: isOver })
      : changeLane(state, name, { isSetUp: true });
  const about = name === '' ? '' : ` ${name}`;
  if (end.kind !== 'done') {
    const why = `the files of the project${about} could not be stored`;
    return { ...changeLane(state, name, { baseTries }), refused: isOver ? why : state.refused };
  }
  const { result } = end;
  if (result.kind === 'refused')
    return { ...state, refused: name === '' ? result.why : `${name}: ${result.why}` };
  return changeLane(state, name, { base: result.work, tip: result.work });
}

/** A person has decided about a component. */
function answered(state: FeatureState, id: string, answer: string): FeatureState {
  const { again, work } = progressOf(state, id);
  const fresh: Partial<ComponentProgress> = { failures: 0, interruptions: 0, wants: [] };
  const decided = changeAnswered(state, id, answer);
  if (decided !== null) return decided;
  switch (answer) {
    case 'retry':
      return again === 'merge' && work !== null
        ? enqueue(change(state, id, fresh), id, work)
        : change(state, id, { ...fresh, state: 'pending' });
    case 'skip':
      return change(state, id, {
        state: 'failed',
        why: `a person skipped it: ${progressOf(state, id).why}`,
      });
    default:
      return { ...state, stop: state.stop ?? 'stop' };
  }
}
