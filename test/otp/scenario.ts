/**
 * A scenario as its file contains it, with defaults filled in. Words are kept as they are: a wrong
 * one is part of the scenario.
 */
import { isRecord } from '../../src/base/json.ts';

/** That many next starts fail, or the next one is ignored. */
export type Trouble = number | 'ignore';

export type ChildInFile = {
  readonly id: string;
  readonly restart: unknown;
  readonly shutdown: unknown;
  readonly significant: unknown;
  readonly fail_starts: Trouble;
  readonly stubborn: boolean;
};

export type FlagsInFile = {
  readonly strategy: unknown;
  readonly intensity: unknown;
  readonly period: unknown;
  readonly auto_shutdown: unknown;
};

export type Operation =
  | readonly ['exit', id: string, reason: string]
  | readonly ['fail_next', id: string, trouble: Trouble]
  | readonly ['terminate_child' | 'restart_child' | 'delete_child', id: string]
  | readonly ['start_child', ChildInFile]
  | readonly ['sleep', ms: number]
  | readonly ['count']
  | readonly ['stop'];

export type Scenario = {
  readonly flags: FlagsInFile;
  readonly children: readonly ChildInFile[];
  readonly script: readonly Operation[];
};

const ID = /^[a-z][a-z0-9_]*$/;

/** Throws a sentence about the first thing that is no scenario at all. */
export function readScenario(value: unknown): Scenario {
  if (!isRecord(value)) throw new TypeError('a scenario is an object');
  const { flags = {}, children = [], script = [] } = value;
  if (!isRecord(flags)) throw new TypeError('flags is an object');
  if (!Array.isArray(children)) throw new TypeError('children is a list');
  if (!Array.isArray(script)) throw new TypeError('script is a list');
  const { strategy = 'one_for_one', intensity = 1, period = 5, auto_shutdown = 'never' } = flags;
  return {
    flags: { strategy, intensity, period, auto_shutdown },
    children: children.map(readChild),
    script: script.map(readOperation),
  };
}

function readChild(value: unknown): ChildInFile {
  if (!isRecord(value)) throw new TypeError('a child is an object');
  const { restart = 'permanent', shutdown = 5000, significant = false, stubborn = false } = value;
  if (typeof stubborn !== 'boolean') throw new TypeError('stubborn is true or false');
  return {
    id: readId(value['id']),
    restart,
    shutdown,
    significant,
    fail_starts: readTrouble(value['fail_starts'] ?? 0),
    stubborn,
  };
}

function readOperation(value: unknown): Operation {
  if (!Array.isArray(value)) throw new TypeError('an operation is a list');
  const [name, first, second] = value as unknown[];
  switch (name) {
    case 'exit':
      if (typeof second !== 'string') throw new TypeError('an exit has a reason');
      return [name, readId(first), second];
    case 'fail_next':
      return [name, readId(first), readTrouble(second)];
    case 'terminate_child':
    case 'restart_child':
    case 'delete_child':
      return [name, readId(first)];
    case 'start_child':
      return [name, readChild(first)];
    case 'sleep':
      if (typeof first !== 'number') throw new TypeError('a sleep has milliseconds');
      return [name, first];
    case 'count':
    case 'stop':
      return [name];
    default:
      throw new TypeError(`there is no operation ${JSON.stringify(name)}`);
  }
}

function readId(value: unknown): string {
  if (typeof value === 'string' && ID.test(value)) return value;
  throw new TypeError(`not an id: ${JSON.stringify(value)}`);
}

function readTrouble(value: unknown): Trouble {
  if (value === 'ignore' || (Number.isSafeInteger(value) && (value as number) >= 0))
    return value as Trouble;
  throw new TypeError(`neither a number of failures nor "ignore": ${JSON.stringify(value)}`);
}
