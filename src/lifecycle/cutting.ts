/** Fish or cut bait: what a trigger does to a life. */
import { decideCut } from '../monitors/triggers.ts';
import type { Trigger } from '../protocol/life-rules.ts';
import { put } from './escalating.ts';
import type { Change, LifeState, Question } from './life-state.ts';
import { fails, leaves, newsIn } from './turning.ts';
import { mainStep } from './life-state.ts';

/** Whoever is asked about already, or is on its way out, is left alone. Whether it may be restarted is for its supervisor to say. */
export function cutBy(state: LifeState, trigger: Trigger): Change {
  const { phase, leaving, life, settings } = state;
  const isHalted = leaving !== null && 'exit' in leaving && leaving.exit.kind === 'shutdown';
  if (phase.kind === 'ask' || (leaving !== null && !isHalted)) return {};
  const model = state.model ?? settings.agent.model ?? '';
  const cut = decideCut(trigger, life.cut, { model, canRestart: true });
  if (cut.kind === 'restart') {
    if (isHalted) return {}; // its next life begins in any case
    const { workspace, told } = cut;
    const next = cut.model === '' || cut.model === model ? {} : { model: cut.model };
    const ended = fails(state, told, { workspace, told, forgets: true, ...next });
    if (mainStep(state) === undefined) return ended;
    // The next life is settled now; this one is over once what goes on has been called off.
    const { exit, state: _, leaving: _none, ...rest } = ended;
    return exit === undefined || exit === null ? {} : { ...rest, leaving: { exit } };
  }
  const { what, choices } = cut;
  // It does nothing that could be called off, and nothing of it waits for the answer.
  if (phase.kind === 'done' || phase.kind === 'wakeup' || isHalted)
    return put(state, { kind: trigger.kind, what, choices });
  const question: Question = {
    question: `${life.name}: ${what}`,
    choices,
    about: trigger.kind === 'over-budget' ? 'budget' : 'trouble',
    news: newsIn(phase),
    onRestart: life.cut.workspace[trigger.kind],
  };
  return leaves(state, { to: { kind: 'ask', ...question } });
}
