/** Scripts for the models of a tree of agents: each agent has a script, found by its name. */
import { countResults } from '../../src/testing/model-server/model-script.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
  View,
} from '../../src/testing/model-server/model-script.ts';
import type { CliName } from './clis.ts';
import { shellCall } from './sandboxed-clis.ts';

/** The position of an agent in its conversation. */
type Place = {
  /** The last message that Supervisor sent it. */
  readonly prompt: string;
  /** How many messages Supervisor sent in this conversation. */
  readonly times: number;
  /** How many tool results came back since the last message. */
  readonly step: number;
};

export type Part = (place: Place) => ScriptedAnswer;

export const WAITS: ScriptedAnswer = { text: 'I wait.\n{"status":"waiting"}' };
export const DONE: ScriptedAnswer = { text: 'All of it is there.\nDONE' };

/** It leaves wrong work. After a restart it checks whether that is still there. */
export function leaves(cli: CliName, then: ScriptedAnswer): Part {
  return ({ prompt, step }) => {
    const isAgain = prompt.includes('You were restarted');
    const line = isAgain ? 'test -e left && echo kept >>diary || echo fresh >>diary' : 'touch left';
    if (step === 0) return { calls: [shellCall(cli, line)] };
    return isAgain ? WAITS : then;
  };
}

/** Every message of Supervisor begins with one of these; additions of a CLI do not. */
const OURS =
  /^(You are [a-z]|You were |You reported that|You have new|Your budget|Continue with|A person was asked)/;

export function playing(parts: Readonly<Record<string, Part>>): ScriptFunction {
  return ({ units }: View) => {
    const ours = units.flatMap((unit, at) =>
      unit.kind === 'prompt' && OURS.test(unit.text) ? [{ at, text: unit.text }] : [],
    );
    const [first, last] = [ours[0], ours.at(-1)];
    const name = Object.keys(parts).find((one) => first?.text.startsWith(youAre(one)) === true);
    if (name === undefined || last === undefined) return undefined;
    const step = countResults(units.slice(last.at));
    return parts[name]?.({ prompt: last.text, times: ours.length, step });
  };
}

export function youAre(name: string): string {
  return `You are ${name}.`;
}
