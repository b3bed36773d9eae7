/** What is said to a long-lived agent, in a few words for a person. */
import { truncate } from '../base/text.ts';
import type { AgentSignal } from '../protocol/event.ts';
import type { Trigger } from '../protocol/agent-rules.ts';

const TEXT_MAX = 200;

export function describeAgentSignal(signal: AgentSignal): string {
  switch (signal.kind) {
    case 'live':
      return `life ${signal.life} begins`;
    case 'halt':
      return `its life is ended: ${signal.because}`;
    case 'spent':
      return `it is not restarted once more: ${signal.because}`;
    case 'dismiss':
      return `dismissed: ${signal.because}`;
    case 'message':
      return `message from ${signal.from ?? 'a person'}: ${truncate(signal.text, TEXT_MAX)}`;
    case 'trigger':
      return `trigger: ${triggerWords(signal.trigger)}`;
    case 'matter':
      return `matter: ${signal.matter.kind}, ${signal.matter.what}`;
    case 'violation': {
      const { rule, action, what, times } = signal;
      const often = times === 1 ? '' : `, ${times} times by now`;
      return `violation: it ${truncate(what, TEXT_MAX)} (rule ${rule}, ${action}${often})`;
    }
  }
}

function triggerWords(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'over-budget':
      return 'it has spent its budget';
    case 'wrong-changeset':
      return `its work was wrong, ${truncate(trigger.feedback, TEXT_MAX)}`;
    case 'spinning':
      return `it does the same again and again, ${truncate(trigger.call, TEXT_MAX)}`;
    case 'gang':
      return trigger.decided === true
        ? 'a person lets all below its supervisor begin again'
        : `${trigger.failed} below its supervisor failed together`;
    case 'asks-to-abort':
      return `it asks to be let go, ${truncate(trigger.reason, TEXT_MAX)}`;
  }
}
