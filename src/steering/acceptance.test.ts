/** The eight acceptance tests of the radio check, with every detector in mode `steer`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn, WatchedScript } from '../../test/support/turn-script.ts';
import {
  at,
  bash,
  broken,
  edit,
  failed,
  read,
  SPECIALIST,
  turn,
  turns,
  watchScript,
} from '../../test/support/turn-script.ts';
import type { Detectors } from './detect.ts';
import type { Detector } from './anomaly.ts';
import { choosePolicy } from './steering-policy.ts';
import { NEW_WATCH, watchTurn } from './watch.ts';
import { DEFAULT_STEERING, DETECTORS } from '../protocol/contracts/steering-contract.ts';
import { recordsOf } from '../../test/support/turn-script.ts';

const STEER = { mode: 'steer', heldOut: 0 } as const;
const steered = (script: readonly ScriptedTurn[]): WatchedScript =>
  watchScript(script, { steering: STEER, role: SPECIALIST });
const exploring = (count: number) => turns(count, (nth) => turn(read(`${nth}.ts`)));

describe('acceptance', () => {
  test('R357: without a role and with no detector on, nothing runs and nothing is found', () => {
    let ran = 0;
    const spy: Detector = () => {
      ran += 1;
      return null;
    };
    const detectors = Object.fromEntries(
      DETECTORS.map((name) => [name, spy]),
    ) as unknown as Detectors;
    const policy = choosePolicy({ ...DEFAULT_STEERING, mode: 'off' }, { model: 'm', role: null });
    let watch = NEW_WATCH;
    for (const record of recordsOf(turns(30, () => turn(failed('npm test')))))
      watch = watchTurn(watch, record, { run: 'r', policy, role: null, detectors }).watch;
    assert.deepEqual([ran, watch.history.pace], [0, null]);
  });

  test('R358: work that succeeds is checked, and nothing is said', () => {
    const { messages, watched } = steered(
      turns(30, (nth) => turn(edit(`${nth}.ts`), bash(`test ${nth}`))),
    );
    assert.deepEqual([messages, watched.history.turn], [[], 31]);
  });

  test('R359: a stall is named after the limit of the role, with the step and an alternative', () => {
    const { messages } = steered(exploring(14));
    assert.deepEqual(messages, [
      '15 [SUPERVISOR] There was no progress for 14 turns while working on: 14.ts. Leave this step, and build a smaller part of it. Seen in turns 2 to 15.',
    ]);
    assert.deepEqual(steered(exploring(12)).messages, []);
  });

  test('R360: a loop is named, and not as advice about the tool', () => {
    const { messages } = steered(turns(3, () => turn(failed('npm test', 'command not found'))));
    assert.deepEqual(messages, []); // the third result comes with turn 4, and the next check is in turn 6
    const { messages: later, found } = steered(
      turns(5, () => turn(broken('Read', 'a', 'command not found'))),
    );
    assert.match(later[0] ?? '', /^6 \[SUPERVISOR\] The role builder is at its contingent level/);
    assert.deepEqual(found, ['6 pace-contingent sent', '6 loop outranked']);
    const alone = watchScript(
      turns(5, () => turn(broken('Read', 'a', 'not found'))),
      { steering: STEER },
    );
    assert.match(alone.messages[0] ?? '', /^6 \[SUPERVISOR\] The same call failed 5 times/);
    assert.doesNotMatch(alone.messages.join(), /Tool guidance/);
  });

  test('R361: the context is named at 80 %', () => {
    const fill = (context: number) => turns(3, (nth) => at(context, edit(`${nth}.ts`)));
    assert.match(
      steered(fill(0.8)).messages[0] ?? '',
      /^3 \[SUPERVISOR\] The context is 80 % full\./,
    );
    assert.deepEqual(steered(fill(0.79)).messages, []);
  });

  test('R362: a message about PACE has the text of the role', () => {
    const { messages } = steered(turns(5, (nth) => turn(failed(`try ${nth}`))));
    assert.match(messages[0] ?? '', /contingent level: describe the design and ask for help\./);
  });

  test('R363: no message is repeated within three turns, and then it is', () => {
    const every = watchScript(exploring(20), {
      steering: { ...STEER, checkTurns: 1, modes: { 'pace-emergency': 'off' } },
      role: SPECIALIST,
    });
    assert.deepEqual(every.found, ['14 stall sent', '17 stall sent', '20 stall sent']);
  });

  test('R364: failures of three tools are a cascade', () => {
    const { found, messages } = steered(
      ['Read', 'Glob', 'Grep', 'Read', 'Glob'].map((tool) => turn(broken(tool))),
    );
    assert.deepEqual(
      found.filter((one) => one.includes('cascade')),
      ['6 cascade outranked'],
    );
    assert.match(messages[0] ?? '', /contingent/);
    const alone = watchScript(
      ['Read', 'Glob', 'Grep', 'Read', 'Glob'].map((tool) => turn(broken(tool))),
      { steering: STEER },
    );
    assert.match(
      alone.messages[0] ?? '',
      /^6 \[SUPERVISOR\] 3 different tools failed one after another: Read, Glob, Grep\./,
    );
  });
});
