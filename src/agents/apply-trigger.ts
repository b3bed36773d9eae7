/** Fish or cut bait: what a trigger does to a life, and where none goes on, to the next one. */
import type { TriggerDecision } from '../monitors/triggers.ts';
import { decideTrigger } from '../monitors/triggers.ts';
import type { Trigger } from '../protocol/agent-rules.ts';
import { askOnce, raiseIssue } from './escalate.ts';
import type { AgentStateChange, AgentProgramState, AgentQuestion } from './agent-state.ts';
import { isAgentAlive, mainStep } from './agent-state.ts';
import { failLife, leaveLife, pendingNews } from './transitions.ts';

/** In characters, of all that a life is told of why it follows another. */
const TOLD_MAX = 25_000;

/** Whoever is asked about already, or is on its way out, is left alone, unless a person has judged its work. Whether it may be restarted is for its supervisor to say. */
export function applyTrigger(state: AgentProgramState, trigger: Trigger): AgentStateChange {
  const { phase, leaving, life, settings } = state;
  const model = state.model ?? settings.agent.model ?? '';
  const cut = decideTrigger(trigger, life.cut, { model, canRestart: true });
  const isJudged = trigger.kind === 'wrong-changeset';
  const exit = leaving !== null && 'exit' in leaving ? leaving.exit : null;
  if (!isAgentAlive(state) || exit?.kind === 'shutdown' || (exit !== null && isJudged))
    return betweenLives(state, trigger, cut);
  if ((phase.kind === 'ask' || leaving !== null) && !isJudged) return {};
  if (cut.kind === 'restart') {
    const { workspace, told } = cut;
    const next = modelOf(cut, model);
    const ended = failLife(state, told, { workspace, told, forgets: true, ...next });
    if (mainStep(state) === undefined) return ended;
    // The next life is settled now; this one is over once what goes on has been called off.
    const { exit: failed, state: _, leaving: _none, ...rest } = ended;
    return failed === undefined || failed === null ? {} : { ...rest, leaving: { exit: failed } };
  }
  const { what, choices } = cut;
  // It does nothing that could be called off, and nothing of it waits for the answer.
  if (phase.kind === 'done' || phase.kind === 'wakeup')
    return raiseIssue(state, { kind: trigger.kind, what, choices });
  const question: AgentQuestion = {
    question: `${life.name}: ${what}`,
    choices,
    about: aboutOf(trigger),
    news: pendingNews(phase),
    onRestart: life.cut.workspace[trigger.kind],
  };
  return leaveLife(state, { to: { kind: 'ask', ...question } });
}

function aboutOf({ kind }: Trigger): AgentQuestion['about'] {
  if (kind === 'over-budget') return 'budget';
  return kind === 'gang' ? 'gang' : 'trouble';
}

/** No life goes on that could be cut: the next one begins as it would have after the cut. */
function betweenLives(
  state: AgentProgramState,
  { kind }: Trigger,
  cut: TriggerDecision,
): AgentStateChange {
  const { lives, tree, workedIn, settings, phase, spent } = state;
  if (lives === 0) return {}; // nothing was done yet
  if (cut.kind === 'ask') return askOnce(state, { kind, what: cut.what, choices: cut.choices });
  // What was thrown away is not thrown away again.
  const isUntouched = workedIn !== tree;
  const model = state.model ?? settings.agent.model ?? '';
  return {
    phase: { kind: 'turn', news: pendingNews(phase) },
    restarted: both(state.restarted, cut.told),
    interrupted: false,
    session: null,
    turn: null,
    ...(cut.workspace === 'keep' || isUntouched ? {} : { tree: tree + 1 }),
    ...(isUntouched ? {} : modelOf(cut, model)),
    ...(spent ? { wantsLife: true } : {}),
  };
}

function modelOf(
  cut: Extract<TriggerDecision, { kind: 'restart' }>,
  model: string,
): { readonly model?: string } {
  return cut.model === '' || cut.model === model ? {} : { model: cut.model };
}

/** What was said last is heard in any case. */
function both(before: string | null, told: string): string {
  if (before === null || before === told) return told;
  if (before.includes(told)) return before;
  const all = `${before}\n\n${told}`;
  return all.length <= TOLD_MAX ? all : told;
}
