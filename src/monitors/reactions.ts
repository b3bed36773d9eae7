/** The reactions of a monitor: signals to the agent's run, and nothing else. */
import { plural, truncate } from '../base/text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { Signal } from '../protocol/signal.ts';
import type { Health } from './health.ts';
import type { Violation } from './violations.ts';

const WHAT_CHARS_MAX = 1500;
/** An agent that ignores two messages is escalated. */
const STEERS_MAX = 2;
const CHOICES: [string, ...string[]] = ['continue', 'restart', 'dismiss'];

type Issue = Extract<Signal, { kind: 'issue' }>['issue'];

/** `times`: how often the monitor has reacted to this, this time included. */
export function reactToHealth(health: Health, times: number): readonly Signal[] {
  switch (health.kind) {
    case 'well':
      return [];
    case 'inactive': {
      const what = `It has shown no activity for ${minutes(health.quietMs)}.`;
      return health.action === 'reap'
        ? [dismiss(what)]
        : [
            toUrgentMessage(
              'the health monitor',
              renderProgramPrompt('monitors/inactive', { minutes: minutes(health.quietMs) }),
            ),
          ];
    }
    case 'spinning': {
      const { call, action } = health;
      const what = `It repeats the same call without progress: ${call}.`;
      const report = reportIssue('spinning', what);
      switch (action) {
        case 'none':
          return [];
        case 'notify':
          return [report];
        case 'steer':
          return times > STEERS_MAX
            ? [report]
            : [
                toUrgentMessage(
                  'the health monitor',
                  renderProgramPrompt('monitors/spinning', { call }),
                ),
              ];
        case 'pause':
          return pauseAndAsk('spinning', what);
        case 'restart':
          return [{ kind: 'trigger', trigger: { kind: 'spinning', call } }];
        case 'reap':
          return [dismiss(what)];
      }
    }
  }
}

/** `times`: how often this rule was broken by this agent, this time included. */
export function reactToViolation(
  { rule, action, what }: Violation,
  times: number,
): readonly Signal[] {
  const fact: Signal = {
    kind: 'violation',
    rule,
    action,
    what: truncate(what, WHAT_CHARS_MAX),
    times,
  };
  const text = `It ${what} (rule "${rule}").`;
  switch (action) {
    case 'log':
      return [fact];
    case 'notify':
      return [fact, reportIssue('violation', text)];
    case 'warn':
      return [
        fact,
        toMessage(
          'the violations monitor',
          truncate(renderProgramPrompt('monitors/violation', { what, rule }), WHAT_CHARS_MAX),
        ),
      ];
    case 'pause':
      return [fact, ...pauseAndAsk('violation', text)];
    case 'reap':
      return [fact, dismiss(text)];
  }
}

/** An agent that keeps breaking a rule must not fill the journal: the first reports count, then each doubling. */
export function isWorthReporting(times: number): boolean {
  return times <= 10 || (times & (times - 1)) === 0;
}

export function toMessage(from: string, text: string): Signal {
  return { kind: 'message', from, text };
}

/** No CLI accepts input within a turn, so an urgent message ends the turn. */
function toUrgentMessage(from: string, text: string): Signal {
  return { kind: 'message', from, text, urgent: true };
}

function reportIssue(kind: string, what: string): Signal {
  const issue: Issue = { kind, what: truncate(what, WHAT_CHARS_MAX), choices: CHOICES };
  return { kind: 'issue', issue };
}

/** A paused run sends nothing to its parent, so a person is asked directly. */
function pauseAndAsk(kind: string, what: string): readonly Signal[] {
  const text = `${truncate(what, WHAT_CHARS_MAX)} It is paused until you unpause it.`;
  return [
    { kind: 'pause' },
    { kind: 'issue', issue: { kind, what: text, choices: CHOICES, direct: true } },
  ];
}

function dismiss(because: string): Signal {
  return { kind: 'dismiss', because: truncate(because, WHAT_CHARS_MAX) };
}

function minutes(ms: number): string {
  return plural(Math.round(ms / 60_000), 'minute');
}
