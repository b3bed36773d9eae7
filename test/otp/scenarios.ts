/**
 * Random scenarios. There are two kinds, because OTP runs them in real time: most are fast, with a
 * window that no delay of the machine outlasts. A few sleep, and have short windows to sleep
 * through.
 */
import * as fc from 'fast-check';
import type { ChildInFile, FlagsInFile, Operation, Scenario } from './scenario.ts';

const IDS = ['a', 'b', 'c', 'd', 'e'] as const;

const id = fc.constantFrom('a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'd', 'e');
const reason = fc.constantFrom('normal', 'shutdown', 'kill', 'shutdown:x', 'boom', 'killed', 'end');
const trouble = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.constant('ignore' as const) },
);
const troubleAtStart = fc.oneof(
  { weight: 40, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: trouble },
);

/** Nearly always one of the sound values, now and then an unsound one. */
function mostly(
  sound: fc.Arbitrary<unknown>,
  ...unsound: readonly unknown[]
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 200, arbitrary: sound },
    { weight: 1, arbitrary: fc.constantFrom(...unsound) },
  );
}

/** A child that obeys may take any time. A child that does not costs OTP its milliseconds. */
const behaviour = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      stubborn: fc.constant(false),
      shutdown: mostly(fc.constantFrom(5000, 60_000, 'infinity', 'brutal_kill'), -1, 'soon', 1.5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      stubborn: fc.constant(true),
      shutdown: fc.constantFrom(50, 60, 'brutal_kill'),
    }),
  },
);

/** A significant child is sound only with some flags, so its probability depends on them. */
function child(canMatter: boolean, ids: fc.Arbitrary<string> = id): fc.Arbitrary<ChildInFile> {
  return fc
    .record({
      id: ids,
      restart: mostly(
        fc.constantFrom('permanent', 'permanent', 'transient', 'transient', 'temporary'),
        'sometimes',
        true,
      ),
      fail_starts: troubleAtStart,
      temper: behaviour,
      matters: fc.integer({ min: 0, max: 499 }),
    })
    .map(({ matters, temper: { stubborn, shutdown }, restart, ...rest }) => {
      const maySound = canMatter && restart !== 'permanent';
      const significant = matters === 499 ? 'yes' : matters < (maySound ? 300 : 1);
      return { ...rest, restart, stubborn, shutdown, significant };
    });
}

function flags(period: fc.Arbitrary<number>): fc.Arbitrary<FlagsInFile> {
  return fc.record({
    strategy: mostly(fc.constantFrom('one_for_one', 'one_for_all', 'rest_for_one'), 'one_for_two'),
    intensity: mostly(fc.constantFrom(0, 1, 2, 3, 5, 8, 20, 100, 100), -1, 1.5, 'many'),
    period: mostly(period, 0, -5, 2.5, 'long'),
    auto_shutdown: mostly(
      fc.constantFrom('never', 'never', 'any_significant', 'all_significant', 'all_significant'),
      'sometimes',
    ),
  });
}

function operations(canMatter: boolean): fc.Arbitrary<Operation> {
  return fc.oneof(
    { weight: 24, arbitrary: fc.tuple(fc.constant('exit' as const), id, reason) },
    { weight: 8, arbitrary: fc.tuple(fc.constant('fail_next' as const), id, trouble) },
    { weight: 5, arbitrary: fc.tuple(fc.constant('terminate_child' as const), id) },
    { weight: 6, arbitrary: fc.tuple(fc.constant('restart_child' as const), id) },
    { weight: 4, arbitrary: fc.tuple(fc.constant('delete_child' as const), id) },
    { weight: 8, arbitrary: fc.tuple(fc.constant('start_child' as const), child(canMatter)) },
    { weight: 2, arbitrary: fc.constant(['count'] as const) },
    { weight: 1, arbitrary: fc.constant(['stop'] as const) },
  );
}

/** Mostly different ids: two children of one name are refused as a whole. */
function family(canMatter: boolean): fc.Arbitrary<readonly ChildInFile[]> {
  const distinct = fc.shuffledSubarray([...IDS], { minLength: 1 }).chain((ids) => {
    return fc.tuple(...ids.map((one) => child(canMatter, fc.constant(one))));
  });
  return fc.oneof(
    { weight: 60, arbitrary: distinct },
    { weight: 1, arbitrary: fc.array(child(canMatter), { maxLength: 4 }) },
  );
}

function withFlags(
  given: fc.Arbitrary<FlagsInFile>,
  script: (canMatter: boolean, flags: FlagsInFile) => fc.Arbitrary<readonly Operation[]>,
): fc.Arbitrary<Scenario> {
  return given.chain((flags) => {
    const canMatter = flags.auto_shutdown !== 'never';
    return fc.record({
      flags: fc.constant(flags),
      children: family(canMatter),
      script: script(canMatter, flags),
    });
  });
}

const brisk = withFlags(flags(fc.constantFrom(60, 3600)), (canMatter) =>
  fc.array(operations(canMatter), { minLength: 4, maxLength: 24, size: 'max' }),
);

const sleepy = withFlags(flags(fc.constantFrom(1, 2, 2)), (canMatter, { period }) => {
  const sleep = fc
    .integer({ min: 1100, max: 1200 })
    .map((ms): Operation => ['sleep', (Number.isInteger(period) ? Number(period) : 1) * 1000 + ms]);
  const some = fc.array(operations(canMatter), { minLength: 1, maxLength: 6, size: 'max' });
  return fc.tuple(some, sleep, some).map(([before, pause, then]) => [...before, pause, ...then]);
});

export const scenario: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 24, arbitrary: brisk },
  { weight: 1, arbitrary: sleepy },
);
