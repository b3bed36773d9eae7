/** How the end of a gate changes the state of the attempt loop. */
import type { CommandEnd } from '../../protocol/commands.ts';
import { describeToldApart, tellApart } from '../../protocol/words/baseline-words.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { AttemptsState, PassedOverGate } from '../attempts-state.ts';
import { updateLast } from '../attempts-state.ts';
import { hasJudged } from './known-red.ts';
import type { RedGate } from '../past-attempt.ts';

const RED_CHARS_MAX = 4000;
const PASSED_OVER_CHARS_MAX = 2000;
const SINCE_BASE_CHARS_MAX = 2000;

type Ended = Exclude<CommandEnd<'gate'>, { kind: 'interrupted' }>;

/**
 * Gates that run side by side count in their order in the settings, whichever ends first. So the result of one waits
 * until those before it have a result.
 */
export function oneGateEnded(
  state: AttemptsState,
  key: string,
  end: CommandEnd<'gate'>,
): Partial<AttemptsState> {
  const openGates = (state.openGates ?? []).filter((one) => one !== key);
  const [other] = openGates;
  const open = other === undefined ? null : ({ key: other, command: 'gate' } as const);
  const { interruptions, gateInterruptions, aside = [] } = state;
  if (end.kind === 'interrupted')
    return {
      open,
      openGates,
      gateInterruptions: gateInterruptions + 1,
      // One crash interrupts all of them, and counts once.
      interruptions: interruptions + (open === null ? 1 : 0),
    };
  const judged = { ...state, open, openGates, aside: [...aside, { place: placeOf(key), end }] };
  return open === null ? countAside(judged) : judged;
}

/** Counts the results from the next gate on, up to a red one or one that has no result yet. */
function countAside(state: AttemptsState): AttemptsState {
  const { aside = [], green } = state;
  const next = aside.find(({ place }) => place === green);
  if (next === undefined) return state;
  const counted = { ...state, ...gateEnded(state, next.end) };
  if (counted.green === green) return { ...counted, aside: [] };
  return countAside({ ...counted, aside: aside.filter((one) => one !== next) });
}

/** From a key such as `gate-2-0.3`: the attempt, the place, and how often it has begun. */
function placeOf(key: string): number {
  return Number(/^gate-\d+-(\d+)/.exec(key)?.[1] ?? 0);
}

function gateEnded(state: AttemptsState, end: Ended): Partial<AttemptsState> {
  const outcome = gateOutcome(state, end);
  const { green, settings } = state;
  const gate = settings.gates?.[green];
  if (outcome.kind === 'passed') return { green: green + 1, gateInterruptions: 0 };
  const output = redOutput(state, outcome);
  if (gate?.warns === true && !isBlocking(outcome))
    return passOver(state, { output, isAccepted: false });
  const skippedFor = outcome.kind === 'unable' ? outcome.skippedFor : undefined;
  const redGate: RedGate = {
    name: outcome.name,
    kind: skippedFor === undefined ? outcome.kind : 'failed',
    output: output.slice(-RED_CHARS_MAX),
    ...(skippedFor === undefined ? {} : { skippedFor }),
    ...(gate?.blocks === true || isBlocking(outcome) ? { blocks: true } : {}),
    ...(gate?.asks === true ? { asks: true } : {}),
    ...(outcome.kind === 'failed' && hasJudged(outcome)
      ? { judged: { outcome, place: green } }
      : {}),
    ...comparedWithBase(state, outcome),
  };
  return { past: updateLast(state, { redGate }), gateInterruptions: 0 };
}

/** A person accepts the work although the last gate is red. The gates after it still run. */
export function gateAccepted(state: AttemptsState): Partial<AttemptsState> {
  const output = state.past.at(-1)?.redGate?.output ?? '';
  return {
    ...passOver(state, { output, isAccepted: true }),
    past: updateLast(state, { redGate: null }),
    answer: null,
  };
}

function isBlocking(outcome: GateOutcome): boolean {
  return outcome.kind === 'failed' && outcome.blocks === true;
}

function passOver(
  { green, passedOver = [] }: AttemptsState,
  { output, isAccepted }: Pick<PassedOverGate, 'output' | 'isAccepted'>,
): Partial<AttemptsState> {
  const one = { place: green, isAccepted, output: output.slice(-PASSED_OVER_CHARS_MAX) };
  return { green: green + 1, passedOver: [...passedOver, one], gateInterruptions: 0 };
}

/** The gate that the next one depends on, if that is red and the next one is skipped for it. */
export function redDependency({
  green,
  settings,
  passedOver = [],
}: Pick<AttemptsState, 'green' | 'settings' | 'passedOver'>): PassedOverGate | undefined {
  const { dependsOn: names = [], runsAfterRed = false } = settings.gates?.[green] ?? {};
  if (runsAfterRed) return undefined;
  return passedOver.find(({ place }) => names.includes(settings.gates?.[place]?.name ?? ''));
}

/** A skipped gate shows what made the other one red, because that is what an agent can fix. */
function redOutput(
  state: AttemptsState,
  outcome: Exclude<GateOutcome, { kind: 'passed' }>,
): string {
  if (outcome.kind === 'failed') return outcome.tail;
  const because = outcome.skippedFor === undefined ? undefined : redDependency(state);
  return because === undefined ? outcome.why : `${because.output}\n[supervisor] ${outcome.why}`;
}

function comparedWithBase(
  { baseline, green }: AttemptsState,
  outcome: GateOutcome,
): Pick<RedGate, 'sinceBase'> {
  const base = baseline.results[green]?.outcome;
  if (base?.kind !== 'failed' || outcome.kind !== 'failed') return {};
  const sinceBase = describeToldApart(tellApart(base, outcome), false);
  return { sinceBase: sinceBase.slice(0, SINCE_BASE_CHARS_MAX) };
}

function gateOutcome({ settings, green }: AttemptsState, end: Ended): GateOutcome {
  if (end.kind === 'done') return end.result;
  const name = settings.gates?.[green]?.name ?? 'gate';
  return { kind: 'unable', name, why: `internal error in Supervisor: ${end.message}` };
}
