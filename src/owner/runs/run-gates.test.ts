import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { requireProvingGate, runGates } from './run-gates.ts';

const configured = { name: 'lint', command: ['make', 'lint'], timeoutMs: 1000 };

test('configured gates come first and unchanged', () => {
  assert.deepEqual(runGates({ gates: [configured] }, { gates: ['npm  test'] }), [
    configured,
    { name: 'npm test', command: ['npm', 'test'], timeoutMs: 600_000 },
  ]);
  assert.deepEqual(runGates({ gates: [configured] }), [configured]);
});

describe('a run that needs a gate', () => {
  const [counts, warns] = [{}, { warns: true as const }];
  const cases: [why: string, gates: object[], requireGate: boolean, message: RegExp | undefined][] =
    [
      ['is refused without a gate', [], true, /^This run has no gate, so nothing could verify/],
      ['is refused if its gates only warn', [warns], true, /^The gates of this run only warn, so/],
      ['begins with a gate that counts', [warns, counts], true, undefined],
      ['begins without a gate if it needs none', [], false, undefined],
    ];
  for (const [why, gates, requireGate, message] of cases)
    test(why, () => {
      const decide = (): void => requireProvingGate(gates, { requireGate });
      if (message === undefined) assert.doesNotThrow(decide);
      else
        assert.throws(
          decide,
          (error) => isRefusal(error, 'gate.missing') && message.test(error.message),
        );
    });
});

describe('a line becomes a command', () => {
  const cases: [why: string, line: string, command: string[]][] = [
    ['words are separated by spaces', ' npm run  check ', ['npm', 'run', 'check']],
    [
      'quotes keep words together',
      `sh -c 'npm test && exit 3'`,
      ['sh', '-c', 'npm test && exit 3'],
    ],
    ['nothing is expanded', 'echo $HOME *', ['echo', '$HOME', '*']],
  ];
  for (const [why, line, command] of cases)
    test(why, () =>
      assert.deepEqual(runGates({ gates: [] }, { gates: [line] })[0]?.command, command),
    );

  for (const line of ['“npm', '“npm test”', 'sh -c ‘npm test’', '’npm test'])
    test(`${line} is refused for its quotation marks, which no agent can repair`, () =>
      assert.throws(
        () => runGates({ gates: [] }, { gates: [line] }),
        (error) => isRefusal(error, 'usage.invalid') && error.message.includes('typographic'),
      ));

  for (const line of ['make lint && npm test', 'npm test || true', 'npm test | tee log'])
    test(`${line} is refused, because its second part would never run`, () =>
      assert.throws(
        () => runGates({ gates: [] }, { gates: [line] }),
        (error) =>
          isRefusal(error, 'usage.invalid') &&
          error.message.includes('only a shell understands') &&
          error.data.hint?.includes('sh -c') === true,
      ));

  test('a long command has a short name', () => {
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

test('the options of the request about tests and protection apply to all gates', () => {
  const configured = { name: 'a', command: ['a'], timeoutMs: 1 };
  const options = { gates: ['b'], includeTests: true, acceptUnprotected: true };
  assert.deepEqual(
    runGates({ gates: [configured] }, options).map(({ testsMayChange, acceptsUnprotected }) => [
      testsMayChange,
      acceptsUnprotected,
    ]),
    [
      [true, true],
      [true, true],
    ],
  );
});
