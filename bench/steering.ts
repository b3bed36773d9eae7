/**
 * The cost of watching turns: one check over a long history beside an empty function, one more turn, and the turn of a
 * request of 3 MB. The gateway makes that turn after the answer has passed, so it can only delay the agent's next call.
 */
import { TurnTracker } from '../src/gateway/observe/gateway-turns.ts';
import type { MessageUnit } from '../src/gateway/wires/wire.ts';
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
} from '../test/support/turn-script.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

const HISTORY_TURNS = 200;
const REQUEST_CHARS = 3_000_000;
const ROUNDS = 2000;
const REQUEST_ROUNDS = 51;

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
      name: `turn of ${REQUEST_CHARS / 1e6} MB asked`,
      value: median(requestTimes()),
      unit: 'ms',
      yardstick: 'after the answer, before the next call',
      atMost: 5,
    },
  ];
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
