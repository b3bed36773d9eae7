import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentEvent } from '../../adapters/agent-event.ts';
import { CliTurns } from './cli-turns.ts';

const said = (text: string): AgentEvent => ({ kind: 'said', text });
const used = (id: string | null, command = `run ${id}`): AgentEvent => ({
  ...{ kind: 'used-tool', tool: 'Bash', id, args: command },
  input: { command },
});
const result = (id: string | null, isError = false): AgentEvent => ({
  ...{ kind: 'tool-result', id, isError },
});

describe('the turns in the events of a CLI', () => {
  const cases: [why: string, events: readonly AgentEvent[], expected: readonly string[]][] = [
    ['a message alone is no turn', [said('Hel'), said('lo')], []],
    [
      'a call ends its turn',
      [said('Look'), used('a'), result('a'), said('Done')],
      ['1: Look [run a]', '2: a ok; Done []'],
    ],
    [
      'calls side by side are one turn',
      [used('a'), used('b'), result('b', true), result('a'), said('x')],
      ['1:  [run a, run b]', '2: b execution, a ok; x []'],
    ],
    [
      'a call that is announced twice counts once',
      [used('a'), used('a'), result('a'), said('x')],
      ['1:  [run a]', '2: a ok; x []'],
    ],
    [
      'a history that is repeated counts once',
      [used('a'), result('a'), used('a'), result('a'), said('x')],
      ['1:  [run a]', '2: a ok; x []'],
    ],
    [
      'an id that is used again is a new call',
      [used('a', 'one'), result('a'), used('a', 'two'), result('a'), said('x')],
      ['1:  [one]', '2: a ok;  [two]', '3: a ok; x []'],
    ],
    [
      'calls without ids end in their order',
      [used(null, 'one'), result(null), said('x')],
      ['1:  [one]', '2:  ok; x []'],
    ],
    ['no event makes no turn', [], []],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => {
      const turns = new CliTurns('m');
      const all = [...events.map((event) => turns.take(event, 's')), turns.end('s')];
      const words = all
        .filter((turn) => turn !== undefined)
        .map(({ number, steps, text, calls }) => {
          const before = steps.map(({ id, error = 'ok' }) => `${id} ${error}`).join(', ');
          const asks = calls.map(({ subject }) => subject).join(', ');
          return `${number}: ${before === '' ? '' : `${before}; `}${text} [${asks}]`;
        });
      assert.deepEqual(words, expected);
    });

  test('say what a call has said, if the CLI does', () => {
    const turns = new CliTurns('m');
    turns.take(used('a', 'npm test'), 's');
    turns.take({ kind: 'tool-result', id: 'a', isError: true, output: '3 failing' }, 's');
    turns.take(said('Hm.'), 's');
    const [step] = turns.end('s')?.steps ?? [];
    assert.deepEqual([step?.failing, step?.errorText], [3, '3 failing']);
  });
});
