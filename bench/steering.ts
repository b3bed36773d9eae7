/**
 * The cost of watching turns: one check over a long history beside an empty function, one more turn, and the turn of a
 * request of 3 MB. The gateway makes that turn after the answer has passed, so it can only delay the agent's next call.
 * Without an organization and with no detector on, a turn passes at the cost of a function call.
 */
import { watchTurns } from '../src/execution/turns/attempt-turns.ts';
import { TurnTracker } from '../src/gateway/observe/gateway-turns.ts';
import type { MessageUnit } from '../src/gateway/wires/wire.ts';
import type { TurnRecord } from '../src/protocol/turn.ts';
import { DEFAULT_STEERING } from '../src/protocol/contracts/steering-contract.ts';
import { FIRST_CHECK, runCheck } from '../src/steering/check.ts';
import { choosePolicy } from '../src/steering/steering-policy.ts';
import { NEW_WATCH, watchTurn } from '../src/steering/watch.ts';
import {
  bash,
  edit,
  failed,
  read,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
  watchScript,
} from '../test/support/turn-script.ts';
import { RandomWork } from '../test/support/random-work.ts';
import { seededRandom } from '../src/base/random.ts';
import { ATTEMPT_REQUEST } from '../test/support/prepared-attempt.ts';
import { ManualClock } from '../src/testing/fakes/manual-clock.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const HISTORY_TURNS = 200;
const REQUEST_CHARS = 3_000_000;
const ROUNDS = 2000;
const REQUEST_ROUNDS = 51;
const HEALTHY_SEEDS = 1000;

export async function figures(): Promise<readonly Figure[]> {
  const script = turns(HISTORY_TURNS, (nth) =>
    nth % 7 === 0
      ? turn(edit(`${nth}.ts`))
      : turn(read(`${nth}.ts`), nth % 3 === 0 ? failed('x') : bash(`${nth}`)),
  );
  const records = recordsOf([...script, ...turns(20, (nth) => turn(failed(`try ${nth % 2}`)))]);
  const policy = choosePolicy(DEFAULT_STEERING, { model: 'm', role: null }, SPECIALIST.doctrine);
  const terms = { run: '0123456789', policy, role: SPECIALIST };
  const watch = records.reduce((one, record) => watchTurn(one, record, terms).watch, NEW_WATCH);
  const watched = { history: watch.history, thresholds: policy.thresholds, role: SPECIALIST };
  const last = records.at(-1);
  const empty = microseconds(() => undefined);
  const check = microseconds(() => runCheck(FIRST_CHECK, watched, policy, 'r'));
  const off = await microsecondsOff(last);
  const fold = microseconds(() => last && watchTurn(watch, { ...last, number: 999 }, terms));
  return [
    {
      name: `check, ${HISTORY_TURNS} turns`,
      value: check - empty,
      unit: 'µs',
      yardstick: 'over an empty function, median',
      atMost: 50,
    },
    { name: 'one more turn', value: fold - empty, unit: 'µs', yardstick: 'the same', atMost: 200 },
    {
      name: 'one more turn, nothing is on',
      value: off.watched - off.plain,
      unit: 'µs',
      yardstick: 'over a note without a watch',
      atMost: 2,
    },
    falseSteers(),
    {
      name: `turn of ${REQUEST_CHARS / 1e6} MB asked`,
      value: median(requestTimes()),
      unit: 'ms',
      yardstick: 'after the answer, before the next call',
      atMost: 5,
    },
  ];
}

/** Every detector may speak after every turn of random healthy work. */
function falseSteers(): Figure {
  const steering = { mode: 'steer', heldOut: 0, checkTurns: 1, cooldownTurns: 1 } as const;
  let seen = 0;
  let told = 0;
  for (let seed = 1; seed <= HEALTHY_SEEDS; seed += 1) {
    const script = new RandomWork(seededRandom(seed)).script(5 + (seed % 10));
    seen += script.length;
    told += watchScript(script, { steering }).messages.length;
  }
  return {
    ...{ name: 'false messages', value: (1000 * told) / seen, unit: '', atMost: 0 },
    yardstick: `of 1,000 healthy turns, in ${Math.round(seen / 1000)},000 random ones`,
  };
}

function microseconds(work: () => unknown): number {
  for (let round = 0; round < ROUNDS; round += 1) work(); // warm up
  return median(
    Array.from({ length: ROUNDS }, () => {
      const begun = performance.now();
      work();
      return (performance.now() - begun) * 1000;
    }),
  );
}

async function noteTime(note: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const begun = performance.now();
    await note();
    times.push((performance.now() - begun) * 1000);
  }
  return median(times.slice(ROUNDS));
}

/** A turn that is noted with nothing to watch it, and one that is noted without this room. */
async function microsecondsOff(
  turn: TurnRecord | undefined,
): Promise<{ readonly watched: number; readonly plain: number }> {
  if (turn === undefined) return { watched: 0, plain: 0 };
  const { signal } = new AbortController();
  const plain = { cancelSignal: signal, killSignal: signal, note: async () => {} };
  const steering = { ...DEFAULT_STEERING, mode: 'off' } as const;
  const { context } = watchTurns(
    { ...ATTEMPT_REQUEST, input: { ...ATTEMPT_REQUEST.input, steering } },
    plain,
    { clock: new ManualClock(), treeFingerprint: async () => null },
  );
  const noted = { kind: 'turn', turn } as const;
  return {
    watched: await noteTime(() => context.note(noted)),
    plain: await noteTime(() => plain.note()),
  };
}

/** A conversation that grows by one tool call for each request. */
function requestTimes(): readonly number[] {
  const units: MessageUnit[] = [{ kind: 'prompt', text: 'task' }];
  for (let size = 0; size < REQUEST_CHARS; size += 10_000) {
    const id = `call-${size}`;
    units.push(
      { kind: 'call', id, name: 'Read', args: { file_path: `${size}.ts` } },
      { kind: 'result', id, text: `${size} `.padEnd(10_000, 'some words of a file ') },
    );
  }
  const tracker = new TurnTracker();
  const about = {
    number: 1,
    wire: 'anthropic',
    kind: 'main',
    conversation: 'c',
    model: 'm',
  } as const;
  const answer = { text: 'Next.', calls: [], usage: null, stop: 'end_turn', error: null };
  return Array.from({ length: REQUEST_ROUNDS }, (_, nth) => {
    const id = `new-${nth}`;
    units.push(
      { kind: 'call', id, name: 'Bash', args: { command: `npm test ${nth}` } },
      { kind: 'result', id, text: `${nth} passing `.padEnd(60_000, 'a line of output\n') },
    );
    const begun = performance.now();
    tracker.take(about, { units }, answer, 200_000);
    return performance.now() - begun;
  }).slice(1);
}
