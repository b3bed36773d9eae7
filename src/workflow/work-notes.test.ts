import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definition, role, workflowSubmission } from '../../test/support/workflow-fixture.ts';
import { addNotes } from './work-notes.ts';
import { emptyState } from './workflow-state.ts';

const ANSWER = { status: 'SUCCESS', files_created: [], files_modified: ['a'], tests_written: [] };
const before = emptyState(
  workflowSubmission(definition({ implement: role('coder', null) }), 'build'),
);

describe('the notes of a workflow', () => {
  type Row = readonly [why: string, said: readonly (readonly string[])[], kept: readonly string[]];
  const rows: readonly Row[] = [
    ['come from the answers of roles that implement', [['a'], ['b']], ['a', 'b']],
    ['are each kept once', [['a', 'b'], ['a']], ['b', 'a']],
    [
      'are the newest five',
      [
        ['a', 'b', 'c', 'd'],
        ['e', 'f'],
      ],
      ['b', 'c', 'd', 'e', 'f'],
    ],
  ];
  for (const [why, said, kept] of rows)
    test(why, () =>
      assert.deepEqual(
        said.reduce((state, notes) => addNotes(state, { ...ANSWER, notes: [...notes] }), before)
          .notes,
        kept,
      ),
    );
  test('are none if a role gives none, or another form of answer', () =>
    assert.deepEqual(
      [addNotes(before, ANSWER), addNotes(before, { notes: ['a'] })],
      [before, before],
    ));
});
