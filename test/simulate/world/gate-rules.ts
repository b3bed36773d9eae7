/**
 * Invariants of the gates of a run: on the base before the first attempt, and on the same red files once more only
 * before an agent that changes nothing is given up.
 */
import { agentIdentity } from '../../../src/attempts/choice/identity.ts';
import type { GateOutcome } from '../../../src/protocol/contracts/gate-contract.ts';
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

type Left = {
  readonly identity: string;
  readonly content: string | null;
  readonly files: number | null;
  readonly isDone: boolean;
};

/** Whether the last two attempts of one agent, or more, left the files as they were. */
function isStuck(ended: readonly Left[], base: string | null): boolean {
  const last = ended.at(-1);
  let [count, place] = [0, ended.length - 1];
  for (; place >= 0; place -= 1, count += 1) {
    const one = ended[place];
    if (one === undefined || one.identity !== last?.identity || !one.isDone) break;
    const known = ended.slice(0, place).findLast(({ content }) => content !== null);
    const before = known?.content ?? base;
    const isSame = before === null ? one.files === 0 : one.content === before;
    if (one.content === null || !isSame) break;
  }
  return count >= 2;
}

/** What each attempt of a run has left so far, fact by fact. An interrupted attempt counts as none. */
class Attempts {
  readonly #ended: Left[] = [];
  #open: Left | null = null;
  #base: string | null = null;
  #isForked = false;

  hear(fact: Fact): void {
    if (fact.type === 'run.forked') [this.#base, this.#isForked] = [null, true];
    if (fact.type === 'command.begun' && fact.payload.command === 'attempt') {
      const identity = agentIdentity(fact.payload.input.agent);
      this.#open = { identity, content: null, files: null, isDone: false };
    }
    if (fact.type === 'command.noted' && fact.payload.note.kind === 'committed') {
      const { content, files } = fact.payload.note;
      if (this.#open !== null) this.#open = { ...this.#open, content, files };
    }
    if (fact.type !== 'command.ended' || fact.payload.end.kind === 'interrupted') return;
    const { command, end } = fact.payload;
    if (command === 'baseline' && end.kind === 'done' && !this.#isForked)
      this.#base ??= end.result.content;
    if (command !== 'attempt' || this.#open === null) return;
    const isDone = end.kind === 'done' && end.result.kind === 'completed';
    this.#ended.push({ ...this.#open, isDone });
    this.#open = null;
  }

  get isStuck(): boolean {
    return isStuck(this.#ended, this.#base);
  }

  get last(): Left | undefined {
    return this.#ended.at(-1);
  }
}

/** An agent that changed nothing twice, with a red gate, is not tried again. */
export function triedInVain({ run, history }: GatedRun): readonly string[] {
  const attempts = new Attempts();
  const wrong: string[] = [];
  let isRed = false;
  for (const fact of history) {
    if (fact.type === 'run.forked') isRed = false;
    if (fact.type === 'command.begun' && fact.payload.command === 'attempt') {
      const { key, input } = fact.payload;
      const isSame = agentIdentity(input.agent) === attempts.last?.identity;
      if (isRed && isSame && attempts.isStuck)
        wrong.push(`run ${run}: ${key} tries an agent that changes nothing`);
      isRed = false;
    }
    if (fact.type === 'command.ended' && fact.payload.command === 'gate') {
      const { end } = fact.payload;
      isRed = end.kind === 'done' && end.result.kind === 'failed' && end.result.warns !== true;
    }
    attempts.hear(fact);
  }
  return wrong;
}

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
  const attempts = new Attempts();
  for (const fact of history) {
    attempts.hear(fact);
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
      const isJudged = red !== null && red.tail !== null && !attempts.isStuck;
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
