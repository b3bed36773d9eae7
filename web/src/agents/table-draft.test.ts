import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentTableView } from '../../../src/protocol/views/agent-table.ts';
import type { Draft } from './table-draft.ts';
import * as table from './table-draft.ts';

const row = (id: string): AgentTableView['rows'][number] => ({
  ...{ id, cli: 'codex', model: null, configDir: null, others: [] },
});
const VIEW: AgentTableView = {
  ...{ file: 'config.yaml', version: 'v', rows: ['a', 'b', 'c'].map(row) },
  ...{ mode: 'fallback', fallbacks: { a: 'c' }, pinned: 'b', clis: ['codex'], modes: ['fallback'] },
};
const DRAFT = table.draftOf(VIEW);

function short({ rows, fallbacks, pinned }: Draft): string {
  const falls = Object.entries(fallbacks).map(([from, to]) => `${from}→${to}`);
  return [rows.map(({ id, was }) => `${id}${was ?? '+'}`).join(' '), falls.join(' '), pinned].join(
    ' | ',
  );
}

describe('the table of agents', () => {
  const cases: readonly [why: string, draft: Draft, expected: string][] = [
    ['as it is', DRAFT, 'a0 b1 c2 | a→c | b'],
    ['moves a row', table.moved(DRAFT, 2, -1), 'a0 c2 b1 | a→c | b'],
    ['does not move a row out', table.moved(DRAFT, 0, -1), 'a0 b1 c2 | a→c | b'],
    ['names an agent everywhere', table.withRow(DRAFT, 2, { id: 'x' }), 'a0 b1 x2 | a→x | b'],
    ['removes an agent everywhere', table.withoutRow(DRAFT, 1), 'a0 c2 | a→c | '],
    ['removes what falls back to it', table.withoutRow(DRAFT, 2), 'a0 b1 |  | b'],
    ['adds a row with a free name', table.withNewRow(DRAFT, 'a'), 'a0 b1 c2 a-2+ | a→c | b'],
    ['sets a fallback', table.withFallback(DRAFT, 'b', 'a'), 'a0 b1 c2 | a→c b→a | b'],
    ['ends a fallback', table.withFallback(DRAFT, 'a', null), 'a0 b1 c2 |  | b'],
  ];
  for (const [why, draft, expected] of cases) test(why, () => assert.equal(short(draft), expected));

  test('knows whether it was changed', () => {
    assert.deepEqual(
      [table.isChanged(DRAFT, VIEW), table.isChanged(table.moved(DRAFT, 0, 1), VIEW)],
      [false, true],
    );
  });

  test('shows the chain of a run: by fallbacks, or in order', () => {
    const loop = { ...DRAFT, fallbacks: { a: 'c', c: 'a' } };
    const chains = [DRAFT, { ...DRAFT, fallbacks: {} }, loop].map(table.chainOf);
    assert.deepEqual(chains, [
      ['a', 'c'],
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
  });
});
