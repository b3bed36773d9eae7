/**
 * The conditions under which it is pointless for an agent to continue as it is, and the reaction to each.
 * A restarted agent starts from scratch. A policy decides whether its work is kept or discarded.
 */
import { plural } from '../base/text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
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

/** The choices for a person about a gang. One answer holds for all members. */
export const GANG_CHOICES = ['restart-all', 'stop-all'] as const;

export type TriggerDecision =
  | {
      readonly kind: 'restart';
      readonly scope: 'itself' | 'all-siblings';
      readonly workspace: 'keep' | 'discard';
      readonly model: string;
      /** The notice for the next life. */
      readonly notice: string;
    }
  /** The agent pauses with its work as it is, and a person decides. */
  | {
      readonly kind: 'ask';
      readonly what: string;
      readonly choices: readonly [string, ...string[]];
    };

/** `canRestart`: the supervisor would still restart the agent. If not, a person is asked. */
export function decideTrigger(
  trigger: Trigger,
  policy: TriggerPolicy,
  { model, canRestart }: { readonly model: string; readonly canRestart: boolean },
): TriggerDecision {
  switch (trigger.kind) {
    case 'over-budget':
      // Only a person may raise a budget.
      return ask('Its budget is spent.', ['continue', 'stop']);
    case 'asks-to-abort':
      return ask(`It asks to be dismissed: ${trigger.reason}`, ['dismiss', 'restart', 'continue']);
    case 'gang':
      if (trigger.decided !== true && (policy.onGang === 'ask' || !canRestart))
        return ask(
          `${plural(trigger.failed, 'agent')} of one supervisor failed together.`,
          GANG_CHOICES,
        );
      return restart(
        'gang',
        'several agents of your group failed, so all of them restart',
        'all-siblings',
      );
    case 'wrong-changeset':
      if (!canRestart)
        return ask(`Its work was rejected: ${trigger.feedback}`, ['restart', 'stop']);
      return {
        ...restart('wrong-changeset', `your work was rejected: ${trigger.feedback}`),
        model: strongerThan(model, policy.models),
      };
    case 'spinning':
      if (!canRestart) return ask(`It repeats the same call: ${trigger.call}`, ['restart', 'stop']);
      return restart('spinning', `you repeated the same call: ${trigger.call}`);
  }

  function restart(
    kind: Trigger['kind'],
    reason: string,
    scope: 'itself' | 'all-siblings' = 'itself',
  ): Extract<TriggerDecision, { kind: 'restart' }> {
    const notice = renderProgramPrompt('agents/restart_reason', { reason });
    return { kind: 'restart', scope, workspace: policy.workspace[kind], model, notice };
  }
}

/** The next model of the list; the same one if it is the last or is not listed. */
export function strongerThan(model: string, models: readonly string[]): string {
  const index = models.indexOf(model);
  return index === -1 ? model : (models[index + 1] ?? model);
}

function ask(what: string, choices: readonly [string, ...string[]]): TriggerDecision {
  return { kind: 'ask', what, choices };
}
