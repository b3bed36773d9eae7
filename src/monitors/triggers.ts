/**
 * Fish or cut bait: what makes it pointless that an agent goes on as it is, and what is done then. An
 * agent that is restarted is a new one, made anew; what stays is its work, where that is worth keeping.
 */
import type { Trigger, TriggerPolicy } from '../protocol/agent-rules.ts';

export const DEFAULT_TRIGGERS: TriggerPolicy = {
  workspace: {
    'over-budget': 'keep',
    'wrong-changeset': 'discard',
    spinning: 'discard',
    gang: 'keep',
    'asks-to-abort': 'keep',
    crashed: 'keep',
  },
  models: [],
  onGang: 'ask',
};

/** What a person is asked about a gang. The answer to one of them holds for all. */
export const GANG_CHOICES = ['restart-all', 'stop-all'] as const;

export type TriggerDecision =
  | {
      readonly kind: 'restart';
      readonly who: 'itself' | 'all-siblings';
      readonly workspace: 'keep' | 'discard';
      readonly model: string;
      /** What the new one is told of the old one. */
      readonly told: string;
    }
  /** It is paused with its work as it is, and a person decides. */
  | {
      readonly kind: 'ask';
      readonly what: string;
      readonly choices: readonly [string, ...string[]];
    };

/** `canRestart`: its supervisor would still let it be restarted. Who can't be is a question. */
export function decideTrigger(
  trigger: Trigger,
  policy: TriggerPolicy,
  { model, canRestart }: { readonly model: string; readonly canRestart: boolean },
): TriggerDecision {
  switch (trigger.kind) {
    case 'over-budget':
      // More money is never ours to give.
      return ask('It has spent its budget.', ['continue', 'stop']);
    case 'asks-to-abort':
      return ask(`It asks to be let go: ${trigger.reason}`, ['dismiss', 'restart', 'continue']);
    case 'gang':
      if (trigger.decided !== true && (policy.onGang === 'ask' || !canRestart))
        return ask(`${trigger.failed} below one supervisor failed together.`, GANG_CHOICES);
      return restart('gang', 'several of you failed, so all begin again', 'all-siblings');
    case 'wrong-changeset':
      if (!canRestart) return ask(`Its work was wrong: ${trigger.feedback}`, ['restart', 'stop']);
      return {
        ...restart('wrong-changeset', `your work was not what was wanted: ${trigger.feedback}`),
        model: strongerThan(model, policy.models),
      };
    case 'spinning':
      if (!canRestart)
        return ask(`It does the same again and again: ${trigger.call}`, ['restart', 'stop']);
      return restart('spinning', `you did the same again and again: ${trigger.call}`);
  }

  function restart(
    kind: Trigger['kind'],
    because: string,
    who: 'itself' | 'all-siblings' = 'itself',
  ): Extract<TriggerDecision, { kind: 'restart' }> {
    const told = `You were restarted due to: ${because}`;
    return { kind: 'restart', who, workspace: policy.workspace[kind], model, told };
  }
}

/** The next one on the ladder; the same where there is none, or where it is not on it. */
export function strongerThan(model: string, models: readonly string[]): string {
  const place = models.indexOf(model);
  return place === -1 ? model : (models[place + 1] ?? model);
}

function ask(what: string, choices: readonly [string, ...string[]]): TriggerDecision {
  return { kind: 'ask', what, choices };
}
