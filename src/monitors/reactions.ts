/** What a monitor does about what it has seen: signals to the agent's run, and nothing else. */
import type { Signal } from '../protocol/event.ts';
import type { Health } from './health.ts';
import type { Violation } from './violations.ts';

const WHAT_CHARS_MAX = 1500;
/** Who was told twice and goes on is not helped by words. */
const STEERS_MAX = 2;
const CHOICES: [string, ...string[]] = ['continue', 'restart', 'dismiss'];

type Matter = Extract<Signal, { kind: 'matter' }>['matter'];

/** `times`: how often something has been done about this, this time included. */
export function reactToHealth(health: Health, times: number): readonly Signal[] {
  switch (health.kind) {
    case 'well':
      return [];
    case 'inactive': {
      const what = `It has done nothing that shows for ${minutes(health.quietMs)}.`;
      return health.action === 'reap'
        ? [dismiss(what)]
        : [
            urge(
              'the health monitor',
              `Nothing that you do has shown for ${minutes(health.quietMs)}. Go on, or say what keeps you.`,
            ),
          ];
    }
    case 'spinning': {
      const { call, action } = health;
      const what = `It does the same again and again, and nothing comes of it: ${call}.`;
      const told = matter('spinning', what);
      switch (action) {
        case 'none':
          return [];
        case 'notify':
          return [told];
        case 'steer':
          return times > STEERS_MAX ? [told] : [urge('the health monitor', steering(call))];
        case 'pause':
          return paused('spinning', what);
        case 'restart':
          return [{ kind: 'trigger', trigger: { kind: 'spinning', call } }];
        case 'reap':
          return [dismiss(what)];
      }
    }
  }
}

function steering(call: string): string {
  return `You have made this call again and again, and no file has changed meanwhile: ${call}\nTry something else, or say what keeps you.`;
}

/** `times`: how often this rule was broken by this agent, this time included. */
export function reactToViolation(
  { rule, action, what }: Violation,
  times: number,
): readonly Signal[] {
  const fact: Signal = { kind: 'violation', rule, action, what: short(what), times };
  const words = `It ${what} (rule "${rule}").`;
  switch (action) {
    case 'log':
      return [fact];
    case 'notify':
      return [fact, matter('violation', words)];
    case 'warn':
      return [
        fact,
        toMessage(
          'the violations monitor',
          short(`You may not do this: it ${what} (rule "${rule}").`),
        ),
      ];
    case 'pause':
      return [fact, ...paused('violation', words)];
    case 'reap':
      return [fact, dismiss(words)];
  }
}

/** Whoever breaks a rule for ever must not fill a journal with it: the first ones, then each doubling. */
export function isWorthReporting(times: number): boolean {
  return times <= 10 || (times & (times - 1)) === 0;
}

export function toMessage(from: string, text: string): Signal {
  return { kind: 'message', from, text };
}

/** No CLI hears anything within a turn, so what can't wait for its end ends it. */
function urge(from: string, text: string): Signal {
  return { kind: 'message', from, text, urgent: true };
}

function matter(kind: string, what: string): Signal {
  const told: Matter = { kind, what: short(what), choices: CHOICES };
  return { kind: 'matter', matter: told };
}

/** Nothing of a paused run reaches its parent, so it is a person who hears of it. */
function paused(kind: string, what: string): readonly Signal[] {
  const told = `${short(what)} It is paused until you unpause it.`;
  return [
    { kind: 'pause' },
    { kind: 'matter', matter: { kind, what: told, choices: CHOICES, direct: true } },
  ];
}

function dismiss(because: string): Signal {
  return { kind: 'dismiss', because: short(because) };
}

function short(text: string): string {
  return text.length <= WHAT_CHARS_MAX ? text : `${text.slice(0, WHAT_CHARS_MAX - 1)}…`;
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000);
  return count === 1 ? '1 minute' : `${count} minutes`;
}
