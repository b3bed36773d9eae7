/** Invariants of the gates of a run: on the base before the first attempt, and never twice on the same red files. */
import type { GateOutcome } from '../../../src/protocol/gate-contract.ts';
import type { AttemptSettings } from '../../../src/protocol/pinned-settings.ts';
import type { Fact } from './record.ts';

type GatedRun = {
  readonly run: string;
  readonly settings: AttemptSettings;
  readonly history: readonly Fact[];
};

/** A gate that can't run ends the run, and no attempt begins. */
export function baseNotJudged({ run, history, settings }: GatedRun): readonly string[] {
  const gates = settings.baseline === true ? (settings.gates ?? []) : [];
  const wrong: string[] = [];
  const judged: GateOutcome['kind'][] = [];
  let hasAttempt = false;
  let lost = 0;
  for (const fact of history) {
    if (fact.type === 'command.begun') {
      const { command, key } = fact.payload;
      if (command === 'attempt' && !hasAttempt) {
        hasAttempt = true;
        if (judged.length < gates.length || judged.includes('unable'))
          wrong.push(`run ${run}: ${key} began, and the base was judged as ${judged.join(', ')}`);
      }
      if (command === 'baseline' && (hasAttempt || judged.length >= gates.length))
        wrong.push(`run ${run}: ${key} judges the base again`);
    } else if (fact.type === 'command.ended' && fact.payload.command === 'baseline') {
      const { end } = fact.payload;
      if (end.kind === 'interrupted') lost += 1;
      else judged.push(end.kind === 'done' ? end.result.outcome.kind : 'unable');
    }
  }
  if (lost > settings.interruptionsMax + 1)
    wrong.push(`run ${run}: its baseline was interrupted ${lost} times`);
  return wrong;
}

/** Without a tail, the gate could not run. */
type Red = { readonly content: string | null; readonly tail: string | null };

/**
 * A gate that could not run has judged nothing, and a gate whose owner died has no outcome. A fork forgets what was
 * red: the person may have repaired it. If it has a part of the baseline from the other run, it knows nothing of the base.
 */
export function judgedTwice({ run, history }: GatedRun): readonly string[] {
  const wrong: string[] = [];
  let content: string | null = null;
  let onBase: Red | null = null;
  let last: Red | null = null;
  let [onBaseCount, isBaseForgotten] = [0, false];
  for (const fact of history) {
    if (fact.type === 'run.forked') {
      [last, onBase] = [null, null];
      isBaseForgotten = onBaseCount > 0;
    } else if (fact.type === 'command.noted' && fact.payload.command === 'attempt') {
      const { note } = fact.payload;
      if (note.kind === 'committed') ({ content } = note);
    } else if (fact.type === 'command.begun') {
      const { command, key, input } = fact.payload;
      if (command === 'attempt') content = null;
      if (command !== 'gate' || content === null) continue;
      const red: Red | null =
        last?.content === content ? last : onBase?.content === content ? onBase : null;
      const isJudged = red !== null && red.tail !== null;
      if (isJudged !== (input.known !== undefined))
        wrong.push(`run ${run}: ${key} ${isJudged ? 'runs again' : 'did not run'} on ${content}`);
      else if (isJudged && input.known?.outcome.tail !== red.tail)
        wrong.push(`run ${run}: ${key} has the outcome of another gate`);
    } else if (fact.type === 'command.ended' && fact.payload.command === 'baseline') {
      const { end } = fact.payload;
      const result = end.kind === 'done' ? end.result : null;
      if (result !== null) onBaseCount += 1;
      if (isBaseForgotten) continue;
      if (result?.outcome.kind === 'failed' && result.content !== null)
        onBase ??= { content: result.content, tail: result.outcome.tail };
    } else if (fact.type === 'command.ended' && fact.payload.command === 'gate') {
      const { end } = fact.payload;
      if (end.kind === 'interrupted') continue;
      const outcome = end.kind === 'done' ? end.result : null;
      if (outcome?.kind === 'passed') continue;
      last = { content, tail: outcome?.kind === 'failed' ? outcome.tail : null };
    }
  }
  return wrong;
}
