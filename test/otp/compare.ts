/** Compares our traces with OTP's. */
import type { Erlang, OtpTrace } from './erlang.ts';
import { playScenario } from './play.ts';
import type { Scenario } from './scenario.ts';

export type Difference = {
  readonly scenario: Scenario;
  readonly ours: readonly string[];
  readonly otp: readonly string[];
};

const REPLAYS_MAX = 20;
const BATCH_TIMEOUT_MS = 10 * 60_000;

export async function differences(
  erlang: Erlang,
  scenarios: readonly Scenario[],
): Promise<readonly Difference[]> {
  const otp = await playInNoTime(erlang, scenarios);
  const found: Difference[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const lines = otp[index]?.lines ?? ['OTP gave no trace'];
    const ours = await playScenario(scenario);
    if (ours.join('\n') !== lines.join('\n')) found.push({ scenario, ours, otp: lines });
  }
  return found;
}

/**
 * In the format, operations take no time; on a busy machine they do. If a restart may have left the
 * window because of that, the trace proves nothing, and the scenario runs again.
 */
async function playInNoTime(
  erlang: Erlang,
  scenarios: readonly Scenario[],
): Promise<readonly (OtpTrace | undefined)[]> {
  const traces: (OtpTrace | undefined)[] = scenarios.map(() => undefined);
  let left = [...scenarios.keys()];
  for (let round = 0; round <= REPLAYS_MAX && left.length > 0; round += 1) {
    const asked = left.flatMap((index) => scenarios[index] ?? []);
    const played = await erlang.play(asked, BATCH_TIMEOUT_MS);
    for (const [place, index] of left.entries()) traces[index] = played[place];
    left = left.filter((index) => wasHeldUp(scenarios[index], traces[index]));
  }
  if (left.length > 0) throw new Error(`${left.length} plays were held up ${REPLAYS_MAX} times`);
  return traces;
}

function wasHeldUp(scenario: Scenario | undefined, trace: OtpTrace | undefined): boolean {
  const period = Number(scenario?.flags.period);
  return trace !== undefined && Number.isInteger(period) && period > 0
    ? trace.tookMs >= period * 1000
    : false;
}

/**
 * The smallest scenario that still differs, by leaving out one operation or child after the other.
 */
export async function shrink(erlang: Erlang, difference: Difference): Promise<Difference> {
  let smallest = difference;
  for (;;) {
    const { flags, children, script } = smallest.scenario;
    const smaller = [
      ...script.map((_, at): Scenario => ({ flags, children, script: script.toSpliced(at, 1) })),
      ...children.map((_, at): Scenario => {
        return { flags, children: children.toSpliced(at, 1), script };
      }),
    ];
    const [next] = await differences(erlang, smaller);
    if (next === undefined) return smallest;
    smallest = next;
  }
}
