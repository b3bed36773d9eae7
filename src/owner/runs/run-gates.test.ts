import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { runGates } from './run-gates.ts';

const written = { name: 'lint', command: ['make', 'lint'], timeoutMs: 1000 };

test('those that are written down come first, as they are', () => {
  assert.deepEqual(runGates({ gates: [written] }, { gates: ['npm  test'] }), [
    written,
    { name: 'npm test', command: ['npm', 'test'], timeoutMs: 600_000 },
  ]);
  assert.deepEqual(runGates({ gates: [written] }), [written]);
});

describe('a line becomes a command', () => {
  const cases: [why: string, line: string, command: string[]][] = [
    ['words are parted by spaces', ' npm run  check ', ['npm', 'run', 'check']],
    ['quotes keep together', `sh -c 'npm test && exit 3'`, ['sh', '-c', 'npm test && exit 3']],
    ['nothing is expanded', 'echo $HOME *', ['echo', '$HOME', '*']],
  ];
  for (const [why, line, command] of cases)
    test(why, () =>
      assert.deepEqual(runGates({ gates: [] }, { gates: [line] })[0]?.command, command),
    );

  test('a long one has a short name', () => {
    const [gate] = runGates({ gates: [] }, { gates: [`echo ${'x'.repeat(100)}`] });
    assert.equal(gate?.name.length, 64);
  });

  for (const line of ['', '  ', `sh -c 'open`])
    test(`${JSON.stringify(line)} is refused`, () => {
      assert.throws(
        () => runGates({ gates: [] }, { gates: [line] }),
        (error) => isRefusal(error, 'usage.invalid'),
      );
    });
});

test('what the request says of tests and of protection holds for all of them', () => {
  const written = { name: 'a', command: ['a'], timeoutMs: 1 };
  const wishes = { gates: ['b'], includeTests: true, acceptUnprotected: true };
  assert.deepEqual(
    runGates({ gates: [written] }, wishes).map(({ testsMayChange, acceptsUnprotected }) => [
      testsMayChange,
      acceptsUnprotected,
    ]),
    [
      [true, true],
      [true, true],
    ],
  );
});
