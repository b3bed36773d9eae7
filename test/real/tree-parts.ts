/** What the models of a tree of agents say: each agent has a part, found by its name. */
import { countResults } from '../../src/testing/model-server/model-script.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
  View,
} from '../../src/testing/model-server/model-script.ts';
import type { CliName } from './clis.ts';
import { shellCall } from './sandboxed-clis.ts';

/** Where an agent is in its conversation. */
export type Place = {
  /** What it was told last, by us. */
  readonly told: string;
  /** How often we have told it something in this conversation. */
  readonly times: number;
  /** How many of its calls have come back since the last time. */
  readonly step: number;
};

export type Part = (place: Place) => ScriptedAnswer;

export const WAITS: ScriptedAnswer = { text: 'I wait.\n{"status":"waiting"}' };
export const DONE: ScriptedAnswer = { text: 'All of it is there.\nDONE' };

/** What it leaves is wrong; restarted, it looks whether that is still there. */
export function leaves(cli: CliName, then: ScriptedAnswer): Part {
  return ({ told, step }) => {
    const isAgain = told.includes('You were restarted');
    const line = isAgain ? 'test -e left && echo kept >>diary || echo fresh >>diary' : 'touch left';
    if (step === 0) return { calls: [shellCall(cli, line)] };
    return isAgain ? WAITS : then;
  };
}

/** All that we say begins with one of these; what a CLI adds of its own does not. */
const OURS =
  /^(You are [a-z]|You were |You said that|You may spend|Go on with|Somebody has written|A person was asked)/;

export function playing(parts: Readonly<Record<string, Part>>): ScriptFunction {
  return ({ units }: View) => {
    const ours = units.flatMap((unit, at) =>
      unit.kind === 'prompt' && OURS.test(unit.text) ? [{ at, text: unit.text }] : [],
    );
    const [first, last] = [ours[0], ours.at(-1)];
    const name = Object.keys(parts).find((one) => first?.text.startsWith(youAre(one)) === true);
    if (name === undefined || last === undefined) return undefined;
    const step = countResults(units.slice(last.at));
    return parts[name]?.({ told: last.text, times: ours.length, step });
  };
}

export function youAre(name: string): string {
  return `You are ${name}.`;
}
