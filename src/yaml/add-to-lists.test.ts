import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToLists } from './add-to-lists.ts';

test('adds to a list that is there, adds one that is missing, and keeps comments', () => {
  const text = `# A shop
id: P1T1

phases:
  - id: back # behind
    components:
      - id: model
        files: [db/]
      - { id: mail, files: [src/mail.ts], depends_on: [model] }
`;
  const path = ['phases', 0, 'components'];
  assert.equal(
    addToLists(text, [
      { path: [...path, 0, 'depends_on'], value: 'log' },
      { path: [...path, 1, 'depends_on'], value: 'log' },
      { path: [...path, 1, 'depends_on'], value: 'model' },
    ]),
    `# A shop
id: P1T1

phases:
  - id: back # behind
    components:
      - id: model
        files: [db/]
        depends_on: [log]
      - {id: mail, files: [src/mail.ts], depends_on: [model, log]}
`,
  );
});
