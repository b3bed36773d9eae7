/** Describes a signal to a long-lived agent in one line. */
import { plural, truncate } from '../base/text.ts';
import type { AgentSignal } from '../protocol/signal.ts';
import type { MessageOrigin, RunMessage } from '../protocol/run-message.ts';
import type { Trigger } from '../protocol/agent-rules.ts';

const TEXT_MAX = 200;

export function describeAgentSignal(signal: AgentSignal): string {
  switch (signal.kind) {
    case 'start-life':
      return `life ${signal.life} starts`;
    case 'end-life':
      return `the supervisor ends this life: ${signal.because}`;
    case 'restarts-exhausted':
      return `restarts exhausted: ${signal.because}`;
    case 'dismiss':
      return `dismissed: ${signal.because}`;
    case 'message':
      return `message from ${signal.from ?? 'a person'}: ${truncate(signal.text, TEXT_MAX)}`;
    case 'trigger':
      return `trigger: ${describeTrigger(signal.trigger)}`;
    case 'issue':
      return `issue: ${signal.issue.kind}, ${signal.issue.what}`;
    case 'violation': {
      const { rule, action, what, times } = signal;
      const often = times === 1 ? '' : `, ${plural(times, 'time')} so far`;
      return `violation: it ${truncate(what, TEXT_MAX)} (rule ${rule}, ${action}${often})`;
    }
  }
}

const WRITERS: Readonly<Record<MessageOrigin, string>> = {
  person: 'a person',
  steering: 'steering',
  violation: 'a rule',
  feedback: 'a check',
};

const ACTIONS: Readonly<Record<RunMessage['verb'], string>> = {
  steer: 'steers the agent',
  queue: 'queues a message',
  interrupt: 'interrupts the agent',
};

/** A message to the agent of a run. */
export function describeMessage({ id, verb, origin, text }: RunMessage): string {
  const words = text === '' ? '' : `: ${truncate(text, TEXT_MAX)}`;
  return `${WRITERS[origin]} ${ACTIONS[verb]} (message ${id})${words}`;
}

function describeTrigger(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'over-budget':
      return 'the agent has spent its budget';
    case 'wrong-changeset':
      return `its work was rejected, ${truncate(trigger.feedback, TEXT_MAX)}`;
    case 'spinning':
      return `the agent repeats the same call, ${truncate(trigger.call, TEXT_MAX)}`;
    case 'gang':
      return trigger.decided === true
        ? 'a person restarts all agents below its supervisor'
        : `${plural(trigger.failed, 'agent')} below its supervisor failed together`;
    case 'asks-to-abort':
      return `the agent asks to be dismissed, ${truncate(trigger.reason, TEXT_MAX)}`;
  }
}
